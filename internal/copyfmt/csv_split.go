package copyfmt

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// splitCSV cuts a line of the csv format into fields. Quotes may open and close
// anywhere in a field; a field with quotes is never NULL by itself.
func (s *textSource) splitCSV(line []byte) error {
	if !s.lines.hasQuote || bytes.IndexByte(line, s.opts.Quote) < 0 {
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
	for at := 0; ; {
		next, more, err := s.csvField(line, at)
		if err != nil {
			return err
		}
		if !more {
			return nil
		}
		at = next
	}
}

// csvField reads the field at line[at:] and gives where the next starts.
func (s *textSource) csvField(line []byte, at int) (next int, more bool, err error) {
	o := s.opts
	out, start := len(s.scratch), at
	quoted := false
	end := func(at int) {
		null := !quoted && string(line[start:at]) == o.Null
		s.fields = append(s.fields, field{s.scratch[out:len(s.scratch):len(s.scratch)], null})
	}
	for {
		for {
			if at == len(line) {
				end(at)
				return at, false, nil
			}
			c := line[at]
			if c == o.Delimiter {
				end(at)
				return at + 1, true, nil
			}
			at++
			if c == o.Quote {
				quoted = true
				break
			}
			s.scratch = append(s.scratch, c)
		}
		if at, err = s.csvQuoted(line, at); err != nil {
			return 0, false, err
		}
	}
}

// csvQuoted reads up to the closing quote and gives what follows it.
func (s *textSource) csvQuoted(line []byte, at int) (int, error) {
	o := s.opts
	for at < len(line) {
		c := line[at]
		at++
		if c == o.Escape && at < len(line) && (line[at] == o.Escape || line[at] == o.Quote) {
			s.scratch = append(s.scratch, line[at])
			at++
			continue
		}
		if c == o.Quote {
			return at, nil
		}
		s.scratch = append(s.scratch, c)
	}
	return 0, sqlerr.New(sqlerr.BadCopyFileFormat, "unterminated CSV quoted field")
}
