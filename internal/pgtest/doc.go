// Package pgtest starts a real PostgreSQL for tests that compare with it. Only
// tests import it.
//
// The server runs from the distribution's package, in a temporary folder, on a
// free loopback port, with the C collation, and ends with the test, or with the
// test's process if that dies first. It cancels a statement after a minute
// (57014): a test whose statements take longer sets its own statement_timeout,
// and one that compares takes that error for no answer. Where the package is
// missing, tests are skipped with the reason, unless SALTSQL_REQUIRE_POSTGRES is
// set, which the gate does: then they fail.
package pgtest
