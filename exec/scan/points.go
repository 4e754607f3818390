package scan

import (
	"bytes"
	"io"
	"slices"
	"sort"

	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// pointSource reads a list of full keys in as few storage calls as the store
// allows, in the order asked for.
type pointSource struct {
	core *Core
	keys [][]byte // physical; in the order of the rows wanted
	get  [][]byte // one call's, sorted
	rb   *storage.RowBatch
	rows []int // rb's rows in order
	left int64 // rows until the limit; -1 without
}

func newPointSource(c *Core, keys [][]byte) *pointSource {
	s := &c.points // kept from run to run
	*s = pointSource{core: c, keys: keys, get: s.get[:0], rb: getBatch(), rows: s.rows[:0], left: -1}
	if !c.filtered() {
		s.left = c.limit
	}
	if len(s.keys) > 1 && c.n.Order != plan.Unordered {
		// Points are sorted with their salt; the order asked for is without.
		s.keys = slices.Clone(s.keys)
		slices.SortFunc(s.keys, c.Schema.Key.CompareLogical)
		if c.n.Order == plan.Reverse {
			slices.Reverse(s.keys)
		}
	}
	return s
}

func (s *pointSource) next() (*vec.Batch, error) {
	for len(s.keys) > 0 && s.left != 0 {
		if err := s.fetch(); err != nil {
			return nil, err
		}
		n := len(s.rows)
		if s.left >= 0 {
			n = min(n, int(s.left))
			s.left -= int64(n)
		}
		if n == 0 {
			s.dropped(nil)
			continue
		}
		m := &s.core.dec
		m.begin(n)
		for slot := range n {
			if err := m.add(s.rb, s.rows[slot], slot); err != nil {
				return nil, err
			}
		}
		b, err := m.end(n, s.core.cx.Env, s.core.recheck)
		if err == nil {
			s.dropped(b)
		}
		if b != nil || err != nil {
			return b, err
		}
	}
	return nil, io.EOF
}

// keysPerGet is how many keys one call reads at most.
func keysPerGet(caps *storage.Caps) int {
	if k := caps.MaxKeysPerGet; k > 0 {
		return min(k, storage.MaxBatchRows)
	}
	return storage.MaxBatchRows
}

// fetch reads the next keys with one call.
func (s *pointSource) fetch() error {
	c := s.core
	n := min(len(s.keys), keysPerGet(c.cx.Caps()))
	if s.left > 0 {
		n = min(n, int(max(s.left, 16))) // some of the keys may have no row
	}
	chunk := s.keys[:n]
	s.keys = s.keys[n:]
	sorted := chunk
	if n > 1 && c.n.Order != plan.Unordered {
		s.get = append(s.get[:0], chunk...)
		slices.SortFunc(s.get, bytes.Compare)
		sorted = s.get
	}
	s.rb.Reset()
	if err := s.read(sorted); err != nil {
		return err
	}
	s.rows = s.rows[:0]
	for i := range s.rb.Len() {
		s.rows = append(s.rows, i)
	}
	switch {
	case len(s.rows) < 2 || c.n.Order == plan.Unordered:
	case c.n.Order == plan.Forward:
		sort.Slice(s.rows, func(a, b int) bool {
			return c.Schema.Key.CompareLogical(s.rb.Key(s.rows[a]), s.rb.Key(s.rows[b])) < 0
		})
	default:
		sort.Slice(s.rows, func(a, b int) bool {
			return c.Schema.Key.CompareLogical(s.rb.Key(s.rows[a]), s.rb.Key(s.rows[b])) > 0
		})
	}
	return nil
}

// read adds the rows of keys, ascending and not too many for one call, to rb.
func (s *pointSource) read(keys [][]byte) error {
	c := s.core
	rows, bytes := s.rb.Len(), s.rb.Bytes()
	calls, err := c.table.MultiGet(c.cx.Ctx, keys, &c.req, s.rb)
	rows, bytes = s.rb.Len()-rows, s.rb.Bytes()-bytes
	c.work.StorageCalls += int64(calls)
	c.work.Points += int64(len(keys))
	c.work.RowsRead += int64(rows)
	c.work.BytesRead += int64(bytes)
	if c.Schema.Key.Salted() {
		for _, k := range keys {
			c.buckets.Add(c.Schema.Key.KeyBucket(k))
		}
	}
	if err != nil {
		return err
	}
	c.heat.Points(keys, s.rb, s.rb.Len()-rows, bytes)
	return c.cx.Scanned(int64(rows))
}

func (s *pointSource) Close() error {
	putBatch(s.rb)
	s.rb = nil
	return nil
}
