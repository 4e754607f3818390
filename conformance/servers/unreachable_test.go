package servers

import (
	"net"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/bttest"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// A server whose Bigtable is not there ends with the address, the cause and
// what to do; with --wait-for-store it tells that it is trying, and serves once
// the store is there.
func TestUnreachableStore(t *testing.T) {
	seeds.Sometimes(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	t.Setenv("BIGTABLE_EMULATOR_HOST", addr)

	_, err = harness.TryStart(t, testInstance)
	for _, want := range []string{addr, "test/test", "connection refused", "hint: Start the emulator, or unset BIGTABLE_EMULATOR_HOST"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: does not tell %q", err, want)
		}
	}

	path, err := harness.Build()
	if err != nil {
		t.Fatal(err)
	}
	log, started := &harness.ProcessLog{}, make(chan *bttest.Server, 1)
	go func() { // once the server waits
		for end := time.Now().Add(harness.Patience); !strings.Contains(log.String(), "trying again") && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		srv, err := bttest.NewServer(addr)
		if err != nil {
			t.Error(err)
		}
		started <- srv
	}()
	p, err := harness.RunLogging(t, log, path, harness.ServeArgs(testInstance, "--wait-for-store")...)
	if err != nil {
		t.Fatal(err)
	}
	defer (<-started).Close()
	harness.MustExec(t, p.Connect(t), "CREATE TABLE t (k INT PRIMARY KEY)")
	p.Stop(t)
	if log := p.Log.String(); !strings.Contains(log, "the store is not reached; trying again") || !strings.Contains(log, "connection refused") {
		t.Errorf("the log says nothing of the wait:\n%s", log)
	}
}
