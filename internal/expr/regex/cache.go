package regex

import "sync"

// maxCached bounds the patterns remembered, and maxCachedLen the bytes of one.
const (
	maxCached    = 256
	maxCachedLen = 4096
)

type cacheKey struct {
	pattern string
	flags   Flags
}

var (
	cacheMu sync.RWMutex
	cache   = map[cacheKey]*Regex{}
)

// Compile compiles an ARE, or finds it among those compiled lately. 2201B if it
// is not valid, 0A000 if it needs what is not supported.
func Compile(pattern string, flags Flags) (*Regex, error) {
	key := cacheKey{pattern, flags}
	cacheMu.RLock()
	re := cache[key]
	cacheMu.RUnlock()
	if re != nil {
		return re, nil
	}
	re, err := compile(pattern, flags)
	if err != nil || len(pattern) > maxCachedLen {
		return re, err
	}
	cacheMu.Lock()
	for k := range cache {
		if len(cache) < maxCached {
			break
		}
		delete(cache, k) // any one: the order of a map is random
	}
	cache[key] = re
	cacheMu.Unlock()
	return re, nil
}
