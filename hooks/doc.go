// Package hooks puts memsync's scripts where git looks for hooks, beside what is
// there already, and takes them away again.
//
// Laws:
//
//   - What a person had comes back byte for byte, with its mode, and a link as a
//     link. At every moment the hook of a name is either theirs or ours: a crash
//     leaves one of the two, and running the command again finishes.
//   - Installing twice is installing once. A script of ours never chains itself.
//   - A script of ours that somebody changed is neither overwritten nor removed
//     without being told to, and is kept aside then.
//   - A script says it aloud when memsync is not there to run, and never lets a
//     hook that was there before go unheard.
//
// The package writes files of the hooks directory and of .husky, and nothing
// else: no configuration of git, no file of the store. What the hooks do is the
// command's (`memsync hooks run`).
package hooks
