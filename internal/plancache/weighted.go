package plancache

import (
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"
)

// weighted is a cache that forgets what was used longest ago when it holds too many entries or too
// many bytes, as estimated when they came. It is safe for concurrent use.
type weighted[K comparable, V any] struct {
	mu    sync.Mutex
	lru   *simplelru.LRU[K, weightedValue[V]]
	bytes int
	most  int
}

type weightedValue[V any] struct {
	v     V
	bytes int
}

// newWeighted makes a cache of up to entries, at least 1, and bytes.
func newWeighted[K comparable, V any](entries, bytes int) *weighted[K, V] {
	c := &weighted[K, V]{most: bytes}
	// NewLRU fails on sizes below 1 only.
	c.lru, _ = simplelru.NewLRU(entries, func(_ K, v weightedValue[V]) { c.bytes -= v.bytes })
	return c
}

func (c *weighted[K, V]) Get(key K) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	v, ok := c.lru.Get(key)
	return v.v, ok
}

// Add keeps a value in the place of what has its key.
func (c *weighted[K, V]) Add(key K, v V, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.lru.Remove(key)
	c.lru.Add(key, weightedValue[V]{v, bytes})
	c.bytes += bytes
	for c.bytes > c.most {
		c.lru.RemoveOldest()
	}
}

// size is how much is kept now.
func (c *weighted[K, V]) size() (entries, bytes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lru.Len(), c.bytes
}
