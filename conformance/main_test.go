package conformance

import (
	"os"
	"runtime/debug"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
)

func TestMain(m *testing.M) {
	if os.Getenv("GOGC") == "" {
		// A fifth of the time of these tests, whose engines live for one of them, was the collector's.
		debug.SetGCPercent(300)
		debug.SetMemoryLimit(6 << 30)
	}
	harness.Main(m)
}
