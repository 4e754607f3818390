package jsonpath

import "sync"

// maxCached bounds the paths remembered, and maxCachedLen the bytes of one.
const (
	maxCached    = 256
	maxCachedLen = 1024
)

var (
	cacheMu sync.RWMutex
	cache   = map[string]*Path{}
)

// Cached is Parse that may find the path among those parsed lately. Nobody changes it.
func Cached(s []byte) (*Path, error) {
	cacheMu.RLock()
	p := cache[string(s)]
	cacheMu.RUnlock()
	if p != nil {
		return p, nil
	}
	p, err := Parse(string(s))
	if err != nil || len(s) > maxCachedLen {
		return p, err
	}
	cacheMu.Lock()
	for k := range cache {
		if len(cache) < maxCached {
			break
		}
		delete(cache, k) // any one: the order of a map is random
	}
	cache[string(s)] = p
	cacheMu.Unlock()
	return p, nil
}
