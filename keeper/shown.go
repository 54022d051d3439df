package keeper

import (
	"slices"

	"memsync"
	"memsync/controller"
	"memsync/internal/scan"
)

// A name is content too: a secret can stand in the name of a file, of a folder,
// or of what a link leads to. Whatever leaves the keeper with such a path, to be
// shown or kept, goes through here.

// ShownPath is a path of the store as it may be shown.
func (k *Keeper) ShownPath(p memsync.Path) (memsync.Path, error) {
	state, err := k.State()
	if err != nil {
		return "", err
	}
	return controller.ShownPath(p, state), nil
}

// Mask makes paths of the store ones that may be shown.
func (k *Keeper) Mask(paths ...*memsync.Path) error {
	for _, p := range paths {
		shown, err := k.ShownPath(*p)
		if err != nil {
			return err
		}
		*p = shown
	}
	return nil
}

// ShownText is a text of the file at p as it may be shown: without the secrets
// in it that nobody allowed there.
func (k *Keeper) ShownText(p memsync.Path, text string) (string, error) {
	state, err := k.State()
	if err != nil {
		return "", err
	}
	return scan.MaskText(string(p), text, func(fingerprint string) bool { return state.Allowed(p, fingerprint) }), nil
}

// shownSkips are findings about what was passed over, whose messages name what
// is there.
func (k *Keeper) shownSkips(found []memsync.Finding) ([]memsync.Finding, error) {
	var out []memsync.Finding
	for _, f := range found {
		var err error
		if f.Message, err = k.ShownText(f.Path, f.Message); err != nil {
			return nil, err
		}
		if f.Path, err = k.ShownPath(f.Path); err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// shown are the batch's decisions as their caller may see them: of a file that
// is held for its name, which settling has not replaced yet, only what its error
// shows.
func (b *batch) shown() []memsync.Decision {
	if !slices.ContainsFunc(b.decisions, nameless) {
		return b.decisions
	}
	out := slices.Clone(b.decisions)
	for i := range out {
		if d := &out[i]; nameless(*d) {
			d.Path = d.Error.Path
		}
	}
	return out
}
