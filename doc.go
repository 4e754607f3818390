// Package saltsql puts typed SQL tables on Cloud Bigtable or on an embedded
// store, spreads hot keys with SALT_BUCKETS, and speaks Postgres's SQL.
//
//	your program ----.                       .-- wire (psql, drivers, BI tools)
//	database/sql ----+--> DB --> Session <---'
//	                               |
//	                 dialect -> planner -> exec -> storage
//
// A program opens a store (storage/pebble, storage/bigtable or storage/mem),
// gives it to Open and queries the DB. A Session is one client's state:
// settings, transaction, prepared statements, cursors. A socket and an
// embedding program enter by the same door, so there is one path to test.
//
// Errors a statement causes are *sqlerr.Error inside; their SQLSTATE is read
// with the method SQLState() string.
package saltsql
