// Package scan finds what must not enter a memory unseen: secrets, prompt
// injection, hidden characters, exfiltration commands. What follows from a hit
// is the controller's.
//
// Rules are data. rules/gitleaks.toml is the unchanged rule file of gitleaks
// v8.30.1 (MIT, rules/gitleaks.LICENSE); rules/memsync.toml, in the same form,
// adds what it lacks or lets pass, and the phrases. Both are compiled in as
// tables.go, which go generate writes. Only hidden characters are code: which of
// them are honest depends on their neighbours.
//
// Expressions are slow, so most are not run. A rule looks only around its
// keywords, only where the text has what the rule's expression demands, and its
// expression is compiled then. What is demanded is derived from the expression,
// never guessed: it must not lose a match.
//
// The package judges shapes, never topics: paths, code, "the secret store" are
// nobody's secret. It forgets what it reads; a Hit carries no more of a value
// than its first characters and its length.
//
// Differences from gitleaks itself:
//   - rules bound to a file name (*.tf, *.yaml, …) apply to every text, because
//     memories quote such files; rules that look at the name only are left out;
//   - a token may end at any punctuation, not at quotes and white space only,
//     because in prose a full stop or a parenthesis follows it;
//   - "gitleaks:allow" comments mean nothing: whoever writes the secret could
//     write them too;
//   - encoded text is not decoded.
package scan
