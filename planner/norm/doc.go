// Package norm says a bound statement in the simplest way that means the same, without
// looking at costs. planner.Plan calls it after bind; it calls package logical alone.
//
//	Select  (EXISTS (query))            Join semi
//	  └── Join left  (a.id = b.id)  -->   ├── Select  (b.x > 1)
//	                                      │     └── Join inner …
//	                                      └── query
//
// First, always, the queries inside expressions become joins (hoist). Then the rules, each
// in a file of its own with what it does and what it must not do at its top, run in turn
// over the whole tree until none of them changes it. Trees of one relation that have
// neither queries in expressions nor windows are returned as they are.
//
// It must never change which rows come, how often a volatile function is called, or which
// of two errors a statement ends with where it ended with none.
package norm
