package peers

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
)

// TestPartsAreBounded packs as many shapes as a server has, and reads them again; what is
// no part is an error.
func TestPartsAreBounded(t *testing.T) {
	var list []pgcatalog.Statement
	for i := range 1000 {
		list = append(list, pgcatalog.Statement{User: "u", ID: int64(-i), Text: fmt.Sprint("SELECT ", i, strings.Repeat("x", 1000)), Calls: int64(i), StdDev: 0.5})
	}
	part, err := Pack(list)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Unpack(part)
	if err != nil || !slices.Equal(got, list) {
		t.Errorf("%d of %d are read: %v", len(got), len(list), err)
	}
	for _, bad := range [][]byte{nil, part[:len(part)/2], []byte("x")} {
		if _, err := Unpack(bad); err == nil {
			t.Error("what is no part is read")
		}
	}
}
