package copyfmt

import (
	"bytes"
	"errors"
	"io"
)

// errCorruptMarker is an end-of-copy marker with something behind it.
var errCorruptMarker = errors.New("copyfmt: end-of-copy marker corrupt")

// splitText cuts a line of the text format into fields. io.EOF for a line that is
// only the end-of-copy marker.
//
//	a TAB b\tc TAB \N      three fields: "a", "b<tab>c", NULL
//
// A field is NULL by what is written, before backslashes are read.
func (s *textSource) splitText(line []byte) error {
	if s.lines.hasBackslash && bytes.IndexByte(line, '\\') >= 0 {
		return s.splitEscaped(line)
	}
	for {
		i := bytes.IndexByte(line, s.opts.Delimiter)
		if i < 0 {
			s.addRaw(line)
			return nil
		}
		s.addRaw(line[:i])
		line = line[i+1:]
	}
}

func (s *textSource) addRaw(b []byte) {
	s.fields = append(s.fields, field{b, string(b) == s.opts.Null})
}

func (s *textSource) splitEscaped(line []byte) error {
	high := false // an escape made a byte that may break UTF-8
	start, out := 0, len(s.scratch)
	end := func(at int) {
		raw, val := line[start:at], s.scratch[out:len(s.scratch):len(s.scratch)]
		s.fields = append(s.fields, field{val, string(raw) == s.opts.Null})
		start, out = at+1, len(s.scratch)
	}
	for i := 0; i < len(line); i++ {
		c := line[i]
		if c == s.opts.Delimiter {
			end(i)
			continue
		}
		if c != '\\' || i+1 == len(line) {
			s.scratch = append(s.scratch, c)
			continue
		}
		i++
		if line[i] == '.' {
			if i+1 != len(line) {
				return errCorruptMarker
			}
			s.ended = true
			if i == 1 {
				return io.EOF
			}
			line = line[:i-1]
			break
		}
		b, n := unescape(line[i:])
		s.scratch = append(s.scratch, b)
		high = high || n > 0 && (b >= 0x80 || b == 0)
		i += max(n-1, 0)
	}
	end(len(line))
	if high {
		for _, f := range s.fields {
			if f.null {
				continue // a NULL is what is written, not what it means
			}
			if err := CheckUTF8(f.b); err != nil {
				return err
			}
		}
	}
	return nil
}

// unescape reads what follows a backslash. n is the number of bytes of a
// numeric escape, 0 for a single character.
func unescape(b []byte) (c byte, n int) {
	switch b[0] {
	case 'b':
		return '\b', 0
	case 'f':
		return '\f', 0
	case 'n':
		return '\n', 0
	case 'r':
		return '\r', 0
	case 't':
		return '\t', 0
	case 'v':
		return '\v', 0
	case 'x':
		for n = 1; n < len(b) && n < 3; n++ {
			d, ok := hexDigit(b[n])
			if !ok {
				break
			}
			c = c<<4 | d
		}
		if n > 1 {
			return c, n
		}
		return 'x', 0
	}
	for n < len(b) && n < 3 && b[n] >= '0' && b[n] <= '7' {
		c = c<<3 | b[n] - '0'
		n++
	}
	if n > 0 {
		return c, n
	}
	return b[0], 0
}

func hexDigit(c byte) (byte, bool) {
	switch {
	case c >= '0' && c <= '9':
		return c - '0', true
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, true
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, true
	}
	return 0, false
}
