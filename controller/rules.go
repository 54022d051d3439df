package controller

// A rule looks at the candidate and says whether that settles it. Rules that
// have nothing to do with a candidate return without leaving a reason.
type rule func(*deciding) (settled bool)

// rules, in the order in which they look. Rule 11 (ambiguous) is how rules 8
// to 10 answer what they cannot settle; rule 12 (contradiction) parks
// promotions and never blocks a write, so it is not here.
var rules = []rule{
	(*deciding).shape,      // 1   parseable, closed type, scope, path, limits
	(*deciding).scan,       // 2   secrets, injection, hidden characters
	(*deciding).authored,   //     files that people wrote and we only commit
	(*deciding).peer,       //     what is in the tree already
	(*deciding).record,     //     ledger events, forget among them
	(*deciding).tombstones, // 3   forgotten, deleted, rejected
	(*deciding).stale,      // 4   the bytes it was derived from are no longer current
	(*deciding).protected,  // 5   pinned, guarded
	(*deciding).remove,     // 6   delete
	(*deciding).exact,      // 7   already so
	(*deciding).identity,   // 8   which memory it is
	(*deciding).slot,       // 9   entity and attribute
	(*deciding).near,       // 10  says nearly the same
	(*deciding).add,        // 13
}
