package servers

import (
	"flag"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
)

// atOnce is how many tests run beside each other: they wait for leases, paces and processes most of
// their time, which the number of processors says nothing of.
const atOnce = "3"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", atOnce); err != nil { // before the command line, which may say otherwise
		panic(err)
	}
	harness.Main(m)
}
