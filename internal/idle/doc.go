// Package idle keeps things that are dear to make, and hold memory, for their next use: the
// operators of a plan for its next run in whichever session that is: those that are not small, so
// that no session holds any between its statements, and those of a text that is prepared anew each
// time.
//
//	session   Give(plan, operators, bytes) ── Take(plan) ──>  the next run, of any session
//
// What nobody has taken for a while goes, and the oldest where there is too much. It knows
// neither plans nor operators.
package idle
