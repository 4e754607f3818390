package spill

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// RowSet is a set of rows in files, for an operator that must know at once of each row whether it
// came before, and has no memory for the rows. A row costs a read and a write of one page, and a
// read of each row with the same hash, however many rows there are.
//
//	rows   length, row | length, row | …     as AppendRow makes them
//	index  page 0 | page 1 | page 2 | …      slots {hash, place in rows}
//
// The index is a table of linear hashing: bucket b begins at page 2b and goes on in pages of odd
// numbers, where it has more slots than a page. It grows by one bucket at a time, whose slots come
// from the bucket that is next in turn. A page that was not written is empty.
type RowSet struct {
	types   []types.T
	rows    tempFile
	index   tempFile
	hold    memory.Share // of tail and page
	scratch Scratch      // of buf and slots

	n       int64
	buckets uint64
	round   uint64   // buckets when the present round of splits began: a power of two
	more    uint64   // pages of odd numbers that were made
	free    []uint64 // of those, the ones not in use
	base    int64    // bytes of rows in the file
	tail    []byte   // rows after those
	page    []byte
	slots   []setSlot // of the bucket that is split
	row     []*vec.Vec
	buf     []byte
}

type setSlot struct{ hash, at uint64 }

// A page begins with the number of its slots (4 bytes) and, 0 for none, the number of the page in
// which its bucket goes on (8 bytes).
const (
	setPage    = 4 << 10
	setHead    = 16
	setSlotLen = 16
	setSlots   = (setPage - setHead) / setSlotLen
	setFill    = setSlots * 3 / 4 // rows for each bucket, on average
	setTail    = 64 << 10
	firstRound = 16
)

// NewRowSet makes an empty set of rows of types ts.
func NewRowSet(cx *op.Context, ts []types.T) (*RowSet, error) {
	s := &RowSet{types: ts, buckets: firstRound, round: firstRound, hold: memory.Of(cx.Memory, false)}
	s.scratch.Open(cx)
	err := s.hold.MustTo(setTail + setPage)
	for _, f := range []*tempFile{&s.rows, &s.index} {
		if err == nil {
			f.File, f.unlinked, err = newTempFile(cx)
		}
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	s.page = make([]byte, setPage)
	for _, t := range ts {
		s.row = append(s.row, vec.New(t))
	}
	return s, nil
}

// AddRows puts the slots sel of columns into the set, and appends to fresh those of them that it
// had no equal row of. Equal rows have equal hashes, which are by slot.
func (s *RowSet) AddRows(cols []*vec.Vec, sel []uint16, hashes []uint64, fresh []uint16) ([]uint16, error) {
	for _, slot := range sel {
		isNew, err := s.add(cols, int(slot), hashes[slot])
		if err != nil {
			return nil, err
		}
		if isNew {
			fresh = append(fresh, slot)
		}
	}
	return fresh, nil
}

func (s *RowSet) add(cols []*vec.Vec, slot int, hash uint64) (isNew bool, err error) {
	p := 2 * s.bucket(hash)
	for {
		if err := s.readPage(p); err != nil {
			return false, err
		}
		for i := range s.count() {
			if e := s.slot(i); e.hash == hash {
				if same, err := s.equal(int64(e.at), cols, slot); same || err != nil {
					return false, err
				}
			}
		}
		next := s.next()
		if next == 0 {
			break
		}
		p = next
	}
	e := setSlot{hash, uint64(s.base) + uint64(len(s.tail))}
	if err := s.keep(cols, slot); err != nil {
		return false, err
	}
	if p, err = s.put(p, e); err == nil {
		err = s.writePage(p)
	}
	if s.n++; err == nil && s.n > int64(s.buckets)*setFill {
		err = s.split()
	}
	return true, err
}

// Bytes is the size of the files.
func (s *RowSet) Bytes() int64 {
	return s.base + int64(len(s.tail)) + int64(s.buckets+s.more)*setPage
}

func (s *RowSet) bucket(hash uint64) uint64 {
	b := hash & (2*s.round - 1)
	if b >= s.buckets { // it has not been split from its lower half
		b &= s.round - 1
	}
	return b
}

// split makes one bucket more, of a part of the slots of another.
func (s *RowSet) split() error {
	from, made := s.buckets-s.round, s.buckets
	s.slots = s.slots[:0]
	for p := 2 * from; ; {
		if err := s.readPage(p); err != nil {
			return err
		}
		for i := range s.count() {
			s.slots = append(s.slots, s.slot(i))
		}
		if p%2 == 1 {
			s.free = append(s.free, p)
		}
		if p = s.next(); p == 0 {
			break
		}
	}
	if err := s.book(); err != nil {
		return err
	}
	if s.buckets++; s.buckets == 2*s.round {
		s.round = s.buckets
	}
	for _, b := range [2]uint64{from, made} {
		p := 2 * b
		clear(s.page)
		for _, e := range s.slots {
			if s.bucket(e.hash) != b {
				continue
			}
			var err error
			if p, err = s.put(p, e); err != nil {
				return err
			}
		}
		if err := s.writePage(p); err != nil {
			return err
		}
	}
	return nil
}

// put adds a slot to the page in memory, which is the last of its bucket and has the number p.
// Where the page is full it is written, and another takes its place.
func (s *RowSet) put(p uint64, e setSlot) (last uint64, err error) {
	n := s.count()
	if n == setSlots {
		more := 2*s.more + 1
		if k := len(s.free); k > 0 {
			more, s.free = s.free[k-1], s.free[:k-1]
		} else {
			s.more++
		}
		binary.LittleEndian.PutUint64(s.page[8:], more)
		if err := s.writePage(p); err != nil {
			return 0, err
		}
		clear(s.page)
		p, n = more, 0
	}
	at := s.page[setHead+n*setSlotLen:]
	binary.LittleEndian.PutUint64(at, e.hash)
	binary.LittleEndian.PutUint64(at[8:], e.at)
	binary.LittleEndian.PutUint32(s.page, uint32(n+1))
	return p, nil
}

func (s *RowSet) count() int   { return int(binary.LittleEndian.Uint32(s.page)) }
func (s *RowSet) next() uint64 { return binary.LittleEndian.Uint64(s.page[8:]) }

func (s *RowSet) slot(i int) setSlot {
	at := s.page[setHead+i*setSlotLen:]
	return setSlot{binary.LittleEndian.Uint64(at), binary.LittleEndian.Uint64(at[8:])}
}

func (s *RowSet) readPage(p uint64) error {
	n, err := s.index.ReadAt(s.page, int64(p)*setPage)
	if err != nil && !errors.Is(err, io.EOF) {
		return spillError(err)
	}
	clear(s.page[n:])
	return nil
}

func (s *RowSet) writePage(p uint64) error {
	if _, err := s.index.WriteAt(s.page, int64(p)*setPage); err != nil {
		return spillError(err)
	}
	return nil
}

// keep adds a row to those in rows.
func (s *RowSet) keep(cols []*vec.Vec, slot int) error {
	s.buf = AppendRow(s.buf[:0], cols, slot)
	if err := s.book(); err != nil {
		return err
	}
	s.tail = binary.AppendUvarint(s.tail, uint64(len(s.buf)))
	if len(s.tail)+len(s.buf) <= setTail { // a row is whole in the file, or in the tail
		s.tail = append(s.tail, s.buf...)
		return nil
	}
	for _, part := range [2][]byte{s.tail, s.buf} {
		if _, err := s.rows.WriteAt(part, s.base); err != nil {
			return spillError(err)
		}
		s.base += int64(len(part))
	}
	s.tail = s.tail[:0]
	return nil
}

// equal says whether the row at a place is equal to a slot of columns.
func (s *RowSet) equal(at int64, cols []*vec.Vec, slot int) (bool, error) {
	const first = 512 // bytes that are read of a row whose length is not known
	row, err := s.read(at, first)
	if err != nil {
		return false, err
	}
	size, w := binary.Uvarint(row)
	if row = row[w:]; uint64(len(row)) < size {
		if row, err = s.read(at+int64(w), int(size)); err != nil {
			return false, err
		}
	}
	for _, v := range s.row {
		v.Resize(1)
	}
	DecodeRow(row[:size], s.row, 0)
	for i, v := range s.row {
		if !vec.Equal(v, 0, cols[i], slot) {
			return false, nil
		}
	}
	return true, nil
}

// read gives n bytes of rows from a place on, or those that there are.
func (s *RowSet) read(at int64, n int) ([]byte, error) {
	if at >= s.base {
		return s.tail[at-s.base:], nil
	}
	s.buf = slices.Grow(s.buf[:0], n)[:n]
	if err := s.book(); err != nil {
		return nil, err
	}
	got, err := s.rows.ReadAt(s.buf, at)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, spillError(err)
	}
	return s.buf[:got], nil
}

func (s *RowSet) book() error {
	return s.scratch.Book(cap(s.buf) + setSlotLen*cap(s.slots) + 8*cap(s.free))
}

// Close gives back memory and files.
func (s *RowSet) Close() {
	s.rows.close()
	s.index.close()
	s.hold.Release()
	s.scratch.Close()
}

// tempFile is a file that newTempFile made.
type tempFile struct {
	*os.File
	unlinked bool
}

func (f *tempFile) close() {
	if f.File != nil {
		f.Close()
		if !f.unlinked {
			os.Remove(f.Name())
		}
		f.File = nil
	}
}
