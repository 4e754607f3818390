package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/memory"
)

// memoryPlan divides what the process may take, in bytes: 0 leaves the choice to the part.
type memoryPlan struct {
	statements int64 // saltsql.Options.Memory
	cache      int64 // the store's block cache
	memTable   int64 // one of the store's four memtables
	goLimit    int64 // of the runtime: all but what the store takes beside it
}

const (
	leastMemory = 128 << 20
	smallCache  = 256 << 20
	mostTable   = 64 << 20
)

// planMemory divides total bytes. Statements get a quarter: what they hold is counted,
// and garbage, copies in the making and the buffers of connections come on top. The cache gets
// an eighth, and of large ones up to a quarter: a scan of what is cached takes a fourth of the
// time of one that unpacks its blocks again.
func planMemory(total int64) memoryPlan {
	p := memoryPlan{
		statements: total / 4,
		cache:      max(min(total/8, smallCache), total/4-smallCache),
		memTable:   min(total/64, mostTable),
	}
	p.limitHeap(total)
	return p
}

// limitHeap leaves a third of what the store does not take beside the heap for what the runtime
// does not count. The store's cache and memtables are beside it where there is cgo.
func (p *memoryPlan) limitHeap(total int64) {
	beside := p.cache + 4*p.memTable
	if !withCgo() {
		beside = 0
	}
	p.goLimit = (total - beside) / 3 * 2
}

// withCgo reports whether the program was built with cgo.
func withCgo() bool {
	info, ok := debug.ReadBuildInfo()
	return !ok || !slices.Contains(info.Settings, debug.BuildSetting{Key: "CGO_ENABLED", Value: "0"})
}

// planOf reads --memory, by default half of the machine's or the cgroup's, and --cache.
func planOf(text, cache string) (memoryPlan, error) {
	total := memory.Total() / 2
	if text != "" {
		var err error
		if total, err = parseSize(text); err != nil {
			return memoryPlan{}, fmt.Errorf("--memory %q: %w", text, err)
		}
	}
	if total < leastMemory {
		return memoryPlan{}, fmt.Errorf("--memory %q is below %s", text, memory.Size(leastMemory))
	}
	p := planMemory(total)
	if cache != "" {
		n, err := parseSize(cache)
		if err != nil {
			return memoryPlan{}, fmt.Errorf("--cache %q: %w", cache, err)
		}
		p.cache = n
		p.limitHeap(total)
		if (total-p.cache)/3*2 < leastMemory/4 {
			return memoryPlan{}, fmt.Errorf("--cache %q leaves too little of the %s of --memory", cache, memory.Size(total))
		}
	}
	return p, nil
}

// apply tells the Go runtime, unless GOMEMLIMIT does.
func (p memoryPlan) apply() {
	if os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(p.goLimit)
	}
}

// parseSize reads a number of bytes with a unit, in capitals or not.
func parseSize(text string) (int64, error) {
	lower := strings.ToLower(text)
	number := strings.TrimRight(lower, "kmgtib ")
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	units := map[string]float64{"kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30, "tb": 1 << 40}
	factor, ok := units[strings.Replace(strings.TrimSpace(lower[len(number):]), "i", "", 1)]
	if err != nil || !ok || !(v*factor < math.MaxInt64/2) || v < 0 {
		return 0, errors.New("a size is a number with its unit, as 512MB or 4GB: kB, MB, GB or TB")
	}
	return int64(v * factor), nil
}
