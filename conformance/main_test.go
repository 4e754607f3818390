package conformance

import (
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
)

func TestMain(m *testing.M) { harness.Main(m) }
