package plancache

import (
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// maxText is the longest statement kept: a giant INSERT is never sent twice.
const maxText = 16 << 10

// maxBytes bounds each of the caches of texts, plans and shapes, by estimate.
const maxBytes = 24 << 20

// Cache keeps parsed texts and plans, of type P, over all sessions. Both are immutable. A
// plan is found only under the key it was made for, so that nothing need be thrown away
// on DDL.
type Cache[P any] struct {
	texts        *weighted[string, []*tree.Statement]
	plans        *weighted[Key, P]
	shapes       *weighted[shapeKey, *Shape]
	hits, misses atomic.Int64 // of plans
}

// Stats says how much a cache holds, and how much it has served.
type Stats struct {
	Hits, Misses int64 // of plans, since the start
	Texts, Plans int   // now
	Bytes        int   // of these, by estimate
}

// New makes a cache of up to size plans, and as many texts; 0 or less keeps none.
func New[P any](size int) *Cache[P] {
	c := &Cache[P]{}
	if size > 0 {
		c.texts = newWeighted[string, []*tree.Statement](size, maxBytes)
		c.plans = newWeighted[Key, P](size, maxBytes)
		c.shapes = newWeighted[shapeKey, *Shape](size, maxBytes)
	}
	return c
}

// weightOf estimates what the tree of a text takes: the densest, lists of short numbers, have 30 to
// 60 bytes for one of the text.
func weightOf(text string) int { return 4<<10 + 60*len(text) }

// Parsed gives the statements of a text that was parsed before.
func (c *Cache[P]) Parsed(text string) ([]*tree.Statement, bool) {
	if c.texts == nil || len(text) > maxText {
		return nil, false
	}
	return c.texts.Get(text)
}

// Parse parses a text, and keeps its statements. need is asked for the bytes that they take: its
// error is Parse's.
func (c *Cache[P]) Parse(text string, need func(bytes int64) error) ([]*tree.Statement, error) {
	list, err := dialect.ParseWithin(text, need)
	if err == nil && c.texts != nil && len(text) <= maxText {
		c.texts.Add(text, list, weightOf(text))
	}
	return list, err
}

// Find gives the plan of a key, if it is current: what else it depends on is for the caller to
// know.
func (c *Cache[P]) Find(key Key, current func(P) bool) (p P, ok bool) {
	if c.plans != nil {
		if p, ok := c.plans.Get(key); ok && current(p) {
			c.hits.Add(1)
			return p, true
		}
	}
	c.misses.Add(1)
	return p, false
}

// Keep remembers the plan of a statement, of so many bytes. Positions in errors are those of the
// whole text, so only a text's first statement may share a plan.
func (c *Cache[P]) Keep(key Key, st *tree.Statement, p P, bytes int) {
	if c.plans != nil && len(st.Text) <= maxText && st.Offset == 0 {
		c.plans.Add(key, p, 4<<10+len(st.Text)+bytes)
	}
}

// Stats gives the counts of now.
func (c *Cache[P]) Stats() Stats {
	st := Stats{Hits: c.hits.Load(), Misses: c.misses.Load()}
	if c.plans != nil {
		texts, bytes := c.texts.size()
		plans, more := c.plans.size()
		st.Texts, st.Plans, st.Bytes = texts, plans, bytes+more
	}
	return st
}
