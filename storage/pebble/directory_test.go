package pebble

import (
	"encoding/hex"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// The bytes drawn above directoryFormat.
func TestDirectoryGolden(t *testing.T) {
	d := rowpack.NewDesc(storage.TableSpec{Name: "m", Families: []storage.FamilySpec{{Name: "0", MaxVersions: 1}}}, []uint32{1})
	raw := appendDesc(nil, 5, d)
	if h := hex.EncodeToString(raw); h != "01"+"00000005"+"01"+"01"+"0130"+"01"+"00"+"00" {
		t.Fatal(h)
	}
	d = rowpack.NewDesc(storage.TableSpec{Name: "m", Families: []storage.FamilySpec{{Name: "a", MaxVersions: 3, TTL: time.Hour}, {Name: "b", MaxVersions: 1}},
		Splits: [][]byte{[]byte("k"), []byte("z")}}, []uint32{2, 1})
	raw = appendDesc(nil, 7, d)
	s, err := decodeDesc("m", raw)
	if err != nil || s.id != 7 || fmt.Sprintf("%+v", s.desc.Load()) != fmt.Sprintf("%+v", d) {
		t.Fatalf("%+v %v", s, err)
	}
	for i := range raw {
		if _, err := decodeDesc("m", raw[:i]); err == nil {
			t.Fatalf("%d bytes of %d decode", i, len(raw))
		}
	}
}
