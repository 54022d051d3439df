package text

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"judgments", "background", "name", "tone"}
	for word, want := range map[string]string{
		"judgements": "judgments", "Background": "background", "nme": "name", "names": "name",
		"recovery": "", "": "", "backgrnd": "background", "backgrrr": "", "tome": "tone",
	} {
		if got := Nearest(word, words); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	if got := Nearest("anything", nil); got != "" {
		t.Errorf("of no words: %q", got)
	}
}
