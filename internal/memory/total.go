package memory

import (
	"math"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// unknownTotal is taken for the memory of a machine that does not tell.
const unknownTotal = 4 << 30

// Total is the memory of the cgroup the process is in, or of the machine if that has
// less, in bytes.
func Total() int64 {
	total := uint64(unknownTotal)
	if n, err := memlimit.FromSystem(); err == nil && n > 0 {
		total = n
	}
	if n, err := memlimit.FromCgroup(); err == nil && n > 0 {
		total = min(total, n)
	}
	return int64(min(total, math.MaxInt64))
}
