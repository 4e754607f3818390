package demodata

import (
	"bufio"
	"strings"
	"testing"
)

func TestSets(t *testing.T) {
	for _, s := range All {
		r, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		sc := bufio.NewScanner(r)
		sc.Scan()
		if got, want := sc.Text(), strings.Join(s.Columns, ","); got != want {
			t.Errorf("%s: header %q, want %q", s.Name, got, want)
		}
		n := 0
		for sc.Scan() {
			n++
		}
		if n != s.Rows {
			t.Errorf("%s: %d rows, want %d", s.Name, n, s.Rows)
		}
	}
}
