package servers

import (
	"context"
	"os"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc/childproctest"
	"github.com/saltsql/saltsql/internal/pgtest"
)

// TestNothingIsLeftBehind asserts that a test's process that dies leaves nothing of what tests
// start: a server of ours over an emulator, and a PostgreSQL in the midst of a query.
func TestNothingIsLeftBehind(t *testing.T) {
	const built = "SALTSQL_TEST_BUILT" // the command, for the process that dies
	path := os.Getenv(built)
	if path == "" {
		var err error
		if path, err = harness.Build(); err != nil {
			t.Fatal(err)
		}
		if err := os.Setenv(built, path); err != nil {
			t.Fatal(err)
		}
	}
	// The test's process, its watchdog, the emulator and the server, and of a PostgreSQL the
	// postmaster, the client's backend and four in the background at least.
	wanted := 4
	if pgtest.BinDir() != "" {
		wanted += 6
	}
	childproctest.NothingIsLeft(t, wanted, func(t *testing.T) {
		harness.StartEmulator(t)
		harness.StartCommand(t, path, harness.ServeArgs(testInstance)...)
		dsn, why := pgtest.TryStart(t)
		if why != "" {
			t.Log("without PostgreSQL: ", why)
			return
		}
		c, err := pgx.Connect(context.Background(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		go func() { _, _ = c.Exec(context.Background(), "SELECT count(*) FROM generate_series(1, 1000000000000)") }()
	})
}
