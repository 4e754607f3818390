// Package pgtest starts a real PostgreSQL for tests that compare with it. Only
// tests import it.
//
// The server runs from the distribution's package, in a temporary folder, on a
// free loopback port, with the C collation, and ends with the test. Where the
// package is missing, tests are skipped with the reason, unless
// SALTSQL_REQUIRE_POSTGRES is set, which the gate does: then they fail.
package pgtest
