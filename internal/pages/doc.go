// Package pages tells the system how memory is used: it gives back what a
// database's mapped file takes, and asks for large pages where megabytes are
// about to be filled. Everything in it is advice: a system that has no such thing
// changes nothing but the time that it takes.
package pages

// Large is the size of the pages that Heap and Bytes ask for, on the
// machines that have them.
const Large = 2 << 20
