package conformance

import (
	"net"
	"strings"
	"testing"
	"time"

	"cloud.google.com/go/bigtable/bttest"
)

// A server whose Bigtable is not there ends with the address, the cause and
// what to do; with --wait-for-store it tells that it is trying, and serves once
// the store is there.
func TestUnreachableStore(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	t.Setenv("BIGTABLE_EMULATOR_HOST", addr)

	_, err = tryProcess(t, testInstance)
	for _, want := range []string{addr, "test/test", "connection refused", "hint: Start the emulator, or unset BIGTABLE_EMULATOR_HOST"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: does not tell %q", err, want)
		}
	}

	path, err := buildOnce()
	if err != nil {
		t.Fatal(err)
	}
	log, started := &processLog{}, make(chan *bttest.Server, 1)
	go func() { // once the server waits
		for end := time.Now().Add(patience); !strings.Contains(log.String(), "trying again") && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		srv, err := bttest.NewServer(addr)
		if err != nil {
			t.Error(err)
		}
		started <- srv
	}()
	p, err := runServerLogging(t, log, path, serveArgs(testInstance, "--wait-for-store")...)
	if err != nil {
		t.Fatal(err)
	}
	defer (<-started).Close()
	mustExec(t, p.connect(t), "CREATE TABLE t (k INT PRIMARY KEY)")
	p.stop(t)
	if log := p.log.String(); !strings.Contains(log, "the store is not reached; trying again") || !strings.Contains(log, "connection refused") {
		t.Errorf("the log says nothing of the wait:\n%s", log)
	}
}
