package harness

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// ProcessTime is the processor time that this process has taken, on all processors.
func ProcessTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // it fails for a bad pointer alone
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// ServingTime gives the processor time that a PostgreSQL process which serves a connection
// has taken, and those that have ended, which its parallel workers are among; 0 where /proc
// does not tell. Its unit is 10 ms.
func ServingTime(backend uint32) func() time.Duration {
	postmaster := ParentOf(backend)
	return func() time.Duration {
		own, _ := ProcessTimes(backend)
		_, ended := ProcessTimes(postmaster)
		return own + ended
	}
}

// ProcessTimes gives the processor time of a process, and of its children that it has
// waited for.
func ProcessTimes(pid uint32) (own, children time.Duration) {
	const user, system, childUser, childSystem = 14 - 3, 15 - 3, 16 - 3, 17 - 3
	f := processStat(pid)
	if len(f) <= childSystem {
		return 0, 0
	}
	ticks := func(at int) time.Duration {
		n, _ := strconv.Atoi(f[at])
		return time.Duration(n) * (time.Second / 100)
	}
	return ticks(user) + ticks(system), ticks(childUser) + ticks(childSystem)
}

// ParentOf gives the parent of a process; 0 where /proc does not tell.
func ParentOf(pid uint32) uint32 {
	const parent = 4 - 3
	f := processStat(pid)
	if len(f) <= parent {
		return 0
	}
	n, _ := strconv.Atoi(f[parent])
	return uint32(n)
}

// processStat gives the fields of /proc/pid/stat from the third on.
func processStat(pid uint32) []string {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.Fields(rest)
}
