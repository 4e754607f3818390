package copyfmt

import (
	"bytes"
	"io"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// eol is how lines end. The first line decides; the others must follow.
type eol uint8

const (
	eolUnknown eol = iota
	eolNL
	eolCR
	eolCRNL
)

const bufferBytes = 64 << 10

// lineReader cuts data into rows' lines. In csv a line ends outside quotes only;
// in text a backslash takes the next byte along.
type lineReader struct {
	src    io.Reader
	csv    bool
	quote  byte
	escape byte // 0 where it is the quote itself

	buf     []byte
	r, w    int // buf[r:w] is unread
	srcDone error
	grows   func(n int) error // books a line of n bytes
	eol     eol
	line    int64 // the line number that the last line ended on

	// How far fast has come in the line at r.
	seen       int
	seenLines  int64
	seenQuotes int

	// What the bytes buf[:w] hold; false means certainly not, and saves the search in each
	// line.
	hasCR, hasNUL, hasBackslash, hasQuote, hasHigh bool
}

func newLineReader(src io.Reader, o *Options, grows func(n int) error) *lineReader {
	l := &lineReader{src: src, grows: grows, csv: o.Format == CSV, quote: o.Quote, escape: o.Escape}
	if l.escape == l.quote {
		l.escape = 0
	}
	return l
}

// fill reads more bytes behind the unread ones, which may move. It returns the
// source's error when there are no more.
func (l *lineReader) fill() error {
	if l.srcDone != nil {
		return l.srcDone
	}
	if l.r > 0 {
		l.w = copy(l.buf, l.buf[l.r:l.w])
		l.r = 0
	}
	if l.w == len(l.buf) {
		if len(l.buf) >= MaxRowBytes {
			return sqlerr.New(sqlerr.ProgramLimitExceeded, "a line of COPY data is longer than %d bytes", MaxRowBytes)
		}
		more := max(bufferBytes, len(l.buf))
		if err := l.grows(len(l.buf) + more); err != nil {
			l.srcDone = err
			return err
		}
		l.buf = append(l.buf, make([]byte, more)...)
	}
	for empty := 0; empty < 100; empty++ {
		n, err := l.src.Read(l.buf[l.w:])
		l.w += n
		if err != nil {
			l.srcDone = err
		}
		if n > 0 {
			l.look(n)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// look notes what the buffer holds after n fresh bytes came. All of it is looked
// at anew unless that is a long line in the making.
func (l *lineReader) look(n int) {
	b := l.buf[:l.w]
	if l.w-n > bufferBytes {
		b = l.buf[l.w-n : l.w]
	} else {
		l.hasCR, l.hasNUL, l.hasBackslash, l.hasQuote, l.hasHigh = false, false, false, false, false
	}
	l.hasCR = l.hasCR || bytes.IndexByte(b, '\r') >= 0
	l.hasNUL = l.hasNUL || bytes.IndexByte(b, 0) >= 0
	l.hasBackslash = l.hasBackslash || bytes.IndexByte(b, '\\') >= 0
	l.hasQuote = l.hasQuote || l.csv && bytes.IndexByte(b, l.quote) >= 0
	l.hasHigh = l.hasHigh || !ascii(b)
}

func ascii(b []byte) bool {
	for len(b) >= 8 {
		if (b[0]|b[1]|b[2]|b[3]|b[4]|b[5]|b[6]|b[7])&0x80 != 0 {
			return false
		}
		b = b[8:]
	}
	for _, c := range b {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// next gives the next line without its end, valid until the call after. io.EOF
// when there is none.
func (l *lineReader) next() ([]byte, error) {
	l.seen, l.seenLines, l.seenQuotes = 0, 1, 0
	for {
		if l.eol != eolNL || l.hasCR || l.escape != 0 {
			return l.slow()
		}
		if line, ok := l.fast(); ok {
			return line, nil
		}
		if l.srcDone != nil {
			return l.slow()
		}
		if err := l.fill(); err != nil && l.srcDone == nil {
			return nil, err
		}
	}
}

// fast finds the end of a line where lines end with a newline and there is no
// carriage return in sight: by searching newlines and counting what may hide one.
// When the data runs out it remembers how far it came.
func (l *lineReader) fast() ([]byte, bool) {
	quoting := l.csv && l.hasQuote
	for {
		rest := l.buf[l.r+l.seen : l.w]
		i := bytes.IndexByte(rest, '\n')
		more := i < 0
		if more {
			i = len(rest)
		}
		if quoting {
			l.seenQuotes += bytes.Count(rest[:i], []byte{l.quote})
		}
		l.seen += i
		if more {
			return nil, false
		}
		line := l.buf[l.r : l.r+l.seen]
		l.seen++
		switch {
		case l.seenQuotes%2 == 1:
			l.seenLines++
		case !l.csv && l.hasBackslash && escaped(line):
		default:
			l.r += l.seen
			l.line += l.seenLines
			return line, true
		}
	}
}

// escaped says that a byte behind b is taken by a backslash.
func escaped(b []byte) bool {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n%2 == 1
}
