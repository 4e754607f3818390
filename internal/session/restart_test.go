package session

import (
	"testing"

	"github.com/saltsql/saltsql/storage/mem"
)

// TestRestartBeside: no value of a sequence that a block begins anew comes twice, whoever draws.
func TestRestartBeside(t *testing.T) {
	a, b, expect := twoClients(t, mem.New())
	a.must("CREATE TABLE t (k SERIAL PRIMARY KEY, v INT)")
	a.must("INSERT INTO t (v) SELECT i FROM generate_series(1, 10) AS g(i)")
	a.must("BEGIN")
	a.must("TRUNCATE t RESTART IDENTITY")
	expect(a, "SELECT nextval('t_k_seq'), nextval('t_k_seq')", "SELECT 1; 1|2")
	expect(b, "SELECT nextval('t_k_seq')", "SELECT 1; 11")
	a.must("COMMIT")
	expect(a, "SELECT nextval('t_k_seq')", "SELECT 1; 12") // a 3 would be followed by a second 11
	a.must("BEGIN")
	a.must("TRUNCATE t RESTART IDENTITY")
	expect(a, "SELECT nextval('t_k_seq')", "SELECT 1; 1")
	a.must("COMMIT")
	expect(b, "SELECT nextval('t_k_seq')", "SELECT 1; 2")
}
