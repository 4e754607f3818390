package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// csvBody reads the records of a CSV file so that those of another file may follow: each record
// is whole, and its line has an end. A file that ends within quotes is an error.
type csvBody struct {
	f       *os.File // behind the header
	newline string   // what ends the header's line

	last   byte   // that was read, 0 for none
	quoted bool   // an odd number of quotes was read
	rest   string // of the newline that the file lacks
	ended  bool
}

func (b *csvBody) Read(to []byte) (int, error) {
	if !b.ended {
		n, err := b.f.Read(to)
		if n > 0 {
			b.last = to[n-1]
			b.quoted = b.quoted != (bytes.Count(to[:n], []byte{'"'})%2 == 1)
		}
		if err != io.EOF {
			return n, err
		}
		if b.quoted {
			return n, fmt.Errorf("%s ends within quotes", b.f.Name())
		}
		b.ended = true
		if b.last != 0 && b.last != '\n' && b.last != '\r' {
			b.rest = b.newline
		}
		if n > 0 {
			return n, nil
		}
	}
	if b.rest == "" {
		return 0, io.EOF
	}
	n := copy(to, b.rest)
	b.rest = b.rest[n:]
	return n, nil
}

// newlineBefore gives the newline that ends at an offset of a file.
func newlineBefore(f *os.File, offset int64) string {
	var end [2]byte
	if _, err := f.ReadAt(end[:], max(offset-2, 0)); err == nil && string(end[:]) == "\r\n" {
		return "\r\n"
	}
	return "\n"
}
