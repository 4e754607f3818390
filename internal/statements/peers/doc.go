// Package peers is what servers of one store tell each other of the statements that they have run,
// by which each of them shows saltsql.statements.
//
//	statements.Collector ── Teller, once in a while ──> parts, those in which something ran
//	                        Unpack <────────────────── parts of other servers
//
// internal/session runs a Teller for each DB on a store that servers share, and keeps the parts in
// the catalog. One that runs nothing writes nothing. It must never tell a constant of a statement:
// what it is given has none.
package peers
