package controller

import (
	"strings"
	"unicode"

	"memsync"
)

// agentMarker is an environment variable that agents set for the commands they
// run.
type agentMarker struct {
	variable string
	agent    string // "" when the variable only says that it is some agent
	why      string
}

// agentMarkers, the specific before the general. A variable that a person's
// own shell carries too (an editor's integrated terminal, a person's
// configuration of a tool) proves nothing and is not here: CURSOR_TRACE_ID,
// VSCODE_PID, CODEX_HOME, AIDER_MODEL, REPL_ID.
var agentMarkers = []agentMarker{
	{"CLAUDECODE", "claude-code", "set to 1 in every shell that Claude Code starts"},
	{"CLAUDE_CODE_ENTRYPOINT", "claude-code", "set by Claude Code's command line and SDK for child processes"},
	{"CLAUDE_CODE_CHILD_SESSION", "claude-code", "set by Claude Code in nested sessions"},
	{"CLAUDE_CODE_SESSION_ID", "claude-code", "names the session of the calling tool"},
	{"CURSOR_AGENT", "cursor", "set by Cursor's agent in its terminal, not in a person's"},
	{"CODEX_SANDBOX", "codex", "set inside the sandbox of Codex"},
	{"CODEX_SANDBOX_NETWORK_DISABLED", "codex", "set by Codex where the sandbox has no network"},
	{"CODEX_THREAD_ID", "codex", "names the thread of the calling tool"},
	{"CODEX_CI", "codex", "set by Codex for commands it runs"},
	{"GEMINI_CLI", "gemini-cli", "set to 1 by Gemini CLI's shell tool"},
	{"QWEN_CODE", "qwen-code", "set to 1 by Qwen Code's shell tool"},
	{"OPENCODE", "opencode", "set to 1 by opencode"},
	{"OPENCODE_CLIENT", "opencode", "names the client of an opencode session"},
	{"CLINE_ACTIVE", "cline", "set to true in terminals that Cline opens"},
	{"AUGMENT_AGENT", "augment", "set to 1 by Augment's agent"},
	{"COPILOT_AGENT", "copilot", "set by the GitHub Copilot agent"},
	{"COPILOT_CLI", "copilot", "set by GitHub Copilot CLI"},
	{"ANTIGRAVITY_AGENT", "antigravity", "set by Antigravity's agent"},
	{"TRAE_AI_SHELL_ID", "trae", "names the shell that Trae's agent opened"},
	{"GOOSE_TERMINAL", "goose", "set to 1 in shells that Goose starts"},
	{"AIDER_SESSION", "aider", "a session that Aider's wrappers export; its configuration (AIDER_MODEL, …) is a person's too"},
	{"AI_AGENT", "", "the cross-tool convention; its value is free text"},
	{"AGENT", "", "the agents.md convention (Goose, Amp, Pi)"},
}

// WhoIsPerson says who a command-line call is from. It is a person's only on a
// terminal (stdin and stderr) with no marker of an agent in the environment; a
// marker that names an agent makes it that agent's, anything else is a
// program's. MEMSYNC_AGENT is believed before every marker: it can only take
// privileges away.
func WhoIsPerson(env func(string) string, tty bool) memsync.Actor {
	if name := agentName(env("MEMSYNC_AGENT")); name != "" {
		return memsync.Actor{Class: memsync.ClassAgent, Name: name}
	}
	for _, m := range agentMarkers {
		switch strings.ToLower(strings.TrimSpace(env(m.variable))) {
		case "", "0", "false", "no":
			continue
		}
		if m.agent == "" {
			return memsync.Actor{Class: memsync.ClassAgent, Name: "unknown"}
		}
		return memsync.Actor{Class: memsync.ClassAgent, Name: m.agent}
	}
	if tty {
		return memsync.Actor{Class: memsync.ClassPerson}
	}
	return memsync.Actor{Class: memsync.ClassProgram}
}

// agentName cleans a name from the environment: it stands in commits.
func agentName(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, strings.TrimSpace(s))
	if len(s) > 80 {
		s = strings.ToValidUTF8(s[:80], "")
	}
	return s
}

// CheckAgent refuses a call that claims another agent's name than the one its
// environment or connection is pinned to.
func CheckAgent(pinned memsync.Actor, claimed string) *memsync.Error {
	if claimed == "" || pinned.Class != memsync.ClassAgent || pinned.Name == claimed {
		return nil
	}
	return &memsync.Error{
		Code:    memsync.CodeIdentityMismatch,
		Message: "this process is agent " + strings.ToValidUTF8(pinned.Name, "�") + " and cannot act as another",
		Hint:    "leave the agent out, or run it with the other agent's MEMSYNC_AGENT",
	}
}
