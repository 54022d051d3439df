// Package compose turns an agent's authored parts and the memories promoted
// into them into the agent's prompt, so that every learned line stands under the
// author's own heading and can be traced to its memory.
//
// Four questions, each a pure function:
//
//   - What did the author write? [ParseAgent] reads AGENT.md strictly.
//   - What counts? [Judge] folds a memory's ledger events into what is promoted,
//     at which bar and in which wording. A bar is recomputed, never believed.
//   - What is to be done? [Gate] says whether a memory is promoted now, waits, or
//     is put before a person.
//   - What does the prompt say? [Overlay] places what is promoted into the
//     agent's slots by six rules in order, and [Render] writes the prompt as
//     fragments whose concatenation it is.
//
// Laws of Overlay and Render:
//
//   - Any order of the memories, the same bytes and the same report.
//   - The input is never changed, and nothing of it is kept but the Agent.
//   - What was applied, applied again, and anything given twice change nothing.
//   - Every memory is applied, dropped or ignored: exactly one of the three.
//   - No memories, no change: the prompt is the authored one, byte for byte.
//   - Only a memory's own lines name it, and they name nothing else.
//   - A value of one line stays on its line: it opens no heading, whatever it
//     holds. The two authored prompts (recovery, methodology) are their author's
//     Markdown and stand as they are.
//   - A larger ceiling takes nothing out of the prompt. A larger budget takes
//     nothing of its primitive out; what it lets in counts against the ceiling
//     and may push out what ranks lower elsewhere.
//   - The report holds ids, reasons and counts, never text.
//
// Laws of Judge: a function of the set of events, so any order and any
// repetition give the same State; a demotion ends the promotions that it saw and
// no other; deny beats approve; what is not believed is named with its reason.
// Gate promotes nothing that Judge would not believe.
//
// A well-formed forged approval is not detected: this is honest bookkeeping, not
// proof.
//
// Nothing here reads a file, knows the time or writes an event: callers bring
// snapshots and events, and take values away.
package compose
