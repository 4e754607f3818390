package relational

import (
	"bytes"
	"io"
	"math"
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// topN keeps the first Count+Offset rows of its input in a heap: the row that
// would go first is at its root. Over a gather each goroutine keeps its own and
// they are combined at the end. More rows than maxHeap are sorted like any, and so
// are those of a heap that has used up the statement's memory, from there on.
type topN struct {
	n     *plan.TopN
	in    op.Operator
	keys  *spill.Keys
	cx    *op.Context
	want  int64
	skip  int64
	heaps []*topHeap

	done bool
	rows []topRow // in order, once done
	at   int
	out  *vec.Batch

	sorted op.Operator // instead, for many rows
}

// maxHeap is the most rows kept in a heap.
const maxHeap = 10000

// NewTopN makes the operator of a TopN.
func NewTopN(n *plan.TopN, in op.Operator) (op.Operator, error) {
	keys, err := spill.NewSortKeys(n.Keys)
	if err != nil {
		return nil, err
	}
	return &topN{n: n, in: in, keys: keys, out: vec.NewBatch(op.TypesOf(n))}, nil
}

func (t *topN) Open(cx *op.Context) error {
	t.cx, t.done, t.rows, t.at, t.sorted = cx, false, nil, 0, nil
	count, skip, err := countAndOffset(cx.Env, t.n.Count, t.n.Offset)
	if err != nil {
		return err
	}
	if count == 0 {
		t.done = true
		return nil
	}
	t.skip, t.want = skip, math.MaxInt64
	if count < math.MaxInt64-skip {
		t.want = count + skip
	}
	if t.want > maxHeap {
		return t.openSorted()
	}
	return t.in.Open(cx)
}

// openSorted sorts instead, which spills.
func (t *topN) openSorted() error {
	s := &sortOp{n: t.n, in: t.in, keys: t.keys, out: t.out}
	t.sorted = &limit{n: &plan.Limit{Count: t.n.Count, Offset: t.n.Offset}, in: s}
	return t.sorted.Open(t.cx)
}

func (t *topN) Next() (*vec.Batch, error) {
	if t.sorted != nil {
		return t.sorted.Next()
	}
	if !t.done {
		if err := t.consume(); err != nil {
			return nil, err
		}
		t.done = true
		if t.sorted != nil {
			return t.sorted.Next()
		}
	}
	n, bytes := 0, 0
	for n < min(len(t.rows)-t.at, vec.MaxRows) && bytes < storage.MaxBatchBytes {
		bytes += len(t.rows[t.at+n].buf)
		n++
	}
	if n == 0 {
		return nil, io.EOF
	}
	for _, c := range t.out.Cols {
		c.Resize(n)
	}
	for i := range n {
		spill.DecodeRow(t.rows[t.at+i].row(), t.out.Cols, i)
	}
	t.at += n
	t.out.N, t.out.Sel = n, nil
	return t.out, nil
}

func (t *topN) consume() error {
	var mu sync.Mutex
	newSink := func() (op.Sink, error) {
		mu.Lock()
		defer mu.Unlock()
		h := &topHeap{cx: t.cx, keys: t.keys, want: int(t.want), hold: memory.Of(t.cx.Memory, true)}
		h.scratch.Open(t.cx)
		if len(t.heaps) > 0 {
			h.keys = t.keys.Clone()
		}
		t.heaps = append(t.heaps, h)
		return h, nil
	}
	err := op.Feed(t.in, newSink)
	if err != nil || len(t.heaps) == 0 {
		return err
	}
	if err := t.in.Close(); err != nil { // its scans are not needed any more
		return err
	}
	all := t.heaps[0]
	for _, h := range t.heaps[1:] {
		if err := all.merge(h); err != nil {
			return err
		}
	}
	if all.sorter != nil {
		return t.readSorter(all.sorter)
	}
	if err := spill.Sort(t.cx, all.rows, compareTop); err != nil {
		return err
	}
	t.rows, t.at = all.rows, int(min(t.skip, int64(len(all.rows))))
	return nil
}

// readSorter gives the first rows of s instead of those of a heap.
func (t *topN) readSorter(s *spill.Sorter) error {
	if err := s.Finish(); err != nil {
		return err
	}
	t.cx.AddWork(t.n, &plan.Actual{SpillBytes: s.Spilled})
	t.sorted = &limit{n: &plan.Limit{Count: t.n.Count, Offset: t.n.Offset}, in: &sorterRows{s: s, out: t.out}}
	return t.sorted.Open(t.cx)
}

// sorterRows gives the rows of a sorter that is its maker's to close.
type sorterRows struct {
	s   *spill.Sorter
	out *vec.Batch
	buf []byte
}

func (r *sorterRows) Open(*op.Context) error { return nil }

func (r *sorterRows) Next() (*vec.Batch, error) {
	if err := r.s.Fill(r.out, &r.buf); err != nil {
		return nil, err
	}
	return r.out, nil
}

func (r *sorterRows) Close() error { return nil }

func (t *topN) Close() error {
	t.releaseHeaps()
	t.cx = nil
	if t.sorted != nil {
		if err := t.sorted.Close(); err != nil {
			return err
		}
	}
	return t.in.Close()
}

func (t *topN) releaseHeaps() {
	for _, h := range t.heaps {
		h.hold.Release()
		h.scratch.Close()
		if h.sorter != nil {
			h.sorter.Close()
		}
	}
	t.rows, t.heaps = nil, nil
}

// topRow is a row kept: its key, then its row bytes.
type topRow struct {
	buf    []byte
	keyLen int
	seq    int64 // equal keys keep their order
}

func (r *topRow) key() []byte { return r.buf[:r.keyLen] }
func (r *topRow) row() []byte { return r.buf[r.keyLen:] }

func compareTop(a, b topRow) int {
	if c := bytes.Compare(a.key(), b.key()); c != 0 {
		return c
	}
	switch {
	case a.seq < b.seq:
		return -1
	case a.seq > b.seq:
		return 1
	}
	return 0
}

// topHeap is a heap of the rows that come first; the last of them is at [0]. When
// the statement's memory is used up its rows go to a sorter, and those that follow
// too, but for those that the heap was already full of better ones for.
type topHeap struct {
	cx      *op.Context
	keys    *spill.Keys
	want    int
	rows    []topRow
	seq     int64
	k, r    []byte // booked by scratch
	scratch spill.Scratch
	hold    memory.Share

	sorter *spill.Sorter
	bound  []byte // the key from which on rows do not matter; nil: all do
}

func (h *topHeap) Add(b *vec.Batch) error {
	if err := h.keys.Each(h.cx.Env, b, h.addPart); err != nil {
		return err
	}
	return h.cx.Canceled()
}

// addPart adds rows whose keys are computed.
func (h *topHeap) addPart(b *vec.Batch) error {
	for i := range b.Rows() {
		slot := b.Row(i)
		h.seq++
		h.k = h.keys.Append(h.k[:0], slot)
		if !h.wants(h.k) {
			continue
		}
		h.r = spill.AppendRow(h.r[:0], b.Cols, slot)
		if err := h.scratch.Book(cap(h.k) + cap(h.r)); err != nil {
			return err
		}
		if err := h.offer(h.k, h.r, h.seq); err != nil {
			return err
		}
	}
	return nil
}

// wants says that a row with this key may be among the first ones.
func (h *topHeap) wants(key []byte) bool {
	switch {
	case h.sorter != nil:
		return h.bound == nil || bytes.Compare(key, h.bound) < 0
	case len(h.rows) == h.want:
		return bytes.Compare(key, h.rows[0].key()) < 0
	}
	return true
}

// offer copies a row in if it belongs to the first ones.
func (h *topHeap) offer(key, row []byte, seq int64) error {
	if !h.wants(key) {
		return nil
	}
	if h.sorter != nil {
		return h.sorter.Add(key, row)
	}
	if len(h.rows) < h.want {
		if !h.take(len(key) + len(row)) {
			return h.overflow(key, row)
		}
		buf := append(append(make([]byte, 0, len(key)+len(row)), key...), row...)
		h.rows = append(h.rows, topRow{buf, len(key), seq})
		h.up(len(h.rows) - 1)
		return nil
	}
	root := &h.rows[0]
	if !h.take(max(0, len(key)+len(row)-cap(root.buf))) {
		return h.overflow(key, row)
	}
	root.buf = append(append(root.buf[:0], key...), row...)
	root.keyLen, root.seq = len(key), seq
	h.down(0)
	return nil
}

// overflow moves the heap's rows to a sorter, in the order in which equal keys
// came, and adds one more.
func (h *topHeap) overflow(key, row []byte) error {
	if len(h.rows) == h.want {
		h.bound = bytes.Clone(h.rows[0].key())
	}
	h.sorter = &spill.Sorter{}
	h.sorter.Open(h.cx)
	if err := spill.Sort(h.cx, h.rows, compareTop); err != nil {
		return err
	}
	rows := h.rows
	h.rows = nil
	h.hold.Release()
	for i := range rows {
		if err := h.sorter.Add(rows[i].key(), rows[i].row()); err != nil {
			return err
		}
		rows[i].buf = nil
	}
	return h.sorter.Add(key, row)
}

// merge adds the rows of another heap, which is empty after that.
func (h *topHeap) merge(o *topHeap) error {
	for i := range o.rows {
		if err := h.offer(o.rows[i].key(), o.rows[i].row(), o.rows[i].seq); err != nil {
			return err
		}
	}
	o.hold.Release()
	o.rows = nil
	if o.sorter == nil {
		return nil
	}
	defer o.sorter.Close()
	if err := o.sorter.Finish(); err != nil {
		return err
	}
	// No more than the wanted ones of them can be among the first.
	for range h.want {
		key, row, err := o.sorter.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := h.offer(key, row, math.MaxInt64); err != nil {
			return err
		}
	}
	return nil
}

const (
	topRowBytes = 48       // of a topRow, beside what it points to
	smallHeap   = 64 << 10 // bytes that a heap takes though others have used up work_mem
)

// take books n more bytes; false if they are not there.
func (h *topHeap) take(n int) bool {
	if n == 0 {
		return true
	}
	want := h.hold.Bytes() + int64(n) + topRowBytes
	return h.hold.To(want) || want <= smallHeap && h.hold.MustTo(want) == nil
}

func (h *topHeap) up(i int) {
	for i > 0 {
		p := (i - 1) / 2
		if compareTop(h.rows[i], h.rows[p]) <= 0 {
			return
		}
		h.rows[i], h.rows[p] = h.rows[p], h.rows[i]
		i = p
	}
}

func (h *topHeap) down(i int) {
	for {
		c := 2*i + 1
		if c >= len(h.rows) {
			return
		}
		if c+1 < len(h.rows) && compareTop(h.rows[c+1], h.rows[c]) > 0 {
			c++
		}
		if compareTop(h.rows[c], h.rows[i]) <= 0 {
			return
		}
		h.rows[i], h.rows[c] = h.rows[c], h.rows[i]
		i = c
	}
}
