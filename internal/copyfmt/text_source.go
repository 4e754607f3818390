package copyfmt

import (
	"io"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// field is one column of a line. A NULL keeps the bytes it was told by.
type field struct {
	b    []byte
	null bool
}

// textSource reads rows of the text and csv formats.
type textSource struct {
	lines  *lineReader
	opts   *Options
	fields []field
	// scratch holds fields that are not in the line as they are.
	scratch []byte

	forceNotNull, forceNull []bool // csv, by column

	begun  bool // the header was read
	ended  bool // \. was read
	again  bool // give the last row again
	last   []byte
	lastAt int64
}

func newTextSource(src io.Reader, o *Options, cols []Column, grows func(n int) error) *textSource {
	return &textSource{
		lines: newLineReader(src, o, grows), opts: o,
		forceNotNull: flags(cols, o.ForceNotNull), forceNull: flags(cols, o.ForceNull),
	}
}

func (s *textSource) unread() { s.again = true }

func (s *textSource) row(r *Reader, i int) (int64, error) {
	if !s.begun {
		s.begun = true
		if err := s.header(r); err != nil {
			return 0, err
		}
	}
	if !s.again {
		if err := s.readLine(r); err != nil {
			return 0, err
		}
	}
	s.again = false
	for c := range r.cols {
		if c == len(s.fields) {
			return 0, inLine(sqlerr.New(sqlerr.BadCopyFileFormat, `missing data for column "%s"`, r.cols[c].Name),
				r.table, s.lastAt, s.last)
		}
		f := &s.fields[c]
		if s.opts.Format == CSV {
			s.force(f, c)
		}
		if err := r.setText(c, i, s.lastAt, f); err != nil {
			return 0, err
		}
	}
	r.lines.add(s.last)
	return s.lastAt, nil
}

// force applies FORCE_NOT_NULL and FORCE_NULL.
func (s *textSource) force(f *field, c int) {
	switch {
	case f.null && s.forceNotNull[c]:
		f.null = false
	case !f.null && s.forceNull[c] && string(f.b) == s.opts.Null:
		f.null = true
	}
}

// readLine reads and splits the next line, which has not too many fields.
func (s *textSource) readLine(r *Reader) error {
	if err := s.nextLine(r); err != nil {
		return err
	}
	if len(s.fields) > len(r.cols) {
		return inLine(sqlerr.New(sqlerr.BadCopyFileFormat, "extra data after last expected column"),
			r.table, s.lastAt, s.last)
	}
	return nil
}

func (s *textSource) nextLine(r *Reader) error {
	if s.ended {
		return s.drain()
	}
	line, err := s.lines.next()
	if err != nil {
		return where(err, LineContext(r.table, s.lines.line+1))
	}
	s.last, s.lastAt = line, s.lines.line
	if s.lines.hasHigh || s.lines.hasNUL {
		if err := CheckUTF8(line); err != nil {
			return where(err, LineContext(r.table, s.lastAt))
		}
	}
	s.fields, s.scratch = s.fields[:0], s.scratch[:0]
	if s.opts.Format == CSV {
		if string(line) == `\.` {
			s.ended = true
			return s.drain()
		}
		err = s.splitCSV(line)
	} else {
		err = s.splitText(line)
	}
	switch {
	case err == io.EOF:
		return s.drain()
	case err == errCorruptMarker:
		return where(sqlerr.New(sqlerr.BadCopyFileFormat, "end-of-copy marker corrupt"), LineContext(r.table, s.lastAt))
	case err != nil:
		return inLine(err, r.table, s.lastAt, line)
	}
	return nil
}

// drain reads and drops what follows the end-of-copy marker, so that the
// source sees its own end.
func (s *textSource) drain() error {
	for {
		s.lines.r, s.lines.w = 0, 0
		if err := s.lines.fill(); err != nil {
			return err
		}
	}
}

func (s *textSource) header(r *Reader) error {
	switch s.opts.Header {
	case HeaderNone:
		return nil
	case HeaderLine:
		if _, err := s.lines.next(); err != nil {
			return where(err, LineContext(r.table, 1))
		}
		return nil
	}
	if err := s.nextLine(r); err != nil {
		return err
	}
	err := matchHeader(s.fields, r.cols, s.opts.Null)
	if err != nil {
		return inLine(err, r.table, s.lastAt, s.last)
	}
	return nil
}

func matchHeader(fields []field, cols []Column, null string) error {
	if len(fields) != len(cols) {
		return sqlerr.New(sqlerr.BadCopyFileFormat,
			"wrong number of fields in header line: got %d, expected %d", len(fields), len(cols))
	}
	for i, f := range fields {
		switch {
		case f.null:
			return sqlerr.New(sqlerr.BadCopyFileFormat,
				`column name mismatch in header line field %d: got null value ("%s"), expected "%s"`, i+1, null, cols[i].Name)
		case string(f.b) != cols[i].Name:
			return sqlerr.New(sqlerr.BadCopyFileFormat,
				`column name mismatch in header line field %d: got "%s", expected "%s"`, i+1, f.b, cols[i].Name)
		}
	}
	return nil
}
