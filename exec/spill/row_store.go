package spill

import (
	"os"
	"slices"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// RowStore keeps rows that can be read by their number, in any direction, while more are
// added: what a cursor that scrolls or outlives its transaction gives out. All but the
// last ones are in a file without a name.
//
//	file  row0 row1 row2 …  | tail  … rowN
//	ends  ^    ^    ^
type RowStore struct {
	dir  string
	hold memory.Share
	ends []int64 // of the rows, in bytes from the first
	base int64   // bytes in the file
	tail []byte
	f    *os.File
	gone bool // f has no name any more
	buf  []byte
}

// storeTail is how many bytes of rows are kept in memory.
const storeTail = 256 << 10

// NewRowStore makes an empty store that books what it holds in memory; dir is for its
// file.
func NewRowStore(a *memory.Account, dir string) *RowStore {
	return &RowStore{dir: dir, hold: memory.Of(a, false)}
}

// Rows is how many rows there are.
func (s *RowStore) Rows() int64 { return int64(len(s.ends)) }

// Add keeps the selected rows of a batch.
func (s *RowStore) Add(b *vec.Batch) error {
	for i := range b.Rows() {
		s.tail = AppendRow(s.tail, b.Cols, b.Row(i))
		s.ends = append(s.ends, s.base+int64(len(s.tail)))
		if len(s.tail) >= storeTail {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	return s.book()
}

func (s *RowStore) book() error {
	return s.hold.MustTo(int64(8*cap(s.ends) + cap(s.tail) + cap(s.buf)))
}

func (s *RowStore) flush() error {
	if s.f == nil {
		f, err := os.CreateTemp(s.dir, "saltsql-cursor-*")
		if err != nil {
			return spillError(err)
		}
		// Nothing is left of it, however the process ends; where an open file cannot be
		// removed Close does it.
		s.f, s.gone = f, os.Remove(f.Name()) == nil
	}
	if _, err := s.f.WriteAt(s.tail, s.base); err != nil {
		return spillError(err)
	}
	s.base += int64(len(s.tail))
	s.tail = s.tail[:0]
	if cap(s.tail) > 2*storeTail {
		s.tail = nil
	}
	return nil
}

// Read puts up to n rows into out, from row number from on, or back from it, and says how
// many: fewer where they are large. They are valid until the next call.
func (s *RowStore) Read(out *vec.Batch, from int64, n int, back bool) (int, error) {
	n = min(n, vec.MaxRows)
	first := from
	if back {
		first = from - int64(n) + 1
	}
	for n > 1 && s.ends[first+int64(n)-1]-s.start(first) > storage.MaxBatchBytes {
		n /= 2
		if back {
			first = from - int64(n) + 1
		}
	}
	lo, hi := s.start(first), s.ends[first+int64(n)-1]
	s.buf = slices.Grow(s.buf[:0], int(hi-lo))[:hi-lo]
	if err := s.book(); err != nil {
		return 0, err
	}
	fromFile := min(max(s.base-lo, 0), hi-lo)
	if fromFile > 0 {
		if _, err := s.f.ReadAt(s.buf[:fromFile], lo); err != nil {
			return 0, spillError(err)
		}
	}
	if fromFile < hi-lo {
		copy(s.buf[fromFile:], s.tail[lo+fromFile-s.base:])
	}
	for _, v := range out.Cols {
		v.Resize(n)
	}
	rest := s.buf
	for i := range n {
		slot := i
		if back {
			slot = n - 1 - i
		}
		rest = DecodeRow(rest, out.Cols, slot)
	}
	out.N, out.Sel = n, nil
	return n, nil
}

func (s *RowStore) start(row int64) int64 {
	if row == 0 {
		return 0
	}
	return s.ends[row-1]
}

// Close gives back memory and file.
func (s *RowStore) Close() {
	s.hold.Release()
	if s.f != nil {
		s.f.Close()
		if !s.gone {
			os.Remove(s.f.Name())
		}
	}
	*s = RowStore{}
}
