// Package conformance proves that the answers are right, from outside: what a
// client sees must not depend on SALT_BUCKETS, on the planner's rules or on
// the store, and where Postgres has the same statement, must be Postgres's.
//
//	testdata/*.slt        statements with their answers; pg_*.slt also on a real PostgreSQL
//	slt                   reads and runs these files, rewrites them with -rewrite
//	random_test.go        random statements over all variants: they must agree
//	random_*_test.go      its engines and shrinking; tablets that move under its streams
//	bytes_test.go         the same tables through both stores: the same cells
//	faults_test.go        the files under faults of the store: right, or a clean error
//	crash_test.go         a server that dies in DDL, at each of its calls
//	harness               what suites share: stores, servers, clients
//	servers               servers that are killed, watched, backed up, changed while they serve
//	bench                 speed, as ratios to floors measured in the same run
//	clients               psql and drivers of other languages
//
// It may import anything; nobody imports it.
package conformance
