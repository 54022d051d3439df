package scan

import (
	"strings"
	"testing"
)

func TestMaskPath(t *testing.T) {
	token := "AKIA" + "Z3MQ7P2XK5NWTR4D"
	none := func(string) bool { return false }
	for _, tt := range []struct{ name, path, want string }{
		{"an honest path", "memory/team/user_x.md", "memory/team/user_x.md"},
		{"the root", "", ""},
		{"in the file name", "memory/" + token + ".md", "memory/(masked)"},
		{"in a folder", "memory/" + token + "/user_x.md", "memory/(masked)/user_x.md"},
		{"as a part of a folder's name", "a/key-" + token + "-old/b/c.md", "a/(masked)/b/c.md"},
		{"in both", token + "/x/" + token + ".md", "(masked)/x/(masked)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := MaskPath(tt.path, none)
			if got != tt.want || MaskPath(tt.path, nil) != tt.want {
				t.Errorf("MaskPath = %s, want %s", got, tt.want)
			}
			if again := MaskPath(got, none); again != got {
				t.Errorf("masked twice it is %s", again)
			}
		})
	}

	path := "memory/" + token + "/x.md"
	allowed := func(fingerprint string) bool { return fingerprint == Text(path, path)[0].Fingerprint }
	if got := MaskPath(path, allowed); got != path {
		t.Errorf("what a person allowed is masked: %s", got)
	}
	other := strings.Replace(path, "x.md", "y.md", 1)
	if got := MaskPath(other, allowed); strings.Contains(got, token) {
		t.Errorf("an allowance holds at another path: %s", got)
	}
}

func TestMaskText(t *testing.T) {
	token := "AKIA" + "Z3MQ7P2XK5NWTR4D"
	if got, want := MaskText("p.md", "a link to \"/etc/"+token+"\", and "+token+".", nil), "a link to \"/etc/(masked)\", and (masked)."; got != want {
		t.Errorf("MaskText = %s, want %s", got, want)
	}
	if got := MaskText("p.md", honestBody, nil); got != honestBody {
		t.Errorf("an honest text was changed: %s", got)
	}
}
