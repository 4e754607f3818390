// Package change is what one DDL statement makes of a snapshot of the catalog, and on whose
// behalf.
//
//	catalog/live -- func(*Change) error -->  Keeper.Change
//	                                           |   again, where another server was faster
//	                                           v
//	  Change:  Snapshot   as it was               Find, Get, NameTaken, DependentsOf
//	           Edit       what becomes of it      Set, Remove, NewID, DropUsers
//	           Actor      who asks                MustOwn, MayDrop, MayCreateIn
//	                                           |
//	                                           v
//	                                  versions.Keeper.Update: one commit, or none
//
// Package live, which has the statements, calls it; it calls versions. What several
// statements ask of a change is a method here: who may, what a name stands for, what depends
// on what is dropped. What one kind of statement does is a function of that statement's file
// in live.
//
// A Draft collects the changes of a transaction block: a Keeper of it commits none, and shows the
// catalog with them.
//
// It must never touch a table of the store, or keep anything from one call of the function
// to the next: a Change is made anew each time.
package change
