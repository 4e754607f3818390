// Package live is the catalog of an open store: what changes it, and puts in order what a
// server that died left half done.
//
//	internal/ddl -- CreateTable, AlterTable, Resalt, … -->  Catalog
//	                  change.Change: a snapshot, what becomes of it, and who asks
//	                    |
//	                    v
//	                  versions.Keeper: commit, lease, gate      storage: tables made, dropped
//	                  jobs.Runner: what goes over a table's rows for long
//
// A transaction block's DDL goes through a Catalog of its own, over a draft: draft.go.
//
// The files begin with what they do: create_, alter_, drop_; what they have in common is
// package change. Catalog embeds what changes who may do what, package authz, and types that
// users name, package usertype.
//
// The descriptor's state says what is under way; so a server may die at any call, and Open or
// the next DDL statement finishes or undoes it (repair.go). Check says whether all is well.
//
//	CREATE TABLE   descriptor "creating"  ->  storage table  ->  descriptor "public"
//	DROP TABLE     descriptor "dropping"  ->  storage table dropped  ->  descriptor gone
//	ALTER TABLE    families, longer TTL   ->  descriptor  ->  shorter TTL
//
// What a server with an old descriptor may do meanwhile:
//
//	CREATE           nothing: the object was not there
//	RENAME           calls the object by the other name, until the statement returns
//	DROP             reads what was there: its storage goes when all servers have seen the change,
//	                 and no statement reads by a version from before
//	DROP COLUMN      its cells are written to a qualifier that is never used again
//	ALTER TABLE      that adds a column, a constraint or an option: nothing, since no
//	                 write under the old descriptor and one under the new ever meet: see
//	                 package versions
//
// It must never parse SQL, evaluate an expression, or read or write the rows of a table
// but to test them for ALTER TABLE, and to give the cells of each one timestamp before the
// table has a TTL (ttl.go).
package live
