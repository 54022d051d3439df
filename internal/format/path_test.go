package format

import (
	"strings"
	"testing"
	"unicode/utf8"

	"memsync"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// P06, Q32: each refusal with its own code, before anything is written.
func TestP06PathsAreRefused(t *testing.T) {
	for _, c := range []struct {
		path   string
		code   memsync.Code
		reason string
	}{
		{"", memsync.CodePathInvalid, "empty"},
		{"/etc/passwd.md", memsync.CodePathEscape, "absolute"},
		{"C:/x.md", memsync.CodePathEscape, "absolute"},
		{"\\\\host\\x.md", memsync.CodePathEscape, "absolute"},
		{"../x.md", memsync.CodePathEscape, "parent"},
		{"memory/../../x.md", memsync.CodePathEscape, "parent"},
		{"memory/..\\x.md", memsync.CodePathEscape, "parent"},
		{"memory/..", memsync.CodePathEscape, "parent"},
		{"memory//x.md", memsync.CodePathInvalid, "element"},
		{"memory/./x.md", memsync.CodePathInvalid, "element"},
		{"memory/", memsync.CodePathInvalid, "element"},
		{"memory/MEMORY.md", memsync.CodePathReserved, "index"},
		{"memory/memory.md", memsync.CodePathReserved, "index"},
		{"memory/REVIEW.md", memsync.CodePathReserved, "index"},
		{"memory/_system_x.md", memsync.CodePathReserved, "underscore"},
		{"memory/_system/x.md", memsync.CodePathReserved, "directory"},
		{"memory/_Index/x.md", memsync.CodePathReserved, "directory"},
		{"memory/_inbox/x.md", memsync.CodePathReserved, "directory"},
		{".git/x.md", memsync.CodePathReserved, "git"},
		{"memory/.GIT/x.md", memsync.CodePathReserved, "git"},
		{"memory/git~1/x.md", memsync.CodePathReserved, "git"},
		{"memory/.g\u200cit/x.md", memsync.CodePathReserved, "git"},
		{"memory/README.md", memsync.CodePathReserved, "ignored"},
		{"memory/SOUL.md", memsync.CodePathReserved, "ignored"},
		{"memory/a.sync-conflict-20260101-120000-ABCDEFG.md", memsync.CodePathReserved, "conflict"},
		{"memory/.hidden.md", memsync.CodePathInvalid, "hidden"},
		{"memory/-rf.md", memsync.CodePathInvalid, "dash"},
		{"memory/x.txt", memsync.CodePathInvalid, "extension"},
		{"memory/x", memsync.CodePathInvalid, "extension"},
		{"memory/x.MD", memsync.CodePathInvalid, "extension"},
		{"memory/x.md.", memsync.CodePathInvalid, "trailing"},
		{"memory/x /y.md", memsync.CodePathInvalid, "trailing"},
		{"memory/con.md", memsync.CodePathInvalid, "device"},
		{"memory/NUL.tar.md", memsync.CodePathInvalid, "device"},
		{"com1/x.md", memsync.CodePathInvalid, "device"},
		{"memory/a\"b.md", memsync.CodePathInvalid, "character"},
		{"memory/a:b.md", memsync.CodePathInvalid, "character"},
		{"memory/a?.md", memsync.CodePathInvalid, "character"},
		{"memory/a\\b.md", memsync.CodePathInvalid, "character"},
		{"memory/a\nb.md", memsync.CodePathInvalid, "control"},
		{"memory/a\x00.md", memsync.CodePathInvalid, "control"},
		{"memory/a\u202eb.md", memsync.CodePathInvalid, "control"},
		{"memory/a\xff.md", memsync.CodePathInvalid, "encoding"},
		{memsync.Path("memory/" + strings.Repeat("x", 300) + ".md").Base(), memsync.CodePathInvalid, "long"},
	} {
		err := CheckPath(memsync.Path(c.path))
		e, ok := err.(*memsync.Error)
		if !ok || e.Code != c.code || e.Details["reason"] != c.reason || e.Message == "" || e.Hint == "" {
			t.Errorf("%q: %v, want %s %s", c.path, err, c.code, c.reason)
		}
	}
}

func TestQ32PathsAreTaken(t *testing.T) {
	for _, p := range []string{"memory/user_x.md", ".memsync/memory/user_x.md", "memory/my note.md", "memory/café.md", "memory/$(id).md", "memory/日本.md",
		"memory/par)en.md", "memory/🎉.md", "memory/it's.md", "memory/user/2026-01/user_x.md", "memory/console.md", "memory/a.b.md", "memory/user.md",
		"memory/می\u200cخواهم.md", "memory/" + strings.Repeat("x", 252) + ".md", ".claude/memory/x.md"} {
		if err := CheckPath(memsync.Path(p)); err != nil {
			t.Errorf("%q: %v", p, err)
		}
	}
}

func TestClassify(t *testing.T) {
	for rel, want := range map[memsync.Path]Class{
		"user_x.md": MemoryFile, "sub/dir/x.md": MemoryFile, "x.MD": MemoryFile, "my note.md": MemoryFile, "user.md": MemoryFile, "name 2.md": MemoryFile,
		"MEMORY_OPTIMIZED.md": MemoryFile, "memory.md": MemoryFile, "PLAN.md": MemoryFile, "2026-99-99.md": MemoryFile, "20260206.md": MemoryFile,
		"2026-02-06.md": LogFile, "2026-02-06-0431.md": LogFile, "2026-02-06-日本語.md": LogFile, "learnings/2026-03-04.md": LogFile, "logs/x.md": LogFile, "a/daily/b/x.md": LogFile, "briefs/x.md": LogFile,
		"MEMORY.md": IndexFile, "agent/MEMORY.md": IndexFile, "REVIEW.md": ReviewFile,
		"_system/ledger/x.jsonl": SystemFile, "_index/user-a.md": SystemFile, "_inbox/x.md": SystemFile, "_x.md": SystemFile, "sub/_x.md": SystemFile,
		"\xff.md": Unnamable, "d\xff/a.md": Unnamable, "\xff/MEMORY.md": Unnamable, "\xff.txt": NotMemory, "_index/\xff.md": SystemFile,
		"a.sync-conflict-20260101-120000-ABCDEFG.md": ConflictCopy, "MEMORY.sync-conflict-20260101-120000-ABCDEFG.md": ConflictCopy,
		"a (conflicted copy 2026-01-02).md": ConflictCopy, "a (Ada's conflicted copy 2026-01-02).md": ConflictCopy,
		"README.md": NotMemory, "readme.md": NotMemory, "CLAUDE.md": NotMemory, "AGENTS.md": NotMemory, "sub/SOUL.md": NotMemory, "USER.md": NotMemory, "IDENTITY.md": NotMemory,
		"TOOLS.md": NotMemory, "HEARTBEAT.md": NotMemory, "LICENSE.md": NotMemory, "SKILL.md": NotMemory,
		"x.txt": NotMemory, "x.json": NotMemory, "MEMORY.md.bak": NotMemory, "x.md.gz": NotMemory, ".hidden.md": NotMemory, ".obsidian/x.md": NotMemory, "sub/.git/x.md": NotMemory,
		"x.md~": NotMemory, "4913": NotMemory, ".x.md.swp": NotMemory, ".#x.md": NotMemory, "#x.md#": NotMemory, "sedAb12cD": NotMemory, "x.md.tmp": NotMemory, ".md": NotMemory, "": NotMemory,
	} {
		if got := Classify(rel); got != want {
			t.Errorf("%q is %s, want %s", rel, got, want)
		}
	}
	for base, want := range map[string]bool{"x.md": false, "x.md~": true, "4913": true, "49130": false, ".x.swx": true, ".#x.md": true, "#x.md#": true, "#": false, "#1 rule.md": false, "sedAb12cD": true, "sediment": false, "sed notes": false, "a.tmp": true} {
		if Temporary(base) != want {
			t.Errorf("%q temporary: %v", base, !want)
		}
	}
}

func TestNumberedCopy(t *testing.T) {
	for base, want := range map[string]string{"name 2.md": "name.md", "MEMORY 2.md": "MEMORY.md", "a b 13.md": "a b.md", "name 1.md": "", "name2.md": "", " 2.md": "", "phase 100.md": "", "name 2.txt": ""} {
		got, ok := NumberedCopy(base)
		if got != want || ok != (want != "") {
			t.Errorf("%q is a copy of %q", base, got)
		}
	}
}

// P17: distinct readable slugs in every script.
func TestP17Slug(t *testing.T) {
	for in, want := range map[string]string{
		"Test Integrity": "test-integrity", "feedback_no_push": "feedback-no-push", "  A -- b  ": "a-b", "don't": "dont", "C++ & Go!": "c-go",
		"Правила причала": "правила-причала", "Κανόνες Λιμανιού": "κανόνες-λιμανιού", "جدول المنارة": "جدول-المنارة", "ตารางเรือ": "ตารางเรือ",
		"灯台の時刻": "灯台の時刻", "ガードレール": "ガードレール", "항구 규칙": "항구-규칙", "Lịch thuyền": "lịch-thuyền", "नियम": "नियम", "می\u200cخواهم": "میخواهم",
		"🚀 Launch 🎉": "launch", "🎉": "u1f389", "🎉🚀": "u1f389-u1f680", "❤️": "u2764", "cafe\u0301": "café", "STRASSE Ä": "strasse-ä", "2026-01-02": "2026-01-02", "R$ 1.234,56": "r-1-234-56",
		"...": "", "": "", "a\xffb": "a-b", "\u0301x": "x",
		strings.Repeat("ab-", 40):     strings.TrimSuffix(strings.Repeat("ab-", 27)[:80], "-"),
		strings.Repeat("日", 40):       strings.Repeat("日", 26),
		strings.Repeat("x", 79) + "é": strings.Repeat("x", 79),
	} {
		if got := Slug(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

func TestPropertySlug(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.String().Draw(t, "text")
		s := Slug(in)
		if Slug(s) != s {
			t.Fatalf("%q gives %q gives %q", in, s, Slug(s))
		}
		if len(s) > 80 || !utf8.ValidString(s) || !norm.NFC.IsNormalString(s) || strings.HasPrefix(s, "-") || strings.HasSuffix(s, "-") || strings.Contains(s, "--") {
			t.Fatalf("%q gives %q", in, s)
		}
		for _, typ := range append([]memsync.Type{memsync.Untyped}, memsync.Types...) {
			name := FileName(typ, s)
			if err := CheckPath(memsync.Path("memory").Join(name)); err != nil && !device(name) && !reservedSlug(name) {
				t.Fatalf("%q gives a path that is refused: %v", in, err)
			}
			if gt, gs := SplitName(name); s != "" && typ != memsync.Untyped && (gt != typ || gs != s) {
				t.Fatalf("%s %q is read back from %s as %s %q", typ, s, name, gt, gs)
			}
		}
	})
}

func reservedSlug(name string) bool {
	return strings.EqualFold(name, "memory.md") || strings.EqualFold(name, "review.md") || ignoredName(name)
}

func TestNamesAndPlaces(t *testing.T) {
	for base, want := range map[string]string{"feedback_no_push.md": "feedback no-push", "feedback-x.md": "feedback x", "user.md": " user", "user_.md": " user", "users_x.md": " users-x",
		"Feedback_x.md": " feedback-x", "reference_a-b-c.md": "reference a-b-c", "x.txt": " x-txt", "project_🎉.md": "project u1f389"} {
		typ, slug := SplitName(base)
		if got := string(typ) + " " + slug; got != want {
			t.Errorf("%s is %q, want %q", base, got, want)
		}
	}
	if FileName(memsync.User, "x") != "user_x.md" || FileName(memsync.Untyped, "x") != "x.md" || FileName(memsync.User, "") != "user_untitled.md" {
		t.Error("file names")
	}
}

func TestQ31Collisions(t *testing.T) {
	same := [][2]memsync.Path{{"m/note.md", "m/Note.md"}, {"M/a.md", "m/A.md"}, {"m/caf\u00e9.md", "m/cafe\u0301.md"}, {"m/STRASSE.md", "m/straße.md"}}
	for _, p := range same {
		if CollisionKey(p[0]) != CollisionKey(p[1]) {
			t.Errorf("%q and %q are told apart", p[0], p[1])
		}
	}
	for _, p := range [][2]memsync.Path{{"m/a.md", "m/b.md"}, {"m/cafe.md", "m/café.md"}, {"m/a-b.md", "m/a_b.md"}} {
		if CollisionKey(p[0]) == CollisionKey(p[1]) {
			t.Errorf("%q and %q are taken for one", p[0], p[1])
		}
	}
}
