package wire

import "testing"

// What a failed block or a ROLLBACK TO SAVEPOINT gave up, others may write at once.
func TestLocksEndWithWhatTheyGuard(t *testing.T) {
	_, addr, _ := tcpServer(t, Config{})
	a, b := connect(t, addr, "sslmode=disable"), connect(t, addr, "sslmode=disable")
	mustExec(t, a, "create table t (a int primary key, n int)")
	mustExec(t, a, "insert into t values (1, 0), (2, 0), (3, 0)")
	mustExec(t, b, "set lock_timeout = '100ms'")
	const free = "<nil>"
	for _, test := range []struct {
		name string
		run  []string // in a's block; errors are taken
		row1 string   // what b gets when it writes row 1
		row2 string
	}{
		{"failed block", []string{"update t set n = 1 where a = 1", "update t set n = 1 where a = 2", "select 1/0"}, free, free},
		{"failed block with an open cursor", []string{"declare c cursor for select a from t", "fetch c", "update t set n = 1 where a = 1", "select nope"}, free, free},
		{"failure after a savepoint", []string{"update t set n = 1 where a = 1", "savepoint s", "update t set n = 1 where a = 2", "select 1/0", "rollback to s"}, "55P03", free},
		{"rollback to a savepoint", []string{"savepoint s", "update t set n = 1 where a = 1", "rollback to s", "update t set n = 1 where a = 2"}, free, "55P03"},
		{"release", []string{"savepoint s", "update t set n = 1 where a = 1", "release s"}, "55P03", free},
	} {
		mustExec(t, a, "begin")
		for _, sql := range test.run {
			a.Exec(testContext(t), sql)
		}
		for i, want := range []string{test.row1, test.row2} {
			if _, err := b.Exec(testContext(t), "update t set n = 2 where a = $1", i+1); code(err) != want {
				t.Errorf("%s: row %d: %v, not %q", test.name, i+1, err, want)
			}
		}
		mustExec(t, a, "rollback")
	}
}
