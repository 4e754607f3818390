// Package advisory is a table of advisory locks: names that the sessions of one process agree
// on, and that lock nothing by themselves. A session may take a lock more than once, and
// gives it back as often.
//
//	Take   granted in the order in which locks were asked for; who holds one does not queue
//	Give   grants it to the head of the queue
//
// Where the sessions of other processes may take the same locks, Options.Beyond asks for what is
// granted here; the session is shown as one that waits until it is answered.
//
// A wait that would close a circle of waits is 40P01, one that is too long 55P03. Package
// session calls it, with what it books for a lock. It must never know what a key means.
package advisory
