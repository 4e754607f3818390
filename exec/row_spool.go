package exec

import (
	"io"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// rowSpool keeps rows in the order they were added, in memory while the
// statement's account allows and then in a file.
type rowSpool struct {
	cx     *Context
	hold   memory.Share
	chunks [][]byte // whole rows
	rows   int      // not given out yet
	chunk  int      // being read
	at     []byte   // its rest
	file   *spillFile
	buf    []byte
	row    []byte
}

func (s *rowSpool) open(cx *Context) { *s = rowSpool{cx: cx, hold: memory.Of(cx.Memory, true)} }

// add keeps the selected rows of a batch.
func (s *rowSpool) add(b *vec.Batch) error {
	for i := range b.Rows() {
		s.row = appendRow(s.row[:0], b.Cols, b.Row(i))
		if err := s.addRow(s.row); err != nil {
			return err
		}
	}
	return nil
}

func (s *rowSpool) addRow(row []byte) error {
	s.rows++
	if s.file != nil {
		return s.file.write(nil, row)
	}
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < len(row) {
		size := max(4<<10<<min(len(s.chunks), 6), len(row))
		if !s.hold.To(s.hold.Bytes() + int64(size)) {
			var err error
			if s.file, err = newSpillFile(s.cx); err != nil {
				return err
			}
			return s.file.write(nil, row)
		}
		s.chunks = append(s.chunks, make([]byte, 0, size))
		last++
	}
	s.chunks[last] = append(s.chunks[last], row...)
	return nil
}

// rewind ends adding and starts reading.
func (s *rowSpool) rewind() error {
	s.chunk, s.at = 0, nil
	if len(s.chunks) > 0 {
		s.at = s.chunks[0]
	}
	if s.file != nil {
		return s.file.rewind()
	}
	return nil
}

// fill puts the next rows into out, valid until the next call, or gives io.EOF.
func (s *rowSpool) fill(out *vec.Batch) error {
	if s.rows == 0 {
		return io.EOF
	}
	most := min(s.rows, vec.MaxRows)
	for _, v := range out.Cols {
		v.Resize(most)
	}
	poison.Bytes(s.buf)
	s.buf = s.buf[:0]
	n, bytes := 0, 0
	for ; n < most && bytes < storage.MaxBatchBytes; n++ {
		for len(s.at) == 0 && s.chunk+1 < len(s.chunks) {
			s.chunk++
			s.at = s.chunks[s.chunk]
		}
		if s.chunk < len(s.chunks) && (len(s.at) > 0 || s.file == nil) {
			rest := decodeRow(s.at, out.Cols, n)
			bytes += len(s.at) - len(rest)
			s.at = rest
			continue
		}
		_, row, err := s.file.read()
		if err != nil {
			return err
		}
		bytes += len(row)
		from := len(s.buf)
		s.buf = append(s.buf, row...)
		decodeRow(s.buf[from:], out.Cols, n)
	}
	s.rows -= n
	out.N, out.Sel = n, nil
	return nil
}

func (s *rowSpool) close() {
	s.hold.Release()
	if s.file != nil {
		s.file.close()
	}
	*s = rowSpool{}
}
