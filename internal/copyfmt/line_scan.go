package copyfmt

import (
	"io"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// slow finds the end of a line byte by byte, for every ending and escape.
func (l *lineReader) slow() ([]byte, error) {
	n, lines := 0, int64(1) // bytes of the line so far
	inQuote, lastEscape := false, false
	for {
		c, ok, err := l.peek(n)
		if err != nil {
			return nil, err
		}
		if !ok {
			if n == 0 {
				return nil, io.EOF
			}
			return l.take(n, 0, lines), nil
		}
		if l.csv {
			if inQuote && l.escape != 0 && c == l.escape {
				lastEscape = !lastEscape
			}
			if c == l.quote && !lastEscape {
				inQuote = !inQuote
			}
			if c != l.escape {
				lastEscape = false
			}
			// Where no line has ended yet a newline is not known to end one: PostgreSQL counts
			// carriage returns then.
			if inQuote && (c == '\n' && l.eol == eolNL || c == '\r' && l.eol != eolNL) {
				lines++
			}
		}
		switch {
		case c == '\r' && !inQuote:
			width, err := l.carriageReturn(n)
			if err != nil {
				return nil, err
			}
			return l.take(n, width, lines), nil
		case c == '\n' && !inQuote:
			if l.eol == eolCR || l.eol == eolCRNL {
				return nil, l.literal("newline", `\n`)
			}
			l.eol = eolNL
			return l.take(n, 1, lines), nil
		case c == '\\' && !l.csv:
			if _, ok, err := l.peek(n + 1); err != nil {
				return nil, err
			} else if ok {
				n++
			}
		}
		n++
	}
}

// peek gives byte n of the unread ones; ok is false where the data ends before.
func (l *lineReader) peek(n int) (c byte, ok bool, err error) {
	for l.r+n >= l.w {
		if err := l.fill(); err == io.EOF {
			return 0, false, nil
		} else if err != nil {
			return 0, false, err
		}
	}
	return l.buf[l.r+n], true, nil
}

func (l *lineReader) take(n, end int, lines int64) []byte {
	line := l.buf[l.r : l.r+n]
	l.r += n + end
	l.line += lines
	return line
}

// carriageReturn settles what a carriage return at n means and gives the width
// of the line's end.
func (l *lineReader) carriageReturn(n int) (int, error) {
	if l.eol == eolNL {
		return 0, l.literal("carriage return", `\r`)
	}
	if l.eol == eolCR {
		return 1, nil
	}
	next, ok, err := l.peek(n + 1)
	switch {
	case err != nil:
		return 0, err
	case ok && next == '\n':
		l.eol = eolCRNL
		return 2, nil
	case l.eol == eolCRNL:
		return 0, l.literal("carriage return", `\r`)
	}
	l.eol = eolCR
	return 1, nil
}

func (l *lineReader) literal(what, escape string) error {
	if l.csv {
		return sqlerr.New(sqlerr.BadCopyFileFormat, "unquoted %s found in data", what).
			WithHint("Use quoted CSV field to represent %s.", what)
	}
	return sqlerr.New(sqlerr.BadCopyFileFormat, "literal %s found in data", what).
		WithHint(`Use "%s" to represent %s.`, escape, what)
}
