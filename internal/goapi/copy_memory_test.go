package goapi

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// endless is data without an end of line.
type endless struct{ left int }

func (e *endless) Read(p []byte) (int, error) {
	if e.left == 0 {
		return 0, io.EOF
	}
	n := min(len(p), e.left)
	for i := range p[:n] {
		p[i] = 'a'
	}
	e.left -= n
	return n, nil
}

// TestCopyBooksWhatItReads: a line or a field that does not end is in the statement's memory.
func TestCopyBooksWhatItReads(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := session.Open(ctx, store, &session.Options{Memory: 64 << 20})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := Exec(ctx, s, "CREATE TABLE t (k INT PRIMARY KEY, v TEXT)"); err != nil {
		t.Fatal(err)
	}
	const most = 100 << 20
	before := db.Memory().Used()
	for format, head := range map[string]string{
		"text": "1\t", "csv": "1,", "binary": "PGCOPY\n\xff\r\n\x00" + strings.Repeat("\x00", 8) + "\x00\x02\x00\x00\x00\x04\x00\x00\x00\x07\x06\x40\x00\x00",
	} {
		data := &endless{most}
		_, err := CopyFrom(ctx, s, "COPY t FROM STDIN (FORMAT "+format+")", io.MultiReader(bytes.NewReader([]byte(head)), data))
		if sqlerr.CodeOf(err) != sqlerr.OutOfMemory || most-data.left > 16<<20 {
			t.Errorf("%s: %v after %d bytes", format, err, most-data.left)
		}
		if n := db.Memory().Used(); n != before {
			t.Errorf("%s: %d bytes stay booked", format, n-before)
		}
	}
	if _, err := CopyFrom(ctx, s, "COPY t FROM STDIN", io.MultiReader(strings.NewReader("1\t"), &endless{1 << 20})); err != nil {
		t.Error("a row of 1 MB", err)
	}
}
