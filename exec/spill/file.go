package spill

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// File is a temporary file of records, written once and then read, any number of
// times. It has no name on systems where an open file can be removed.
//
//	record  length of key, length of row (uvarints), key, row
type File struct {
	f        *os.File
	unlinked bool
	w        *bufio.Writer
	r        *bufio.Reader
	Bytes    int64
	buf      []byte
	hold     memory.Share // of the buffers
	view     bool         // f is another's
}

const spillBuffer = 64 << 10

// NewFile makes a file in the folder for temporary files.
func NewFile(cx *op.Context) (*File, error) {
	hold := memory.Of(cx.Memory, false)
	if err := hold.MustTo(spillBuffer); err != nil {
		return nil, err
	}
	f, unlinked, err := newTempFile(cx)
	if err != nil {
		hold.Release()
		return nil, err
	}
	return &File{f: f, unlinked: unlinked, hold: hold, w: bufio.NewWriterSize(f, spillBuffer)}, nil
}

// newTempFile makes a file of which nothing is left, however the process ends: where an
// open file cannot be removed, who has it removes it when it is closed.
func newTempFile(cx *op.Context) (f *os.File, unlinked bool, err error) {
	f, err = os.CreateTemp(cx.Settings.TempDir, "saltsql-spill-*")
	if err != nil {
		return nil, false, spillError(err)
	}
	return f, os.Remove(f.Name()) == nil, nil
}

func spillError(err error) error {
	e := sqlerr.New(sqlerr.IOError, "could not use a temporary file: %v", err).
		WithHint("Raise work_mem, or free space in the folder for temporary files.")
	e.Cause = err
	return e
}

// Write adds a record.
func (s *File) Write(key, row []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	n += binary.PutUvarint(head[n:], uint64(len(row)))
	s.Bytes += int64(n + len(key) + len(row))
	for _, b := range [3][]byte{head[:n], key, row} {
		if _, err := s.w.Write(b); err != nil {
			return spillError(err)
		}
	}
	return nil
}

// Park ends writing and gives the memory of buffers back until rewind.
func (s *File) Park() error {
	if s.w != nil {
		if err := s.w.Flush(); err != nil {
			return spillError(err)
		}
	}
	s.w, s.r, s.buf = nil, nil, nil
	s.hold.Release()
	return nil
}

// Rewind ends writing and starts reading from the first record.
func (s *File) Rewind() error {
	if s.w != nil {
		if err := s.w.Flush(); err != nil {
			return spillError(err)
		}
		s.w = nil
	}
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return spillError(err)
	}
	if s.r != nil {
		s.r.Reset(s.f)
		return nil
	}
	if s.hold.Bytes() == 0 { // it was parked
		if err := s.hold.MustTo(spillBuffer); err != nil {
			return err
		}
	}
	s.r = bufio.NewReaderSize(s.f, spillBuffer)
	return nil
}

// Reader gives another reader of the records, from the first one, beside whoever writes
// more of them and reads. What has been written must have been flushed.
func (s *File) Reader(cx *op.Context) (*File, error) {
	v := &File{f: s.f, view: true, hold: memory.Of(cx.Memory, false)}
	if err := v.hold.MustTo(spillBuffer); err != nil {
		return nil, err
	}
	v.r = bufio.NewReaderSize(&fileBytes{f: s.f}, spillBuffer)
	return v, nil
}

// fileBytes reads a file that grows: its end is told only where nothing comes with it,
// for a buffer keeps that in mind.
type fileBytes struct {
	f  *os.File
	at int64
}

func (b *fileBytes) Read(p []byte) (int, error) {
	n, err := b.f.ReadAt(p, b.at)
	b.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (s *File) Flush() error {
	if err := s.w.Flush(); err != nil {
		return spillError(err)
	}
	return nil
}

// Read gives the next record, valid until the next call, or io.EOF.
func (s *File) Read() (key, row []byte, err error) {
	k, err := binary.ReadUvarint(s.r)
	if err == io.EOF {
		return nil, nil, io.EOF
	}
	if err != nil {
		return nil, nil, spillError(err)
	}
	r, err := binary.ReadUvarint(s.r)
	if err != nil {
		return nil, nil, spillError(err)
	}
	n := int(k + r)
	if cap(s.buf) < n {
		size := max(n, min(2*cap(s.buf), spillBuffer))
		if err := s.hold.MustTo(int64(spillBuffer + size)); err != nil {
			return nil, nil, err
		}
		s.buf = make([]byte, n, size)
	}
	s.buf = s.buf[:n]
	if _, err := io.ReadFull(s.r, s.buf); err != nil {
		return nil, nil, spillError(err)
	}
	return s.buf[:k:k], s.buf[k:], nil
}

func (s *File) Close() {
	if s.f != nil {
		if !s.view {
			s.f.Close()
			if !s.unlinked {
				os.Remove(s.f.Name())
			}
		}
		s.hold.Release()
		s.f, s.w, s.r, s.buf = nil, nil, nil, nil
	}
}
