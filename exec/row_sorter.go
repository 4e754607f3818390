package exec

import (
	"bytes"
	"encoding/binary"
	"io"
	"slices"

	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
)

// rowSorter sorts any number of rows: in memory while the statement's account
// allows, else in runs on disk that are merged.
//
//	add   key + row bytes into chunks; an entry each
//	full  sort entries, write them to a file as a run
//	next  the sorted entries, or a merge of the runs by a loser tree
//
// Rows with equal keys keep the order they came in.
type rowSorter struct {
	cx      *Context
	hold    holding
	chunks  [][]byte
	entries []sortEntry
	runs    []*spillFile
	spilled int64

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

const (
	sortChunk  = 256 << 10
	maxRuns    = 64 // merged at once
	entryBytes = 24
)

func (s *rowSorter) open(cx *Context) {
	*s = rowSorter{cx: cx, hold: holding{a: &cx.mem}}
}

// add keeps a row; key and row are copied.
func (s *rowSorter) add(key, row []byte) error {
	n := len(key) + len(row)
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < n {
		size := max(sortChunk, n)
		// Entries grow by doubling; what they take is counted with the chunk.
		if !s.hold.to(s.hold.n + int64(size) + int64(size/8)) {
			if len(s.entries) > 0 {
				if err := s.spill(); err != nil {
					return err
				}
			}
			s.hold.forceTo(s.hold.n + int64(size) + int64(size/8))
		}
		s.chunks = append(s.chunks, make([]byte, 0, size))
		last = len(s.chunks) - 1
	}
	c := s.chunks[last]
	var k runKey
	k.set(key)
	s.entries = append(s.entries, sortEntry{k.head, uint32(last), uint32(len(c)), uint32(len(key)), uint32(len(row))})
	s.chunks[last] = append(append(c, key...), row...)
	return nil
}

func (s *rowSorter) key(e *sortEntry) []byte {
	return s.chunks[e.chunk][e.at : e.at+e.keyLen]
}

func (s *rowSorter) row(e *sortEntry) []byte {
	at := e.at + e.keyLen
	return s.chunks[e.chunk][at : at+e.rowLen : at+e.rowLen]
}

func (s *rowSorter) sort() {
	slices.SortFunc(s.entries, func(a, b sortEntry) int {
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
func (s *rowSorter) spill() error {
	s.sort()
	f, err := newSpillFile(s.cx)
	if err != nil {
		return err
	}
	s.runs = append(s.runs, f)
	for i := range s.entries {
		e := &s.entries[i]
		if err := f.write(s.key(e), s.row(e)); err != nil {
			return err
		}
	}
	if err := f.rewind(); err != nil {
		return err
	}
	s.spilled += f.bytes
	s.chunks, s.entries = nil, s.entries[:0]
	s.hold.release()
	if len(s.runs) == maxRuns {
		return s.mergeRuns()
	}
	return s.cx.canceled()
}

// mergeRuns makes one run of all.
func (s *rowSorter) mergeRuns() error {
	out, err := newSpillFile(s.cx)
	if err != nil {
		return err
	}
	m, err := newRunMerge(s.runs)
	for err == nil {
		var key, row []byte
		if key, row, err = m.next(); err == nil {
			err = out.write(key, row)
		}
	}
	if err == io.EOF {
		err = out.rewind()
	}
	for _, f := range s.runs {
		f.close()
	}
	s.runs = append(s.runs[:0], out)
	s.spilled += out.bytes
	return err
}

// finish ends adding.
func (s *rowSorter) finish() error {
	s.pos = 0
	if len(s.runs) == 0 {
		s.sort()
		return nil
	}
	if len(s.entries) > 0 {
		if err := s.spill(); err != nil {
			return err
		}
	}
	var err error
	s.merged, err = newRunMerge(s.runs)
	return err
}

// next gives the next row in order, or io.EOF. Rows of the memory sort live until
// close, those of a merge until the next call.
func (s *rowSorter) next() (key, row []byte, err error) {
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

// fill decodes the next rows into out; io.EOF if there are none. buf keeps
// their bytes until the next call.
func (s *rowSorter) fill(out *vec.Batch, buf *[]byte) error {
	for _, c := range out.Cols {
		c.Resize(vec.MaxRows)
	}
	poison.Bytes(*buf)
	*buf = (*buf)[:0]
	n := 0
	for n < vec.MaxRows {
		_, row, err := s.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if s.merged != nil {
			// What was decoded before keeps pointing into an old array if this
			// grows into a new one.
			at := len(*buf)
			*buf = append(*buf, row...)
			row = (*buf)[at:]
		}
		decodeRow(row, out.Cols, n)
		n++
	}
	if n == 0 {
		return io.EOF
	}
	out.N, out.Sel = n, nil
	return nil
}

func (s *rowSorter) close() {
	for _, f := range s.runs {
		f.close()
	}
	s.hold.release()
	s.runs, s.chunks, s.entries, s.merged = nil, nil, nil, nil
}

// runMerge merges sorted files.
type runMerge struct {
	files []*spillFile
	runs  []runKey
	rows  [][]byte
	tree  loserTree
	begun bool
}

func newRunMerge(files []*spillFile) (*runMerge, error) {
	m := &runMerge{files: files, runs: make([]runKey, len(files)), rows: make([][]byte, len(files))}
	for i := range files {
		if err := m.advance(i); err != nil {
			return nil, err
		}
	}
	m.tree.reset(m.runs, false)
	return m, nil
}

func (m *runMerge) advance(i int) error {
	key, row, err := m.files[i].read()
	if err == io.EOF {
		m.runs[i].done = true
		return nil
	}
	if err != nil {
		return err
	}
	m.runs[i].set(key)
	m.rows[i] = row
	return nil
}

func (m *runMerge) next() (key, row []byte, err error) {
	if len(m.files) == 0 {
		return nil, nil, io.EOF
	}
	if m.begun {
		w, _ := m.tree.winner()
		if err := m.advance(w); err != nil {
			return nil, nil, err
		}
		m.tree.replay()
	}
	m.begun = true
	w, done := m.tree.winner()
	if done {
		m.begun = false
		return nil, nil, io.EOF
	}
	return m.runs[w].key, m.rows[w], nil
}

// appendGroup makes a key that sorts by group first.
func appendGroup(dst []byte, group uint32) []byte {
	return binary.BigEndian.AppendUint32(dst, group)
}
