package op

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/storage"
)

// HeatOf are the cells that an operator counts in what it reads and writes of one table or index;
// the zero one counts nothing.
type HeatOf struct {
	memo  heat.Memo
	key   *rowcodec.KeySchema
	cells []heat.Cell // by bucket; nil is not counted
	// hidden says that samples have no keys.
	hidden bool
	next   heat.Sampler
}

// Open makes h count for the execution. id and key are those of the table or the index. Temporary
// relations are not counted: they are in the memory of one session.
func (h *HeatOf) Open(cx *Context, id uint32, key *rowcodec.KeySchema) {
	h.key, h.cells = key, nil
	if !catalog.TemporaryID(id) {
		h.cells = cx.Heat.Cells(&h.memo, id, key.Buckets)
	}
	h.hidden = cx.Settings.NoHeatKeys
}

// Sample samples n operations. key gives the physical key of one; s is the caller's.
func (h *HeatOf) Sample(s *heat.Sampler, kind heat.Kind, n int, key func(i int) []byte) {
	if h.cells == nil {
		return
	}
	for i := s.Next(&h.memo, n); i < n; i += 1 + s.Next(&h.memo, n-i-1) {
		k := key(i)
		if h.hidden {
			s.TakeUnknown(&h.memo, kind, h.key.KeyBucket(k))
			continue
		}
		s.Take(&h.memo, kind, h.key.KeyBucket(k), h.key.LogicalKey(k), h.ends(h.key.LogicalKey(k)))
	}
}

// Counts says that what is done is counted.
func (h *HeatOf) Counts() bool { return h.cells != nil }

// Salted says that there are several buckets to tell apart.
func (h *HeatOf) Salted() bool { return len(h.cells) > 1 }

// Bucket is the cell of a bucket; one below 0 is that of a relation without salt. A key whose bucket
// nobody knows, as one that another program has written, counts in the first.
func (h *HeatOf) Bucket(bucket int) *heat.Cell {
	if bucket < 0 || bucket >= len(h.cells) {
		bucket = 0
	}
	return &h.cells[bucket]
}

// Of is the cell of a physical key.
func (h *HeatOf) Of(key []byte) *heat.Cell {
	if len(h.cells) == 1 {
		return &h.cells[0]
	}
	return h.Bucket(h.key.KeyBucket(key))
}

// ends are where the first columns of a logical key end, but for the last column.
func (h *HeatOf) ends(logical []byte) heat.Ends {
	ends := heat.NoEnds
	for i := range min(len(ends), len(h.key.Columns)-1) {
		end := h.key.PrefixEnd(logical, i+1)
		if end < 0 || end > heat.KeyBytes {
			break
		}
		ends[i] = uint8(end)
	}
	return ends
}

// SampleUnknown samples n operations on keys of a bucket that were not read.
func (h *HeatOf) SampleUnknown(s *heat.Sampler, kind heat.Kind, n, bucket int) {
	if h.cells == nil {
		return
	}
	for i := s.Next(&h.memo, n); i < n; i += 1 + s.Next(&h.memo, n-i-1) {
		s.TakeUnknown(&h.memo, kind, bucket)
	}
}

// Points counts a look for the rows of keys, which ascend, of which those of rb from row from on
// were found, in so many bytes.
func (h *HeatOf) Points(keys [][]byte, rb *storage.RowBatch, from, bytes int) {
	if h.cells == nil {
		return
	}
	h.Sample(&h.next, heat.Point, len(keys), func(i int) []byte { return keys[i] })
	rows := rb.Len()
	if len(keys) == 1 || len(h.cells) == 1 {
		h.Of(keys[0]).Points(int64(rows-from), int64(len(keys)-(rows-from)), int64(bytes))
		return
	}
	// The keys of a bucket stand together, and so do its rows.
	for len(keys) > 0 {
		c := h.Of(keys[0])
		n := 1
		for n < len(keys) && h.Of(keys[n]) == c {
			n++
		}
		first := from
		for from < rows && h.Of(rb.Key(from)) == c {
			from++
		}
		size := 0
		if from > first {
			size = bytes
			if from < rows {
				size = rb.Offset(from) - rb.Offset(first)
			}
			bytes -= size
		}
		c.Points(int64(from-first), int64(n-(from-first)), int64(size))
		keys = keys[n:]
	}
}

// Wrote counts a row that was written.
func (h *HeatOf) Wrote(key []byte, muts []storage.Mutation) {
	if h.cells == nil {
		return
	}
	n := len(key)
	for i := range muts {
		n += len(muts[i].Qualifier) + len(muts[i].Value)
	}
	h.Of(key).Wrote(1, int64(n))
	h.Sample(&h.next, heat.Write, 1, func(int) []byte { return key })
}
