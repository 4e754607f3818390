// Package indexadvice says which indexes would have spared the statements that a server has seen
// the most rows.
//
//	shapes with their counters          internal/statements keeps them: no constants
//	        |  those that read most
//	advise.Propose, one at a time      an index for each, by planning as if it were there
//	        |
//	      Advise                        one index for several, where it serves all of them
//
// internal/session calls it for saltsql.index_advice, with the statements that the reader may see,
// and tells how to plan one. It runs nothing and keeps nothing; how many plans it makes is bounded.
package indexadvice
