package copyfmt

import (
	"bufio"
	"encoding/binary"
	"io"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// The binary format: a header, rows, and a trailer. Numbers are big-endian.
//
//	50 47 43 4f 50 59 0a ff 0d 0a 00   signature
//	00 00 00 00                        flags
//	00 00 00 00                        length of an extension, which is skipped
//	00 02                              row: number of fields
//	00 00 00 04 00 00 00 07            field: length, bytes
//	ff ff ff ff                        field: NULL
//	ff ff                              trailer
const signature = "PGCOPY\n\xff\r\n\x00"

// binarySource reads rows of the binary format.
type binarySource struct {
	in    *bufio.Reader
	begun bool
	row64 int64
	field []byte
	grows func(n int) error // books a row of n bytes
}

func newBinarySource(src io.Reader, grows func(n int) error) *binarySource {
	return &binarySource{in: bufio.NewReaderSize(src, bufferBytes), grows: grows}
}

// unread is never needed: rows are numbered one by one.
func (s *binarySource) unread() {}

func (s *binarySource) row(r *Reader, i int) (int64, error) {
	if !s.begun {
		if err := s.header(); err != nil {
			return 0, err
		}
		s.begun = true
	}
	s.row64++
	n, err := s.int16()
	if err == io.EOF {
		return 0, io.EOF
	}
	if err != nil {
		return 0, where(err, LineContext(r.table, s.row64))
	}
	if n == -1 {
		return 0, s.trailer(r)
	}
	if int(n) != len(r.cols) {
		return 0, where(sqlerr.New(sqlerr.BadCopyFileFormat, "row field count is %d, expected %d", n, len(r.cols)),
			LineContext(r.table, s.row64))
	}
	for c := range r.cols {
		if err := s.value(r, c, i); err != nil {
			return 0, inBinaryColumn(err, r.table, s.row64, r.cols[c].Name)
		}
	}
	return s.row64, nil
}

// trailer allows nothing behind it.
func (s *binarySource) trailer(r *Reader) error {
	if _, err := s.in.ReadByte(); err == nil {
		return where(sqlerr.New(sqlerr.BadCopyFileFormat, "received copy data after EOF marker"),
			LineContext(r.table, s.row64))
	} else if err != io.EOF {
		return err
	}
	return io.EOF
}

func (s *binarySource) value(r *Reader, c, i int) error {
	n, err := s.int32()
	if err != nil {
		return unexpectedEOF(err)
	}
	v := r.batch.Cols[c]
	if n == -1 {
		v.Nulls.Set(i)
		return nil
	}
	if n < 0 {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "invalid field size")
	}
	if n > MaxRowBytes {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "a field of COPY data is longer than %d bytes", MaxRowBytes)
	}
	if err := s.read(int(n)); err != nil {
		return unexpectedEOF(err)
	}
	d, err := types.ParseBinary(r.cols[c].Type, s.field, r.env)
	if err != nil {
		return err
	}
	r.used += int(n)
	v.Set(i, d)
	return nil
}

// read fills s.field with n bytes, taking memory only as bytes arrive.
func (s *binarySource) read(n int) error {
	s.field = s.field[:0]
	for len(s.field) < n {
		step := min(n-len(s.field), bufferBytes)
		at := len(s.field)
		if at+step > cap(s.field) {
			if err := s.grows(min(2*at+step, n)); err != nil {
				return err
			}
		}
		s.field = append(s.field, make([]byte, step)...)
		if _, err := io.ReadFull(s.in, s.field[at:]); err != nil {
			return err
		}
	}
	return nil
}

func (s *binarySource) header() error {
	var b [len(signature)]byte
	if _, err := io.ReadFull(s.in, b[:]); err != nil && !ended(err) {
		return err
	} else if err != nil || string(b[:]) != signature {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "COPY file signature not recognized")
	}
	flags, err := s.int32()
	if err != nil {
		return headerFault(err, "missing flags")
	}
	if flags&(1<<16) != 0 {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "invalid COPY file header (WITH OIDS)")
	}
	if uint32(flags)>>16 != 0 {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "unrecognized critical flags in COPY file header")
	}
	n, err := s.int32()
	if err != nil || n < 0 {
		return headerFault(err, "missing length")
	}
	if _, err := s.in.Discard(int(n)); err != nil {
		return headerFault(err, "wrong length")
	}
	return nil
}

func headerFault(err error, what string) error {
	if err != nil && !ended(err) {
		return err
	}
	return sqlerr.New(sqlerr.BadCopyFileFormat, "invalid COPY file header (%s)", what)
}

func ended(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

func unexpectedEOF(err error) error {
	if ended(err) {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "unexpected EOF in COPY data")
	}
	return err
}

// int16 gives io.EOF only where the data ends before it.
func (s *binarySource) int16() (int16, error) {
	b, err := s.in.Peek(2)
	if err != nil {
		if len(b) > 0 {
			return 0, unexpectedEOF(err)
		}
		return 0, err
	}
	n := int16(binary.BigEndian.Uint16(b))
	_, err = s.in.Discard(2)
	return n, err
}

func (s *binarySource) int32() (int32, error) {
	b, err := s.in.Peek(4)
	if err != nil {
		return 0, err
	}
	n := int32(binary.BigEndian.Uint32(b))
	_, err = s.in.Discard(4)
	return n, err
}
