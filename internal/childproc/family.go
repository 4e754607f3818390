package childproc

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// process is a process of Linux; another that gets its number later is another one.
type process struct {
	pid     int
	started string // in clock ticks since the system's start
}

// family is the processes of a group, but for the one that looks, and their descendants. The
// value tells those of the group.
type family map[process]bool

// look takes in who has come and leaves out who has ended. Whoever was once found stays, though
// its parent has ended. It is false where there is no /proc to look into.
func (f family) look(group int) bool {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	alive, parents := map[process]bool{}, map[process]int{}
	for _, path := range stats {
		text, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		// PID (NAME) STATE PARENT GROUP …; the start is the 22nd.
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		s := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
		if len(s) < 20 || pid == os.Getpid() || s[0] == "Z" || s[0] == "X" {
			continue
		}
		p := process{pid, s[19]}
		parents[p], _ = strconv.Atoi(s[1])
		g, _ := strconv.Atoi(s[2])
		alive[p] = g == group
	}
	maps.DeleteFunc(f, func(p process, _ bool) bool { _, ok := alive[p]; return !ok })
	pids := map[int]bool{}
	for p := range f {
		pids[p.pid] = true
	}
	for grown := true; grown; {
		grown = false
		for p, inGroup := range alive {
			if !pids[p.pid] && (inGroup || pids[parents[p]]) {
				f[p], pids[p.pid], grown = inGroup, true, true
			}
		}
	}
	return len(stats) > 0
}
