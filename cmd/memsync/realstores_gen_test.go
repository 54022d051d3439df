package main

import (
	"fmt"
	"strings"
)

// sample is a store as a coding agent or a person leaves it, below its memory
// directory. All content is invented; the shapes, dialects and oddities are
// those counted over public stores.
type sample struct {
	name  string
	files map[string]string
	links map[string]string // symbolic links: name, target
	held  int               // memories that can't be accepted as they are
}

func (s *sample) put(path, content string) { s.files[path] = content }

// words of a few languages, put together into sentences that differ.
var phrases = map[string][4][]string{
	"en": {{"The build", "The deploy job", "The nightly export", "The review bot", "The cache", "The login form", "The test runner"},
		{"fails", "waits", "starts over", "asks twice", "prints nothing", "is slow"},
		{"when the lock file is stale", "after midnight", "behind a proxy", "if two tabs are open", "on a fresh clone"},
		{"Restart it by hand.", "Ask before changing it.", "Keep the old flag.", "It is fixed upstream."}},
	"ko": {{"빌드는", "배포 작업은", "야간 내보내기는", "검토 봇은", "캐시는"}, {"실패한다", "기다린다", "다시 시작한다", "두 번 묻는다"},
		{"자정이 지나면", "프록시 뒤에서", "탭이 두 개 열리면", "새로 복제하면"}, {"손으로 다시 시작할 것.", "바꾸기 전에 물어볼 것.", "옛 옵션을 남길 것."}},
	"zh": {{"构建", "部署任务", "夜间导出", "评审机器人", "缓存"}, {"失败", "等待", "重新开始", "询问两次"},
		{"在午夜之后", "在代理后面", "打开两个标签页时", "在新的克隆上"}, {"手动重启。", "修改前先询问。", "保留旧的开关。"}},
	"ja": {{"ビルドは", "デプロイは", "夜間の書き出しは", "レビューボットは"}, {"失敗する", "待つ", "やり直す", "二度たずねる"},
		{"真夜中を過ぎると", "プロキシの後ろで", "タブが二つ開くと"}, {"手で再起動する。", "変える前にたずねる。", "古い設定を残す。"}},
	"pt": {{"A compilação", "O deploy", "A exportação noturna", "O robô de revisão", "O cache"}, {"falha", "espera", "recomeça", "pergunta duas vezes"},
		{"depois da meia-noite", "atrás do proxy", "com duas abas abertas", "num clone novo"}, {"Reinicie à mão.", "Pergunte antes de mudar.", "Mantenha a opção antiga, R$ 1.234,56 por mês."}},
	"de": {{"Der Build", "Die Auslieferung", "Der nächtliche Export", "Der Zwischenspeicher"}, {"scheitert", "wartet", "beginnt von vorn", "fragt zweimal"},
		{"nach Mitternacht", "hinter dem Proxy", "bei zwei offenen Reitern", "auf einem frischen Klon"}, {"Von Hand neu starten.", "Vorher fragen.", "Den alten Schalter behalten."}},
	"ru": {{"Сборка", "Выкат", "Ночная выгрузка", "Бот проверки", "Кэш"}, {"падает", "ждёт", "начинается заново", "спрашивает дважды"},
		{"после полуночи", "за прокси", "при двух вкладках", "на свежем клоне"}, {"Перезапустить руками.", "Спросить до изменения.", "Оставить старый ключ."}},
}

// sentence is the nth sentence of a language.
func sentence(lang string, n int) string {
	p := phrases[lang]
	pick := func(i, k int) string { return p[i][k%len(p[i])] }
	return fmt.Sprintf("%s %s %s (%d). %s", pick(0, n), pick(1, n/3+n), pick(2, n/2+2*n), n*37+11, pick(3, n/5+n))
}

func paragraphs(lang string, from, count int) string {
	var b strings.Builder
	for i := range count {
		b.WriteString(sentence(lang, from+i*3))
		b.WriteString("\n\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// flat, metadata and both are the dialects.
func flat(name, description, typ, body string) string {
	return "---\nname: " + name + "\ndescription: " + description + "\ntype: " + typ + "\n---\n\n" + body
}

func metadata(name, description, typ, session, modified, body string) string {
	s := "---\nname: " + name + "\ndescription: " + description + "\nmetadata: \n  node_type: memory\n  type: " + typ +
		"\n  originSessionId: " + session + "\n"
	if modified != "" {
		s += "  modified: " + modified + "\n"
	}
	return s + "---\n\n" + body
}

func session(n int) string { return fmt.Sprintf("%08x-1111-4222-8333-%012x", n*7919, n*104729) }

// samples are the ten.
func samples() []*sample {
	return []*sample{flatSmall(), kebabMetadata(), twoDialects(), snakeSlugs(), daily(), perAgent(), mixedNoIndex(), mirroredIndex(), vault(), foreign()}
}

var fourTypes = []string{"user", "feedback", "project", "reference"}

func newSample(name string) *sample {
	return &sample{name: name, files: map[string]string{}, links: map[string]string{}}
}

// Six files, an index without a heading, titles in prose, texts of its own.
func flatSmall() *sample {
	s := newSample("flat-small")
	index := ""
	for i, title := range []string{"No direct push", "Review style", "Release train", "Where the docs are", "Coffee", "Naming"} {
		typ := fourTypes[i%4]
		file := typ + "_" + strings.ReplaceAll(strings.ToLower(title), " ", "_") + ".md"
		description := sentence("en", i)
		if i == 1 {
			description = `"Says \"no\" plainly — and why"`
		}
		s.put(file, flat(title, description, typ, paragraphs("en", i, 3)+"\n**Why:** it was asked for.\n**How to apply:** each time.\n"))
		if i < 5 {
			index += "- [" + title + "](" + file + ") — in my own words, " + title + "\n"
		}
	}
	s.put("MEMORY.md", index)
	return s
}

// Forty files without prefixes, stale times, many links, an index in sections
// with entries of several lines.
func kebabMetadata() *sample {
	s := newSample("kebab-metadata")
	name := func(i int) string { return fmt.Sprintf("topic-%02d-notes", i) }
	for i := range 40 {
		body := paragraphs("en", i*5, 4)
		for k := range 3 {
			target := name((i*7 + k*11) % 40)
			if i < 3 && k == 0 {
				target = "was-removed-" + fmt.Sprint(i)
			}
			body += "See [[" + target + "]].\n"
		}
		modified := ""
		if i%2 == 0 {
			modified = fmt.Sprintf("2025-%02d-11T08:09:10.%03dZ", i%12+1, i*13)
		}
		s.put(name(i)+".md", metadata(name(i), sentence("en", i+100), fourTypes[i%4], session(i), modified, body))
	}
	index := "> Read this first.\n> It is kept by hand.\n\n# Memory\n"
	for h := range 8 {
		index += fmt.Sprintf("\n## Theme %d\n\n", h)
		if h < 6 {
			index += fmt.Sprintf("- ★ **[Topic %d](%s.md)** — the first line\n  goes on here\n  and here, see also [other](%s.md)\n", h, name(h), name(h+20))
		}
		index += "- a bullet without a link\n"
	}
	s.put("MEMORY.md", index)
	return s
}

// Korean, half of it in the older dialect, DOS line ends, two headers that YAML
// alone would refuse, an index over both budgets.
func twoDialects() *sample {
	s := newSample("two-dialects-ko")
	index := "# 기억\n"
	for i := range 60 {
		file := fmt.Sprintf("%s_기록_%02d.md", fourTypes[i%4], i)
		var content string
		if i < 30 {
			content = flat(fmt.Sprintf("기록 %d", i), sentence("ko", i), fourTypes[i%4], paragraphs("ko", i*3, 5))
		} else {
			content = metadata(fmt.Sprintf("기록-%d", i), sentence("ko", i), fourTypes[i%4], session(i), "", paragraphs("ko", i*3, 5))
		}
		switch i {
		case 3, 31:
			content = strings.ReplaceAll(content, "\n", "\r\n")
		case 7:
			content = strings.Replace(content, "name: 기록 7", `name: "기록" 뒤에 글`, 1)
		case 8:
			content = strings.Replace(content, "description: ", "description: 제목: ", 1)
		}
		s.put(file, content)
		if i%3 == 0 {
			index += fmt.Sprintf("\n## 장 %d\n\n", i/3)
		}
		for k := range 3 {
			index += fmt.Sprintf("- [기록 %d](%s) — %s %s\n", i, file, sentence("ko", i*10+k), sentence("ko", i*10+k+5))
		}
	}
	s.put("MEMORY.md", index)
	return s
}

// Chinese, names that differ from their files, byte order marks, tables and a
// rule list in the index, an archive without headers.
func snakeSlugs() *sample {
	s := newSample("snake-name-slugs-zh")
	index := "# 索引\n\n| 文件 | 说明 |\n|---|---|\n"
	for i := range 45 {
		file := fmt.Sprintf("project_part_%c_%02d.md", 'a'+i%6, i)
		slug := fmt.Sprintf("part-%c-%02d", 'a'+i%6, i)
		body := "## 背景\n\n" + paragraphs("zh", i*4, 6) + fmt.Sprintf("\n参见 [[part-%c-%02d]]。\n\n---\n\n完。\n", 'a'+(i+1)%6, (i+1)%45)
		content := metadata(slug, sentence("zh", i), "project", session(i), "", body)
		if i%15 == 2 {
			content = "\ufeff" + content
		}
		s.put(file, content)
		index += fmt.Sprintf("| [%s](%s) | %s |\n", slug, file, strings.Repeat(sentence("zh", i), 1+i%9))
	}
	index += "\n1. 规则一\n2. 规则二\n\n- [part](project_part_a_00.md) — 一\n- [part](project_part_a_00.md) — 二\n- [part](project_part_a_00.md) — 三\n"
	s.put("MEMORY.md", index)
	for i := range 3 {
		s.put(fmt.Sprintf("archive/old_%d.md", i), "# 旧\n\n"+paragraphs("zh", 400+i, 2))
	}
	return s
}

// Japanese logs by day, a MEMORY.md that is the memory, files of other programs
// beside, one conflict half resolved.
func daily() *sample {
	s := newSample("openclaw-daily")
	s.put("MEMORY.md", "# わたしについて\n\n"+paragraphs("ja", 1, 20)+"\n## 好み\n\n"+paragraphs("ja", 50, 10))
	s.put("MEMORY_OPTIMIZED.md", "# 短く\n\n"+paragraphs("ja", 1, 4))
	for i := range 40 {
		day := fmt.Sprintf("2026-%02d-%02d", i/20+2, i%20+1)
		name := day
		switch i % 4 {
		case 1:
			name += "-0431"
		case 2:
			name += "-summary"
		}
		s.put("memory/"+name+".md", "# "+day+"\n\n- [ ] "+sentence("ja", i)+"\n- [x] "+sentence("ja", i+7)+"\n")
	}
	for i := range 20 {
		s.put(fmt.Sprintf("learnings/2026-03-%02d-日本語.md", i+1), "## 学んだこと\n\n"+paragraphs("ja", i*9, 2))
	}
	for i := range 6 {
		s.put(fmt.Sprintf("tools/tool_%d.md", i), "# tool "+fmt.Sprint(i)+"\n\n```sh\nrun --n "+fmt.Sprint(i)+"\n```\n")
	}
	s.put("tools/half.md", "# half\n\n<<<<<<< HEAD\nour words\n=======\ntheir words\n")
	s.held++
	s.put("heartbeat-state.json", "{\"beats\": 9947}\n")
	s.put("logs/old.gz", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x03\x00\x00\x00\x00\x00\x00\x00\x00\x00")
	s.put("tools/cache.pyc", "\x00\x01\x02\xff")
	for _, n := range []string{"SOUL.md", "USER.md", "AGENTS.md"} {
		s.put(n, "# "+n+"\n\nNot a memory.\n")
	}
	return s
}

// One directory an agent, each with an index of its own.
func perAgent() *sample {
	s := newSample("per-agent")
	for a := range 8 {
		dir := fmt.Sprintf("agent-%d/", a)
		index := ""
		for i := range a%6 + 1 {
			file := fmt.Sprintf("phase%d_findings.md", i)
			description := sentence("en", a*10+i)
			if a == 4 && i == 4 {
				description = "What: when"
			}
			s.put(dir+file, flat(fmt.Sprintf("Findings %d of %d", i, a), description, "project", paragraphs("en", a*50+i, 2)))
			index += "- [Findings](" + file + ") - what was found\n"
		}
		if a == 6 {
			for i := range 70 {
				index += fmt.Sprintf("- note %d, which is only here\n", i)
			}
		}
		index += "- [gone](ephemeral/run.md)\n"
		s.put(dir+"MEMORY.md", index)
	}
	return s
}

// Portuguese, no index, half of it without headers, two very large files.
func mixedNoIndex() *sample {
	s := newSample("mixed-no-index-pt")
	for i := range 78 {
		var name string
		switch i % 4 {
		case 0:
			name = fmt.Sprintf("sessao_%d_summary.md", 200+i)
		case 1:
			name = fmt.Sprintf("licao-%02d-deploy.md", i)
		case 2:
			name = fmt.Sprintf("study/lessons/aula_%02d.md", i)
		default:
			name = fmt.Sprintf("feedback_nao_%02d.md", i)
		}
		body := "## Sessão\n\n- [ ] C:\\Users\\ana\\projeto\\" + fmt.Sprint(i) + "\n- [x] feito\n\n" + paragraphs("pt", i*3, 3)
		switch {
		case i%2 == 0:
			s.put(name, body)
		case i%8 == 1:
			s.put(name, "---\nname: Aula "+fmt.Sprint(i)+"\ndescription: "+sentence("pt", i)+"\ntype: study\n---\n"+body)
		default:
			s.put(name, "---\ntitle: Nota "+fmt.Sprint(i)+"\nphase: 2\ndate: 2026-05-30\n---\n\n"+strings.TrimSuffix(body, "\n"))
		}
	}
	s.put("grande_60.md", strings.Repeat(sentence("pt", 3)+"\n", 700))
	s.put("grande_230.md", flat("Grande", sentence("pt", 4), "reference", strings.Repeat(sentence("pt", 5)+"\n", 2200)))
	return s
}

// An index mirrored from elsewhere: nearly all of its links dangle.
func mirroredIndex() *sample {
	s := newSample("mirrored-index")
	index := "# Everything\n\n"
	for i := range 180 {
		switch i % 3 {
		case 0:
			index += fmt.Sprintf("- [Plan %d](../plans/plan_%d.md) — somewhere else\n", i, i)
		case 1:
			index += fmt.Sprintf("- [Abs %d](/home/somebody/notes/%d.md) — on another machine\n", i, i)
		default:
			index += fmt.Sprintf("- [With spaces %d](my notes %d.md) — not a link to some\n", i, i)
		}
	}
	for i := range 12 {
		file := fmt.Sprintf("reference_real_%02d.md", i)
		s.put(file, flat(fmt.Sprintf("Real %d", i), sentence("en", i+300), "reference", paragraphs("en", 300+i*4, 2)))
		if i < 3 {
			index += fmt.Sprintf("- [Real %d](%s) — is here\n", i, file)
		}
	}
	for i := range 30 {
		index += fmt.Sprintf("- and a line of text, number %d\n", i)
	}
	s.put("MEMORY.md", strings.TrimSuffix(index, "\n"))
	return s
}

// A vault of notes, German, names as people write them.
func vault() *sample {
	s := newSample("vault")
	s.put(".obsidian/app.json", "{}\n")
	for i := range 300 {
		body := paragraphs("de", i*2, 2) + fmt.Sprintf("Siehe [[Notiz Nr. %d, zweite]], [[Ordner/Notiz Nr. %d, zweite|die andere]] und [[nichts davon]].\n", (i*7)%300, (i*3)%300)
		dir := ""
		if i%3 == 1 {
			dir = "Ordner/"
		}
		if i%6 == 0 {
			s.put(fmt.Sprintf("%sNotiz Nr. %d, zweite.md", dir, i), "---\ntags:\n- eins\n-   zwei\naliases: [\"N"+fmt.Sprint(i)+"\", andere]\ncreated: 2025-01-02\ncssclass: breit\n---\n"+body)
		} else {
			s.put(fmt.Sprintf("%sNotiz Nr. %d, zweite.md", dir, i), "# Notiz "+fmt.Sprint(i)+"\n\n"+body)
		}
	}
	s.put("MEMORY.md", "# Inhalt\n\n- [[Notiz Nr. 0, zweite]]\n- [Eins](<Ordner/Notiz Nr. 1, zweite.md>)\n\nFreier Text.\n")
	s.put("MEMORY 2.md", "# Inhalt\n\nEine Kopie.\n")
	s.put("MEMORY.md.bak", "# Inhalt\n")
	return s
}

// Trees of other tools, an index that is a link, a password in a line.
func foreign() *sample {
	s := newSample("foreign")
	s.put("system/human.md", "---\ndescription: who the human is\nread_only: true\nlimit: 2000\n---\n\nTheir name is Ada.\n")
	s.put("system/persona.md", "---\ndescription: who I am\n---\nI answer briefly.\n")
	for i := range 26 {
		lang := []string{"en", "ru"}[i%2]
		s.put(fmt.Sprintf("notes/Note %02d.md", i), "---\ntitle: Note "+fmt.Sprint(i)+"\ntype: note\npermalink: notes/note-"+fmt.Sprint(i)+
			"\ntags:\n- one\nметка: да\nkey | with bar: kept\n---\n\n# Note\n\n## Observations\n\n- [fact] "+sentence(lang, i+500)+" #tag (context)\n\n## Relations\n\n- relates_to [[Note "+fmt.Sprint(i+1)+"]]\n")
	}
	s.put("access.md", "---\nname: access\ndescription: how to get in\ntype: reference\n---\n\nThe mirror is at "+tokens["url"]+"\n")
	s.put("key.md", "---\nname: key\ndescription: "+tokens["github"]+"\ntype: reference\n---\n\nRotated.\n")
	s.held += 2
	s.put("INDEX.txt", "- [Human](system/human.md)\n")
	s.links["MEMORY.md"] = "INDEX.txt"
	return s
}
