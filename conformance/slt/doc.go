// Package slt reads and runs statement files in the manner of sqllogictest.
//
// A file is a list of records with blank lines between them; # starts a
// comment. ${SALT} in a statement is replaced by the variant's SALT_BUCKETS
// clause, ${D1}, ${D2}, … in a primary key by DESC or nothing: see Engine.Desc.
//
//	statement ok                  the SQL that follows succeeds
//	statement count 3             … and its command tag ends in 3
//	statement error 23505 text    … fails with this SQLSTATE, text in its message
//	query [rowsort]               the SQL's rows are those after ----, one a line,
//	                              columns split by |; NULL is NULL; an empty text
//	                              is (empty); rowsort compares sorted
//	work CONDITION …              EXPLAIN ANALYZE of the SQL: sums over the plan, as
//	                              storage_calls=1 rows_read<=10+6N, where N is how
//	                              many buckets there are (1 without salt); nosort: no
//	                              Sort or Top N; with=Salt_Merge, without=Filter: a
//	                              node of this name; not run with rules off, nor on
//	                              PostgreSQL
//	explain                       EXPLAIN's lines are those after ----; as above
//	onlyif NAME, skipif NAME      the next record is for (not for) this engine:
//	                              saltsql, postgres, pebble, bigtable, salted, unsalted,
//	                              rules-off; for several names, one that has them all
//	session NAME                  the following records run in this session
package slt
