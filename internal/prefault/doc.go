// Package prefault has the system map, in a few calls, the memory that a short
// command is about to touch: the program's code and the beginning of its heap.
// Imported for that alone, by the program, and before what else it imports is
// initialized: it needs nothing but os and syscall, and among the packages that are
// ready Go initializes in the order of their paths.
//
// A page that is touched without it costs a fault. On bare metal that is half a
// microsecond; on a virtual machine whose page tables are shadowed, as many that run
// CI are, 12 to 40, of which `memsync --help` had 470 and a Go program that prints a
// line has 180. Mapped in one call a page costs one, and a large one as much as ten.
package prefault
