// Package overlay lays one store over another: each table is in one of them, by its name.
// The session of a client that has temporary tables reads and writes through it.
//
//	tables that the upper store owns   -> upper, which ends with the session
//	all others                         -> lower, whose capabilities the whole has
//
// A batch is committed below first: what is above is gone after a crash, so that nothing is
// left in part. Loads are of tables below alone. It must never hold data of its own.
package overlay
