package exec

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// spillFile is a temporary file of records, written once and then read. It has
// no name on systems where an open file can be removed.
//
//	record  length of key, length of row (uvarints), key, row
type spillFile struct {
	f        *os.File
	unlinked bool
	w        *bufio.Writer
	r        *bufio.Reader
	bytes    int64
	buf      []byte
	hold     memory.Share // of the buffers
}

const spillBuffer = 64 << 10

func newSpillFile(cx *Context) (*spillFile, error) {
	hold := memory.Of(cx.Memory, false)
	if err := hold.MustTo(spillBuffer); err != nil {
		return nil, err
	}
	f, err := os.CreateTemp(cx.Settings.TempDir, "saltsql-spill-*")
	if err != nil {
		hold.Release()
		return nil, spillError(err)
	}
	// Nothing is left of it, however the process ends; where an open file cannot be
	// removed close does it.
	unlinked := os.Remove(f.Name()) == nil
	return &spillFile{f: f, unlinked: unlinked, hold: hold, w: bufio.NewWriterSize(f, spillBuffer)}, nil
}

func spillError(err error) error {
	e := sqlerr.New(sqlerr.IOError, "could not use a temporary file: %v", err).
		WithHint("Raise work_mem, or free space in the folder for temporary files.")
	e.Cause = err
	return e
}

func (s *spillFile) write(key, row []byte) error {
	var head [2 * binary.MaxVarintLen64]byte
	n := binary.PutUvarint(head[:], uint64(len(key)))
	n += binary.PutUvarint(head[n:], uint64(len(row)))
	s.bytes += int64(n + len(key) + len(row))
	for _, b := range [3][]byte{head[:n], key, row} {
		if _, err := s.w.Write(b); err != nil {
			return spillError(err)
		}
	}
	return nil
}

// rewind ends writing and starts reading.
func (s *spillFile) rewind() error {
	if err := s.w.Flush(); err != nil {
		return spillError(err)
	}
	s.w = nil
	if _, err := s.f.Seek(0, io.SeekStart); err != nil {
		return spillError(err)
	}
	s.r = bufio.NewReaderSize(s.f, spillBuffer)
	return nil
}

// read gives the next record, valid until the next call, or io.EOF.
func (s *spillFile) read() (key, row []byte, err error) {
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

func (s *spillFile) close() {
	if s.f != nil {
		s.f.Close()
		if !s.unlinked {
			os.Remove(s.f.Name())
		}
		s.hold.Release()
		s.f, s.w, s.r, s.buf = nil, nil, nil, nil
	}
}
