// Package session is one client's life: its settings, transaction, prepared statements,
// portals, cursors and COPY, over a store with its catalog.
//
// The embedding API (package saltsql) and the Postgres protocol (package wire) both call
// it, so that there is one path to test; it calls what parses, plans and runs statements.
//
//	saltsql ----.
//	wire -------+--> DB --> Session --> Stmt --> Portal
//	                            |
//	          dialect -> planner -> exec -> storage
//
// What a session has that can be told without one stands in a room of its own: identity, settings,
// temporary, scroll, feed, sequence, activity, notify, advisory. Here is what holds them together.
//
// A statement has one life, running: what stops it, what it holds, and the panics that become its
// errors (running.go).
//
// It must never know who calls: neither messages of the protocol nor Go programs' types
// decide here what a statement does.
package session
