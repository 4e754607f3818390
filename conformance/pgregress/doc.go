// Package pgregress runs files of SQL here and on PostgreSQL, statement by statement, and
// compares. It is made for PostgreSQL's own regression tests, which are not in this repository:
//
//	go test ./conformance/pgregress -pgregress=DIR [-pgregress.files=select,join] -v
//
// DIR holds sql/*.sql and data/*. The file sql/test_setup.sql runs before each other one, on a
// database of its own. Each statement is one of
//
//	same       equal rows, whatever their order, and tags; or the same SQLSTATE
//	refused    0A000 here; PostgreSQL does not run it
//	plan       of EXPLAIN, which is ours
//	follows    an error here that names what a statement refused before would have made
//	different  anything else: it is printed, with both answers
//	internal   XX000, or the connection is lost: the test fails
//
// psql's commands but for \set and \getenv are left out, with COPY's data.
package pgregress
