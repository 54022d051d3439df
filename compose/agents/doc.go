// Package agents composes the agents of one store: what each of its AGENT.md
// files, the memories, the approved snapshots and the ledger add up to. Package
// compose answers for one agent and one memory; here the answers meet.
//
// Five questions, each a pure function of what a store holds and a moment:
//
//   - What does an agent's prompt say? [Store.Compose]
//   - What is to be recorded now? [Store.Effects]: promotions whose bar is met,
//     proposals that a person must see, removals that the evidence demands.
//   - What waits for a person, and what would it change? [Store.Waiting], which
//     [Review] writes as REVIEW.md and [Ticks] reads back.
//   - What is learned and what is not yet? [Store.Candidates].
//   - What claims more than the ledger bears out? [Store.Disbelief]; and [Drift]
//     says where a REVIEW.md is not what waits.
//
// Laws: Effects applied leave no Effects; nothing is promoted that
// [compose.Judge] would not believe; the same store gives the same answers in any
// order of its parts. Nothing here reads a file, knows the time or draws an id.
package agents
