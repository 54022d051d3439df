// Package compose turns an agent's authored parts and the memories promoted
// into them into the agent's prompt, so that every learned line stands under the
// author's own heading and can be traced to its memory.
//
// What the author wrote is read by [ParseAgent], strictly. Where a memory wants to
// stand is a [Target], and what that place asks of it a [Tier].
//
// Nothing here reads a file, knows the time, writes an event or decides when to
// ask: callers bring bytes and events, and take values away.
package compose
