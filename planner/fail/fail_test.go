package fail

import (
	"errors"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestCaught: an error comes out as it was raised, of whatever type it is, and a bug stays a panic.
func TestCaught(t *testing.T) {
	absent, plain := sqlerr.New(sqlerr.UndefinedTable, "no table"), errors.New("plain")
	below := func(do func()) (n int, err error) {
		defer Caught(&err)
		do()
		return 1, nil
	}
	for _, tt := range []struct {
		do   func()
		want error
	}{
		{func() {}, nil},
		{func() { If(nil) }, nil},
		{func() { panic(absent) }, absent},
		{func() { If(absent) }, absent},
		{func() { If(plain) }, plain},
		{func() { Must(1, plain) }, plain},
		{func() { Must2(1, 2, absent) }, absent},
		{func() { If(Try(func() { If(plain) })) }, plain},
		{func() { Try(func() { If(plain) }) }, nil},
	} {
		if n, err := below(tt.do); err != tt.want || (n == 1) != (err == nil) {
			t.Errorf("%d, %v, want %v", n, err, tt.want)
		}
	}
	defer func() {
		if p := recover(); p != "bug" {
			t.Errorf("a bug became %v", p)
		}
	}()
	below(func() { panic("bug") })
}
