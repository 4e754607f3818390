package seeds

import (
	"os"
	"strconv"
	"testing"
	"time"
)

// First gives the first seed of a test, and logs it.
func First(t testing.TB) uint64 {
	t.Helper()
	seed := uint64(1)
	switch s := os.Getenv("SALTSQL_SEED"); s {
	case "":
	case "clock":
		seed = uint64(time.Now().UnixNano())
	default:
		var err error
		if seed, err = strconv.ParseUint(s, 10, 64); err != nil {
			t.Fatalf("SALTSQL_SEED: %v", err)
		}
	}
	t.Logf("seed %d", seed)
	return seed
}
