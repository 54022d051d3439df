package search

import "strings"

// mostChecked is how many documents that have all trigrams of a text are read
// to see whether they have the text itself. What more of them have is no rare
// thing, and a long one has them by chance at worst. A guess: 500 take about
// 10 ms.
const mostChecked = 500

// containing are the documents that have a text of three characters or more
// inside a word or an identifier.
func (m *matcher) containing(substr string) ([]uint64, error) {
	grams := sortedTrigrams(substr)
	docs, err := m.all(fieldTri, grams)
	if err != nil || len(grams) < 2 || len(docs) > mostChecked {
		return docs, err
	}
	w := workshops.Get().(*workshop)
	defer workshops.Put(w)
	checked := docs[:0]
	for _, doc := range docs {
		c := candidate{doc: doc}
		if err := m.name(&c); err != nil {
			return nil, err
		}
		s, err := m.stored(c.path)
		if err != nil {
			return nil, err
		}
		if s.contains(c.path, substr, w) {
			checked = append(checked, doc)
		}
		w.tidy()
	}
	return checked, nil
}

// contains reports whether substr, which is folded, is inside a word of the
// memory.
func (s *stored) contains(path, substr string, w *workshop) bool {
	texts := append([]string{path, s.Name, s.Description, s.Key, s.Body}, append(s.Tags, s.Also...)...)
	for _, t := range texts { // nearly always enough
		if strings.Contains(strings.ToLower(t), substr) {
			return true
		}
	}
	found := false
	for _, t := range texts {
		if found {
			break
		}
		w.tokens.units(t, func(u *unit) {
			found = found || u.kind == letter && strings.Contains(u.text(), substr)
		})
	}
	return found
}
