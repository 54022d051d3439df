package text

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The two figures of the design: similarity cannot tell a correction from a
// rewording, opposition can.
const (
	weekdayBefore = `The payments service is released every Tuesday after the nightly build has passed. The release
manager checks the dashboard for errors first, then merges the release branch and watches the metrics for about an
hour. If the error rate rises, she rolls the release back and writes down what she saw.`
	reworded = `The payments service is released every Tuesday after the nightly build has passed. First the release
manager looks at the dashboard for errors, then merges the release branch and watches the metrics for about an
hour. If errors rise, she rolls the release back and writes down what she saw.`
)

func TestOpposedTellsACorrectionFromARewording(t *testing.T) {
	corrected := strings.Replace(weekdayBefore, "Tuesday", "Thursday", 1)
	before := Shingles(weekdayBefore)
	if j := Jaccard(before, Shingles(corrected)); j < 0.86 || j > 0.90 {
		t.Errorf("the correction's similarity is %.2f, the design says 0.88", j)
	}
	if j := Jaccard(before, Shingles(reworded)); j < 0.55 || j > 0.61 {
		t.Errorf("the rewording's similarity is %.2f, the design says 0.58", j)
	}
	if opposed, why, known := Opposed(weekdayBefore, corrected); !opposed || !known || why != "weekday: Tuesday / Thursday" {
		t.Errorf("correction: %v %q %v", opposed, why, known)
	}
	if opposed, why, known := Opposed(weekdayBefore, reworded); opposed || !known {
		t.Errorf("rewording: %v %q %v", opposed, why, known)
	}
}

func TestOpposed(t *testing.T) {
	tests := []struct{ a, b, why string }{ // why "" is not opposed
		// English: negation and restriction.
		{"Use the staging database for load tests.", "Do not use the staging database for load tests.", "word: – / not"},
		{"You should commit the lock file with every change.", "You shouldn't commit the lock file with every change.", "word: – / shouldn t"},
		{"You shouldn't commit the lock file.", "You shouldn’t commit the lock file.", ""},
		{"Never push to the main branch on your own.", "Do not push to the main branch on your own.", ""},
		{"Deploy with the script from the tools folder.", "Deploy without the script from the tools folder.", "word: with / without"},
		{"The cache is used in production.", "The cache is only used in production.", "word: – / only"},
		{"Only the owner can change it.", "Just the owner can change it.", ""},
		{"Run the linter before you commit it.", "Run the linter after you commit it.", "word: before / after"},
		{"It must be signed by the owner.", "It may be signed by the owner.", "word: must / may"},
		{"Keep at least three copies of it.", "Keep at most three copies of it.", "word: at least / at most"},
		{"The flag is enabled in the test suite.", "The flag is disabled in the test suite.", "word: enabled / disabled"},
		{"It is not only fast but also small.", "It is fast and also small.", ""},
		{"Use tabs, do not use spaces for that.", "Do not use tabs, use spaces for that.", "moved: tabs / not"},
		// Numbers, dates, units, signs.
		{"The timeout is 30 seconds for all calls.", "The timeout is 60 seconds for all calls.", "number: 30 / 60"},
		{"The timeout is 30 seconds for all calls.", "The timeout is 30 minutes for all calls.", "word: seconds / minutes"},
		{"There are three replicas in the cluster.", "There are 3 replicas in the cluster.", ""},
		{"There are three replicas in the cluster.", "There are four replicas in the cluster.", "number: three / four"},
		{"The freeze begins on 2025-11-03 for all of us.", "The freeze begins on 2025-11-10 for all of us.", "number: 03 / 10"},
		{"The freeze begins in March for all teams.", "The freeze begins in April for all teams.", "number: March / April"},
		{"Use version v1.2 of the client in the app.", "Use version v1.3 of the client in the app.", "number: 2 / 3"},
		{"It is fine when latency < 200 ms in the test.", "It is fine when latency > 200 ms in the test.", "sign: < / >"},
		{"- ✅ the migration is done", "- ❌ the migration is done", "sign: ✅ / ❌"},
		{"1. open the file\n2. read it to the end", "2. open the file\n3. read it to the end", ""},
		{"It is set to -1 for all of them", "It is set to 1 for all of them", "sign: - / –"},
		// Proper names.
		{"Ask Anna about the budget of the team.", "Ask Berta about the budget of the team.", "name: Anna / Berta"},
		{"Anna owns the budget of the team.", "Berta owns the budget of the team.", "name: Anna / Berta"},
		{"We deploy to AWS from the main branch.", "We deploy to GCP from the main branch.", "name: AWS / GCP"},
		{"Install it with `npm` in the root folder.", "Install it with `pnpm` in the root folder.", "name: npm / pnpm"},
		{"The settings are in config/app.toml at the root.", "The settings are in config/web.toml at the root.", "name: app / web"},
		{"The build is slow on my machine.", "The build is SLOW, on my machine!", ""},
		{"The service is quick and small.", "The service is fast and small.", ""},
		// Other languages.
		{"Wir deployen immer am Dienstag und nicht später.", "Wir deployen immer am Donnerstag und nicht später.", "weekday: Dienstag / Donnerstag"},
		{"Die Tests laufen mit der echten Datenbank.", "Die Tests laufen ohne die echte Datenbank.", "word: mit / ohne"},
		{"Das ist in der Datei für alle wichtig.", "Das ist in der Datei für alle bedeutsam.", ""},
		{"Frag Anna nach dem Budget für das Team.", "Frag Berta nach dem Budget für das Team.", "name: Anna / Berta"},
		{"Il faut utiliser la base de test pour les essais.", "Il ne faut pas utiliser la base de test pour les essais.", "word: – / ne"},
		{"La réunion est le mardi dans la salle verte.", "La réunion est le jeudi dans la salle verte.", "weekday: mardi / jeudi"},
		{"Le service est rapide et les tests sont verts.", "Le service est véloce et les tests sont verts.", ""},
		{"Se puede usar la base de datos de pruebas.", "No se puede usar la base de datos de pruebas.", "word: – / No"},
		{"La reunión es el martes en la sala.", "La reunión es el jueves en la sala.", "weekday: martes / jueves"},
		{"Si usa sempre il database di prova con gli utenti.", "Non si usa sempre il database di prova con gli utenti.", "word: – / Non"},
		{"La riunione è martedì nella sala e non si sposta.", "La riunione è giovedì nella sala e non si sposta.", "weekday: martedì / giovedì"},
		{"A equipe usa o banco de teste com os dados.", "A equipe não usa o banco de teste com os dados.", "word: – / não"},
		{"A reunião é na terça-feira com a equipe.", "A reunião é na quinta-feira com a equipe.", "weekday: terça feira / quinta feira"},
		{"Wij gebruiken de testdatabase voor het laden.", "Wij gebruiken de testdatabase niet voor het laden.", "word: – / niet"},
		{"De vergadering is op dinsdag in het kantoor.", "De vergadering is op donderdag in het kantoor.", "weekday: dinsdag / donderdag"},
		{"Мы используем тестовую базу для нагрузки.", "Мы не используем тестовую базу для нагрузки.", "word: – / не"},
		{"Встреча по вторникам в большом зале.", "Встреча по четвергам в большом зале.", "weekday: вторникам / четвергам"},
		{"Ми використовуємо тестову базу для навантаження.", "Ми не використовуємо тестову базу для навантаження.", "word: – / не"},
		{"Зустріч у п'ятницю в великій залі.", "Зустріч у вівторок в великій залі.", "weekday: п ятницю / вівторок"},
		{"Зустріч у п'ятницю в великій залі.", "Зустріч у пʼятницю в великій залі.", ""},
		{"部署时使用测试数据库。", "部署时不使用测试数据库。", "word: – / 不"},
		{"每周二发布新版本。", "每周四发布新版本。", "weekday: 周二 / 周四"},
		{"预算由张伟负责审核。", "预算由李娜负责审核。", "name: 张伟 / 李娜"},
		{"用 React 写前端页面的代码。", "用 Vue 写前端页面的代码。", "name: React / Vue"},
		{"这个服务速度很快。", "这个服务响应很快。", ""},
		{"本番環境ではキャッシュを使う。", "本番環境ではキャッシュを使わない。", "word: – / ない"},
		{"毎週火曜日にリリースする。", "毎週木曜日にリリースする。", "weekday: 火曜日 / 木曜日"},
		{"予算は田中さんに聞く。", "予算は鈴木さんに聞く。", "name: 田中 / 鈴木"},
		{"バックアップはサーバーに置く。", "バックアップはノートに置く。", "name: サーバー / ノート"},
		{"배포할 때 테스트 데이터베이스를 사용한다.", "배포할 때 테스트 데이터베이스를 사용하지 않는다.", "word: – / 않는다"},
		{"매주 화요일에 새 버전을 배포한다.", "매주 목요일에 새 버전을 배포한다.", "weekday: 화요일에 / 목요일에"},
		{"예산은 김민수에게 물어본다.", "예산은 박지영에게 물어본다.", "name: 김민수에게 / 박지영에게"},
	}
	for _, tt := range tests {
		opposed, why, known := Opposed(tt.a, tt.b)
		if opposed != (tt.why != "") || why != tt.why || !known {
			t.Errorf("%s\n%s\n  got %v %q, known %v (%v); want %q", tt.a, tt.b, opposed, why, known, guess(cut(tt.a+" "+tt.b)), tt.why)
		}
		if back, _, _ := Opposed(tt.b, tt.a); back != opposed {
			t.Errorf("%s\n%s\n  is not symmetric", tt.a, tt.b)
		}
	}
}

// Any language without a list is said to be unknown; numbers still count.
func TestOpposedUnknownLanguages(t *testing.T) {
	for _, s := range []string{
		"Vi använder inte testdatabasen för att det är för långsamt och dyrt.",
		"Nie używamy bazy testowej, bo jest zbyt wolna i droga dla nas.",
		"Bu veritabanı test için kullanılmaz ve çok yavaş olarak biliniyor.",
		"Chúng tôi không sử dụng cơ sở dữ liệu này cho các bài kiểm tra của nhóm.",
		"เราไม่ใช้ฐานข้อมูลทดสอบเพราะช้าเกินไป",
		"نحن لا نستخدم قاعدة بيانات الاختبار لأنها بطيئة جدا",
		"Δεν χρησιμοποιούμε τη βάση δοκιμών γιατί είναι αργή",
		"Ние не използваме тестовата база, защото това е бавно и ще се промени.",
		"हम परीक्षण डेटाबेस का उपयोग नहीं करते",
		"qwrt zxcv plmk",
		"",
		"🚀🚀🚀",
	} {
		if opposed, why, known := Opposed(s, s+" x"); known || opposed {
			t.Errorf("%s: opposed %v %q, known %v (%v)", s, opposed, why, known, guess(cut(s)))
		}
	}
	if opposed, why, _ := Opposed("Vi har 3 servrar och det är för att", "Vi har 5 servrar och det är för att"); !opposed {
		t.Errorf("a number in another language: %q", why)
	}
}

func TestOpposedIsSymmetricAndReflexive(t *testing.T) {
	word := rapid.SampledFrom(strings.Fields("the not Anna Berta only 3 4 Tuesday friday use never `npm` is a cat dog 不 没 使用 ない of < > don't без и не"))
	rapid.Check(t, func(t *rapid.T) {
		a := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "a"), " ")
		b := strings.Join(rapid.SliceOfN(word, 0, 30).Draw(t, "b"), " ")
		if opposed, why, _ := Opposed(a, a); opposed {
			t.Fatalf("%q is opposed to itself: %s", a, why)
		}
		_, _, k1 := Opposed(a, b)
		_, _, k2 := Opposed(b, a)
		if k1 != k2 {
			t.Fatalf("known differs: %q %q", a, b)
		}
	})
}

func TestDiffCoversTheDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seq := rapid.SliceOfN(rapid.Int32Range(0, 4), 0, 40)
		a, b := seq.Draw(t, "a"), seq.Draw(t, "b")
		i, j := 0, 0
		for _, h := range diff(a, b) {
			if h.a0-i != h.b0-j || h.a0 < i || h.a1 < h.a0 || h.b1 < h.b0 || h.a0 == h.a1 && h.b0 == h.b1 {
				t.Fatalf("%v %v: %v", a, b, diff(a, b))
			}
			for ; i < h.a0; i, j = i+1, j+1 {
				if a[i] != b[j] {
					t.Fatalf("%v %v: unequal outside of %v", a, b, h)
				}
			}
			i, j = h.a1, h.b1
		}
		if len(a)-i != len(b)-j {
			t.Fatalf("%v %v: %v", a, b, diff(a, b))
		}
		for ; i < len(a); i, j = i+1, j+1 {
			if a[i] != b[j] {
				t.Fatalf("%v %v: unequal at the end", a, b)
			}
		}
	})
}

func BenchmarkOpposed(b *testing.B) {
	corrected := strings.Replace(weekdayBefore, "hour", "day", 1)
	for b.Loop() {
		Opposed(weekdayBefore, corrected)
	}
}
