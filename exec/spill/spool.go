package spill

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// Spool keeps rows in the order they were added, in memory while the
// statement's account allows and then in a file.
type Spool struct {
	cx      *op.Context
	hold    memory.Share
	chunks  [][]byte // whole rows
	rows    int      // not given out yet
	chunk   int      // being read
	at      []byte   // its rest
	file    *File
	buf     []byte
	row     []byte
	scratch Scratch
}

// Open begins anew.
func (s *Spool) Open(cx *op.Context) {
	*s = Spool{cx: cx, hold: memory.Of(cx.Memory, true)}
	s.scratch.Open(cx)
}

// Add keeps the selected rows of a batch.
func (s *Spool) Add(b *vec.Batch) error {
	for i := range b.Rows() {
		s.row = AppendRow(s.row[:0], b.Cols, b.Row(i))
		if err := s.scratch.Book(cap(s.row)); err != nil {
			return err
		}
		if err := s.AddRow(s.row); err != nil {
			return err
		}
	}
	return nil
}

// AddRow keeps a row that AppendRow made.
func (s *Spool) AddRow(row []byte) error {
	s.rows++
	if s.file != nil {
		return s.file.Write(nil, row)
	}
	last := len(s.chunks) - 1
	if last < 0 || cap(s.chunks[last])-len(s.chunks[last]) < len(row) {
		size := max(4<<10<<min(len(s.chunks), 6), len(row))
		if !s.hold.To(s.hold.Bytes() + int64(size)) {
			var err error
			if s.file, err = NewFile(s.cx); err != nil {
				return err
			}
			return s.file.Write(nil, row)
		}
		s.chunks = append(s.chunks, make([]byte, 0, size))
		last++
	}
	s.chunks[last] = append(s.chunks[last], row...)
	return nil
}

// Rewind ends adding and starts reading.
func (s *Spool) Rewind() error {
	s.chunk, s.at = 0, nil
	if len(s.chunks) > 0 {
		s.at = s.chunks[0]
	}
	if s.file != nil {
		return s.file.Rewind()
	}
	return nil
}

// Fill puts the next rows into out, valid until the next call, or gives io.EOF.
func (s *Spool) Fill(out *vec.Batch) error {
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
			rest := DecodeRow(s.at, out.Cols, n)
			bytes += len(s.at) - len(rest)
			s.at = rest
			continue
		}
		_, row, err := s.file.Read()
		if err != nil {
			return err
		}
		bytes += len(row)
		from := len(s.buf)
		s.buf = append(s.buf, row...)
		DecodeRow(s.buf[from:], out.Cols, n)
	}
	s.rows -= n
	out.N, out.Sel = n, nil
	return nil
}

// Close gives back memory and file.
func (s *Spool) Close() {
	s.hold.Release()
	s.scratch.Close()
	if s.file != nil {
		s.file.Close()
	}
	*s = Spool{}
}
