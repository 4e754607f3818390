package tochar

import "sync"

// maxCached bounds the templates remembered of each kind, and maxCachedLen the
// bytes of one.
const (
	maxCached    = 128
	maxCachedLen = 1024
)

// cache remembers parsed templates.
type cache[T any] struct {
	mu sync.RWMutex
	m  map[string]T
}

func (c *cache[T]) get(template []byte) (T, bool) {
	c.mu.RLock()
	t, ok := c.m[string(template)]
	c.mu.RUnlock()
	return t, ok
}

func (c *cache[T]) put(template []byte, t T) {
	if len(template) > maxCachedLen {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil {
		c.m = map[string]T{}
	}
	for k := range c.m {
		if len(c.m) < maxCached {
			break
		}
		delete(c.m, k) // any one: the order of a map is random
	}
	c.m[string(template)] = t
}
