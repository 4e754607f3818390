package exec

import (
	"bufio"
	"encoding/binary"
	"io"
	"os"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// spillFile is a temporary file of records, written once and then read. It has
// no name on systems where an open file can be removed.
//
//	record  length of key, length of row (uvarints), key, row
type spillFile struct {
	f     *os.File
	w     *bufio.Writer
	r     *bufio.Reader
	bytes int64
	buf   []byte
}

const spillBuffer = 64 << 10

func newSpillFile(cx *Context) (*spillFile, error) {
	f, err := os.CreateTemp(cx.Settings.TempDir, "saltsql-spill-*")
	if err != nil {
		return nil, spillError(err)
	}
	return &spillFile{f: f, w: bufio.NewWriterSize(f, spillBuffer)}, nil
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
		s.buf = make([]byte, n, max(n, 2*cap(s.buf)))
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
		os.Remove(s.f.Name())
		s.f = nil
	}
}
