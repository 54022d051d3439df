package scan

import (
	"encoding/base64"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Secrets of the corpus are real in shape and built when the test runs, by
// joining parts, so that no file of this repository looks like it holds one.

const (
	digits  = "0123456789"
	hexa    = digits + "abcdef"
	lower   = "abcdefghijklmnopqrstuvwxyz"
	upper   = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	alnum   = digits + lower + upper
	base64s = alnum + "+/"
	url64   = alnum + "-_"
)

// draw gives n letters of an alphabet, the same for the same seed.
func draw(alphabet string, n int, seed uint64) string {
	x := seed*0x9e3779b97f4a7c15 + 0x1234567
	b := make([]byte, n)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = alphabet[(x>>11)%uint64(len(alphabet))]
	}
	return string(b)
}

type sample struct {
	vendor string
	text   string // what stands in the memory
	value  string // the secret in it, or a part of it
}

func secretSamples() []sample {
	j := func(parts ...string) string { return strings.Join(parts, "") }
	in := func(vendor, before, value, after string) sample {
		return sample{vendor, before + value + after, value}
	}
	jwt := func(seed uint64) string {
		enc := base64.RawURLEncoding.EncodeToString
		return enc([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + enc([]byte(`{"sub":"`+draw(digits, 10, seed)+`","name":"ana"}`)) + "." + draw(url64, 43, seed)
	}
	pem := func(kind string) string {
		var b strings.Builder
		b.WriteString(j("-----", "BEGIN ", kind, "PRIVATE", " KEY-----\n"))
		for i := range 12 {
			b.WriteString(draw(base64s, 64, uint64(70+i)) + "\n")
		}
		b.WriteString(j("-----", "END ", kind, "PRIVATE", " KEY-----"))
		return b.String()
	}
	aws := j("AK", "IA") + draw("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", 16, 1)
	return []sample{
		in("aws", "The key id is ", aws, "."),
		in("aws", "AWS_ACCESS_KEY_ID=", aws, "\n"),
		in("aws", "the documentation's ", j("AK", "IA", "IOSFODNN7", "EXAMPLE"), " is one too"),
		in("aws", j("aws_secret_", "access_key = "), draw(base64s, 40, 2), "\n"),
		in("aws", j("AWS_SECRET_", "ACCESS_KEY="), j("wJalrXUtnFEMI/", "K7MDENG/bPxRfiCY", "EXAMPLEKEY"), ""),
		in("github", "token ", j("gh", "p_", draw(alnum, 36, 3)), "."),
		in("github", "(", j("gh", "p_", draw(alnum, 36, 4)), ")"),
		in("github", "", j("gh", "o_", draw(alnum, 36, 5)), ""),
		in("github", "", j("gh", "s_", draw(alnum, 36, 6)), ", then"),
		in("github", "use ", j("github", "_pat_", draw(alnum, 22, 7), "_", draw(alnum, 59, 7)), " for it"),
		in("gitlab", "", j("gl", "pat-", draw(url64, 20, 8)), ""),
		in("gitlab", "runner ", j("gl", "rt-", draw(alnum, 20, 9)), " registered"),
		in("slack", "bot: ", j("xo", "xb-", draw(digits, 12, 10), "-", draw(digits, 12, 11), "-", draw(alnum, 24, 12)), "."),
		in("slack", "", j("https://hooks.", "slack.com/services/T", draw(upper+digits, 8, 13), "/B", draw(upper+digits, 8, 14), "/", draw(alnum, 24, 15)), ""),
		in("slack", "", j("xa", "pp-1-A", draw(upper+digits, 10, 16), "-", draw(digits, 13, 17), "-", draw(hexa, 64, 18)), ""),
		in("stripe", "", j("sk", "_live_", draw(alnum, 24, 19)), ""),
		in("stripe", "restricted ", j("rk", "_live_", draw(alnum, 24, 20)), "!"),
		in("stripe", "", j("wh", "sec_", draw(alnum, 32, 21)), ""),
		in("google", "maps ", j("AI", "za", draw(url64, 35, 22)), ", billed to us"),
		in("google", "", j("GOC", "SPX-", draw(url64, 28, 23)), ""),
		in("google", "", j("ya", "29.", draw(url64, 60, 24)), ""),
		in("openai", "", j("sk", "-", draw(alnum, 20, 25), "T3Blbk", "FJ", draw(alnum, 20, 26)), ""),
		in("openai", "export OPENAI_API_KEY=", j("sk", "-proj-", draw(url64, 74, 27), "T3Blbk", "FJ", draw(url64, 74, 28)), ""),
		in("anthropic", "", j("sk", "-ant-api03-", draw(url64, 93, 29), "AA"), ""),
		in("deepseek", "", j("sk", "-", draw(hexa, 32, 30)), ""),
		in("groq", "", j("gs", "k_", draw(alnum, 52, 31)), ""),
		in("huggingface", "", j("h", "f_", draw(lower+upper, 34, 32)), ""),
		in("replicate", "", j("r8", "_", draw(alnum, 37, 33)), ""),
		in("npm", "//registry.npmjs.org/:_authToken=", j("np", "m_", draw(alnum, 36, 34)), ""),
		in("pypi", "", j("pypi", "-AgEIcHlwaS5vcmc", draw(url64, 80, 35)), ""),
		in("docker", "", j("dckr", "_pat_", draw(url64, 27, 36)), ""),
		in("digitalocean", "", j("dop", "_v1_", draw(hexa, 64, 37)), ""),
		in("sendgrid", "", j("S", "G.", draw(url64, 22, 38), ".", draw(url64, 43, 39)), ""),
		in("twilio", "", j("S", "K", draw(hexa, 32, 40)), ""),
		in("mailgun", "mailgun key=", j("key-", draw(hexa, 32, 41)), ""),
		in("shopify", "", j("shp", "at_", draw(hexa, 32, 42)), ""),
		in("telegram", "telegram_token = ", j(draw(digits, 9, 43), ":A", draw(alnum, 34, 44)), ""),
		in("discord", "", j("https://discord", ".com/api/webhooks/", draw(digits, 18, 45), "/", draw(url64, 68, 46)), ""),
		in("heroku", "HEROKU_API_KEY=", j(draw(hexa, 8, 47), "-", draw(hexa, 4, 48), "-", draw(hexa, 4, 49), "-", draw(hexa, 4, 50), "-", draw(hexa, 12, 51)), ""),
		in("cloudflare", "cloudflare_api_key = ", draw(hexa, 37, 52), ""),
		in("datadog", "datadog_api_key: ", draw(hexa, 40, 53), ""),
		in("newrelic", "", j("NR", "AK-", draw(upper+digits, 27, 54)), ""),
		in("grafana", "", j("gl", "sa_", draw(alnum, 32, 55), "_", draw(hexa, 8, 56)), ""),
		in("hashicorp", "", j("hv", "s.", draw(url64, 95, 57)), ""),
		in("linear", "", j("lin", "_api_", draw(alnum, 40, 58)), ""),
		in("notion", "", j("nt", "n_", draw(digits, 11, 59), draw(alnum, 35, 60)), ""),
		in("tailscale", "", j("ts", "key-auth-", draw(alnum, 16, 61), "-", draw(alnum, 32, 62)), ""),
		in("supabase", "", j("sb", "p_", draw(hexa, 40, 63)), ""),
		in("azure", "DefaultEndpointsProtocol=https;AccountName=acme;", j("Account", "Key=", draw(base64s, 86, 64), "=="), ""),
		in("age", "", j("AGE-SECRET", "-KEY-1", draw("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58, 65)), ""),
		in("pem", "", pem("RSA "), ""),
		in("pem", "", pem(""), "\n"),
		in("pem", "only the header: ", j("-----", "BEGIN ", "OPENSSH PRIVATE", " KEY-----"), ""),
		in("pem", "", j("-----", "BEGIN ", "PGP PRIVATE", " KEY BLOCK-----"), ""),
		in("jwt", "Cookie: session=", jwt(66), ""),
		in("jwt", "(", jwt(67), ")."),
		in("bearer", "Authorization: Bearer ", draw(alnum, 40, 68), ""),
		in("bearer", "curl -H 'authorization: bearer ", draw(alnum, 32, 69), "' https://api.example.com"),
		in("basic", "Authorization: Basic ", base64.StdEncoding.EncodeToString([]byte("ana:"+draw(alnum, 12, 70))), ""),
		in("claim", "claim_token: ", draw(alnum, 32, 71), ""),
		in("claim", "pair with ", j("claim", "-", draw(url64, 24, 72)), " within four minutes"),
		in("url", "postgres://app:", "hunter22", "@db.example.com/app"),
		in("url", "https://user:", "pass", "@example.com/x"),
		in("url", "redis://:", draw(alnum, 20, 73), "@10.0.0.3:6379/0"),
		in("url", "https://oauth2:", draw(alnum, 20, 74), "@gitlab.example.com/a/b.git"),
		in("password", "export DB_PASSWORD=", "hunter22", ""),
		in("password", "SMTP_PASS=", draw(alnum, 10, 75), "\n"),
		in("password", "The password for staging is ", "tr0ub4dor&3", ", ask Ana."),
		in("password", "password: ", "hunter22", "\n"),
		in("password", `{"user": "app", "password": "`, "correcthorse", `"}`),
		in("password", `$password = '`, "S3cr3t!x", `';`),
		in("password", "Das Passwort ist ", "Sommer2024!", "."),
		in("password", "Mot de passe : ", "Printemps24", "\n"),
		in("password", "Пароль: ", "leto2024x", "\n"),
		in("password", "密码是 ", "abc12345", "。"),
		in("generic", `api_key = "`, draw(alnum, 32, 76), `"`),
		in("generic", "auth_token: ", draw(alnum, 40, 77), "\n"),
		in("generic", "CLIENT_SECRET=", draw(alnum, 32, 78), ""),
		in("generic", `"secretKey": "`, draw(base64s, 40, 79), `",`),
	}
}

// honestParagraphs are the blocks between blank lines of testdata/honest.
func honestParagraphs(t testing.TB) []string {
	files, err := filepath.Glob("testdata/honest/*.md")
	if err != nil || len(files) == 0 {
		t.Fatal("no honest prose", err)
	}
	var out []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for p := range strings.SplitSeq(string(b), "\n\n") {
			if strings.TrimSpace(p) != "" {
				out = append(out, p)
			}
		}
	}
	return out
}

// Q58 and P08: what a scan must find, measured; and P07: what it must leave
// alone, measured.
func TestRecallAndFalsePositives(t *testing.T) {
	samples := secretSamples()
	vendors := make(map[string]bool)
	caught := 0
	for _, s := range samples {
		vendors[s.vendor] = true
		ok := false
		for _, text := range []string{s.text, strings.Repeat(honestBody, 2) + "\n" + s.text + "\n" + honestBody} {
			ok = false
			for _, h := range Text("m.md", text) {
				if h.Kind == Secret && overlaps(text, h, s) {
					ok = true
				}
				if strings.Contains(shown(h), s.value) {
					t.Errorf("%s: the mask shows the value", s.vendor)
				}
			}
			if !ok {
				break
			}
		}
		if ok {
			caught++
		} else {
			t.Logf("missed: %s (%s…)", s.vendor, s.text[:min(len(s.text), 24)])
		}
	}
	recall := float64(caught) / float64(len(samples))

	honest := honestParagraphs(t)
	alarms := 0
	for _, p := range honest {
		if hits := Text("m.md", p); len(hits) > 0 {
			alarms++
			h := hits[0]
			t.Errorf("false alarm %s (%q) in: %s", h.Masked, p[h.Start:h.End], p)
		}
	}
	t.Logf("recall %.3f over %d secrets of %d kinds; false positives %d of %d paragraphs", recall, len(samples), len(vendors), alarms, len(honest))
	if recall < 0.95 || len(samples) < 60 || len(vendors) < 15 {
		t.Errorf("recall %.3f over %d secrets of %d kinds", recall, len(samples), len(vendors))
	}
	if len(honest) < 150 {
		t.Errorf("only %d honest paragraphs", len(honest))
	}
	// All at once, with their neighbours, as a file holds them.
	if hits := Text("m.md", strings.Join(honest, "\n\n")); len(hits) > 0 {
		t.Errorf("false alarms in the whole: %v", hits)
	}
}

// overlaps reports whether a hit covers part of the sample's value in text.
func overlaps(text string, h Hit, s sample) bool {
	i := strings.Index(text, s.text) + strings.Index(s.text, s.value)
	return h.Start < i+len(s.value) && i < h.End
}

// shown is the part of a mask that comes from the value.
func shown(h Hit) string {
	s := strings.TrimPrefix(h.Masked, h.Rule+": ")
	if h.Kind == Hidden {
		return s
	}
	return s[:strings.LastIndex(s, "… (")]
}
