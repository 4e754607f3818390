package spill

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/losertree"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// Sorter sorts any number of rows: in memory while the statement's account
// allows, else in runs on disk that are merged.
//
//	add   key + row bytes into chunks; an entry each
//	full  sort entries, write them to a file as a run
//	next  the sorted entries, or a merge of the runs by a loser tree
//
// Rows with equal keys keep the order they came in. maxRuns runs that were merged
// equally often become one, so that a row is written once for each power of maxRuns.
type Sorter struct {
	cx      *op.Context
	hold    memory.Share
	filled  Scratch // of the rows given out last, where they come from files
	chunks  [][]byte
	entries []sortEntry
	runs    []sortRun
	Spilled int64

	pos    int // next entry
	merged *runMerge
}

// sortEntry is one row: key and row bytes lie in chunks[chunk][at:].
type sortEntry struct {
	head   uint64 // the key's first bytes
	chunk  uint32
	at     uint32
	keyLen uint32
	rowLen uint32
}

// sortRun is a sorted file; level counts the merges behind it, and never grows from one
// run to the next.
type sortRun struct {
	*File
	level int
}

const (
	firstChunk = 4 << 10 // a sort may be of few rows, and run for each of many others; the next is twice that
	sortChunk  = 256 << 10
	maxRuns    = 32 // merged at once
	entryBytes = 24
	// leastRun is what a sorter holds before it spills even where others have used up
	// work_mem, for the runs to be of some length. At most a quarter of work_mem.
	leastRun = 2 << 20
)

// Open begins anew.
func (s *Sorter) Open(cx *op.Context) {
	*s = Sorter{cx: cx, hold: memory.Of(cx.Memory, true)}
	s.filled.Open(cx)
}

// Add keeps a row; key and row are copied.
func (s *Sorter) Add(key, row []byte) error {
	n := len(key) + len(row)
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		size := max(min(firstChunk<<min(len(s.chunks), 16), sortChunk), n)
		if err := s.reserve(size); err != nil {
			return err
		}
		s.chunks = append(s.chunks, make([]byte, 0, size))
		last = len(s.chunks) - 1
	}
	c := s.chunks[last]
	var k losertree.Run
	k.Set(key)
	s.entries = append(s.entries, sortEntry{k.Head, uint32(last), uint32(len(c)), uint32(len(key)), uint32(len(row))})
	s.chunks[last] = append(append(c, key...), row...)
	return nil
}

// reserve books another chunk, and entries with it, which grow by doubling. Where there
// is no memory for it what is held is spilled.
func (s *Sorter) reserve(chunk int) error {
	entries := 2 * entryBytes * int64(max(cap(s.entries), 1024))
	want := func() int64 { return s.held() + int64(chunk) + entries }
	if s.hold.To(want()) {
		return nil
	}
	if s.held() >= min(leastRun, s.cx.Memory.Work()/4) {
		if err := s.spill(); err != nil {
			return err
		}
	}
	if s.hold.To(want()) {
		return nil
	}
	err := s.hold.MustTo(want())
	if err == nil || len(s.entries) == 0 {
		return err
	}
	if err := s.spill(); err != nil {
		return err
	}
	return s.hold.MustTo(want())
}

// held is the size of the chunks.
func (s *Sorter) held() int64 {
	var n int64
	for _, c := range s.chunks {
		n += int64(cap(c))
	}
	return n
}

func (s *Sorter) key(e *sortEntry) []byte {
	return s.chunks[e.chunk][e.at : e.at+e.keyLen]
}

func (s *Sorter) row(e *sortEntry) []byte {
	at := e.at + e.keyLen
	return s.chunks[e.chunk][at : at+e.rowLen : at+e.rowLen]
}

func (s *Sorter) sort() error {
	return Sort(s.cx, s.entries, func(a, b sortEntry) int {
		switch {
		case a.head < b.head:
			return -1
		case a.head > b.head:
			return 1
		}
		if c := bytes.Compare(s.key(&a), s.key(&b)); c != 0 {
			return c
		}
		if a.chunk != b.chunk {
			return int(a.chunk) - int(b.chunk)
		}
		return int(a.at) - int(b.at)
	})
}

// spill writes what is held as a sorted run.
func (s *Sorter) spill() error {
	if err := s.sort(); err != nil {
		return err
	}
	f, err := NewFile(s.cx)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, sortRun{f, 0})
	for i := range s.entries {
		e := &s.entries[i]
		if err := f.Write(s.key(e), s.row(e)); err != nil {
			return err
		}
		if i%vec.MaxRows == 0 {
			if err := s.cx.Canceled(); err != nil {
				return err
			}
		}
	}
	if err := f.Rewind(); err != nil {
		return err
	}
	s.Spilled += f.Bytes
	s.chunks, s.entries = nil, nil
	s.hold.Release()
	for s.lastOf() >= maxRuns {
		if err := s.mergeLast(s.lastOf()); err != nil {
			return err
		}
	}
	return s.cx.Canceled()
}

// lastOf counts the last runs, which are of one level.
func (s *Sorter) lastOf() int {
	n := 0
	for i := len(s.runs) - 1; i >= 0 && s.runs[i].level == s.runs[len(s.runs)-1].level; i-- {
		n++
	}
	return n
}

// mergeLast makes one run of the last n.
func (s *Sorter) mergeLast(n int) error {
	last := s.runs[len(s.runs)-n:]
	out, err := NewFile(s.cx)
	if err != nil {
		return err
	}
	m, err := newRunMerge(last)
	for rows := 0; err == nil; rows++ {
		var key, row []byte
		if key, row, err = m.next(); err == nil {
			err = out.Write(key, row)
		}
		if rows%vec.MaxRows == 0 && err == nil {
			err = s.cx.Canceled()
		}
	}
	if err == io.EOF {
		err = out.Rewind()
	}
	level := last[0].level + 1
	for _, f := range last {
		f.Close()
	}
	s.runs = append(s.runs[:len(s.runs)-n], sortRun{out, level})
	s.Spilled += out.Bytes
	return err
}

// Finish ends adding.
func (s *Sorter) Finish() error {
	s.pos = 0
	if len(s.runs) == 0 {
		return s.sort()
	}
	if len(s.entries) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	for len(s.runs) > maxRuns { // the youngest are the smallest
		if err := s.mergeLast(min(max(s.lastOf(), 2), maxRuns)); err != nil {
			return err
		}
	}
	var err error
	s.merged, err = newRunMerge(s.runs)
	return err
}

// Next gives the next row in order, or io.EOF. Rows of the memory sort live until
// close, those of a merge until the next call.
func (s *Sorter) Next() (key, row []byte, err error) {
	if s.merged != nil {
		return s.merged.next()
	}
	if s.pos == len(s.entries) {
		return nil, nil, io.EOF
	}
	e := &s.entries[s.pos]
	s.pos++
	return s.key(e), s.row(e), nil
}

// Fill decodes the next rows into out; io.EOF if there are none. buf keeps
// their bytes until the next call.
func (s *Sorter) Fill(out *vec.Batch, buf *[]byte) error {
	most := vec.MaxRows
	if s.merged == nil {
		most = min(most, len(s.entries)-s.pos)
	}
	for _, c := range out.Cols {
		c.Resize(most)
	}
	poison.Bytes(*buf)
	*buf = (*buf)[:0]
	n, size := 0, 0
	for n < most && size < storage.MaxBatchBytes {
		_, row, err := s.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		size += len(row)
		if s.merged != nil {
			// What was decoded before keeps pointing into an old array if this
			// grows into a new one.
			at := len(*buf)
			*buf = append(*buf, row...)
			if err := s.filled.Book(2 * cap(*buf)); err != nil {
				return err
			}
			row = (*buf)[at:]
		}
		DecodeRow(row, out.Cols, n)
		n++
	}
	if n == 0 {
		return io.EOF
	}
	out.N, out.Sel = n, nil
	return nil
}

// Close gives back memory and files.
func (s *Sorter) Close() {
	for _, f := range s.runs {
		f.Close()
	}
	s.hold.Release()
	s.filled.Close()
	s.runs, s.chunks, s.entries, s.merged = nil, nil, nil, nil
}

// runMerge merges sorted files.
type runMerge struct {
	files []sortRun
	runs  []losertree.Run
	rows  [][]byte
	tree  losertree.Tree
	begun bool
}

func newRunMerge(files []sortRun) (*runMerge, error) {
	m := &runMerge{files: files, runs: make([]losertree.Run, len(files)), rows: make([][]byte, len(files))}
	for i := range files {
		if err := m.advance(i); err != nil {
			return nil, err
		}
	}
	m.tree.Reset(m.runs, false)
	return m, nil
}

func (m *runMerge) advance(i int) error {
	key, row, err := m.files[i].Read()
	if err == io.EOF {
		m.runs[i].Done = true
		return nil
	}
	if err != nil {
		return err
	}
	m.runs[i].Set(key)
	m.rows[i] = row
	return nil
}

func (m *runMerge) next() (key, row []byte, err error) {
	if len(m.files) == 0 {
		return nil, nil, io.EOF
	}
	if m.begun {
		w, _ := m.tree.Winner()
		if err := m.advance(w); err != nil {
			return nil, nil, err
		}
		m.tree.Replay()
	}
	m.begun = true
	w, done := m.tree.Winner()
	if done {
		m.begun = false
		return nil, nil, io.EOF
	}
	return m.runs[w].Key, m.rows[w], nil
}

// AppendGroup makes a key that sorts by group first.
func AppendGroup(dst []byte, group uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, group)
}
