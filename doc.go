// Package memsync is the vocabulary of the program: values, the interfaces
// over them, and the error codes.
//
// A [Candidate] is what somebody wants: a person's save, an agent's tool call,
// a peer's commit. Package controller turns it into a [Decision] with reasons.
// The decisions of one batch become a [Plan], the content of exactly one
// commit. The keeper makes the plan durable and tells everybody with an
// [Event]. Readers hold an immutable [View] at a [Revision].
//
// The package imports the standard library only and never touches the outside
// world: no disk, no clock, no network, no randomness.
package memsync
