// Package plancache keeps what was parsed and planned for the next time that a text comes,
// in whatever session.
//
// The session asks it for each statement; it calls the parser (internal/dialect), and never
// the planner: what it does not have, the session plans and gives it to keep.
//
//	text ──> Shaped ── known shape ──> statement with parameters, values
//	  |
//	  '────> Parse ──> statement ── Key ──> Find ──> plan
//	                                                  |  whose parameters' values matter
//	                                                Choice: for all values, or for these
//
// Key is the list of everything that a plan depends on. What a plan depends on and does
// not stand there would give one session the plan of another. Each of the caches is
// bounded by number and, by estimate, by bytes.
package plancache
