package changelog

import (
	"bytes"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// batchOf lays out what mutations make of rows whose keys are new.
func batchOf(rows []storage.RowMutation) *storage.RowBatch {
	var b storage.RowBatch
	for _, r := range rows {
		b.StartRow(r.Key)
		for _, m := range r.Mutations {
			b.AddCell(m.Family, m.Qualifier, m.Timestamp, m.Value)
		}
	}
	return &b
}

func TestEntries(t *testing.T) {
	long := bytes.Repeat([]byte("x"), storage.MaxRowKeyBytes)
	many := make([][]byte, 600) // of 4 kB: several entries
	for i := range many {
		many[i] = long
	}
	tests := []struct {
		keys    [][]byte
		ended   bool
		entries int
	}{
		{nil, false, 0},
		{[][]byte{[]byte("a")}, false, 1},
		{[][]byte{[]byte("a"), {0}, long, []byte("a")}, true, 1},
		{many, false, 3},
	}
	for i, tt := range tests {
		rows := Append(nil, len(tt.keys), func(i int) []byte { return tt.keys[i] }, 7000, tt.ended)
		if len(rows) != tt.entries {
			t.Errorf("case %d: %d entries, want %d", i, len(rows), tt.entries)
		}
		if err := storage.CheckRows("test", "t", rows); err != nil {
			t.Errorf("case %d: %v", i, err)
		}
		b := batchOf(rows)
		var got [][]byte
		for r := range b.Len() {
			keys, ended, err := Entry(b, r)
			if err != nil || ended != tt.ended {
				t.Fatalf("case %d: ended %v, %v", i, ended, err)
			}
			got = append(got, keys...)
		}
		if len(got) != len(tt.keys) {
			t.Fatalf("case %d: %d keys, want %d", i, len(got), len(tt.keys))
		}
		for k := range got {
			if !bytes.Equal(got[k], tt.keys[k]) {
				t.Errorf("case %d: key %d is %q", i, k, got[k])
			}
		}
	}
}

// End is for the rows of the entries, and says that they are ended.
func TestEnd(t *testing.T) {
	rows := Append(nil, 1, func(int) []byte { return []byte("a") }, 7000, false)
	ends := End(rows, 9000)
	if len(ends) != 1 || !bytes.Equal(ends[0].Key, rows[0].Key) {
		t.Fatalf("%+v", ends)
	}
	rows[0].Mutations = append(rows[0].Mutations, ends[0].Mutations...)
	keys, ended, err := Entry(batchOf(rows), 0)
	if err != nil || !ended || len(keys) != 1 || string(keys[0]) != "a" {
		t.Errorf("%q, ended %v, %v", keys, ended, err)
	}
}

func TestBrokenEntry(t *testing.T) {
	for _, value := range []string{"\x05abc", "\xff", "\x01a\x02b"} {
		var b storage.RowBatch
		b.StartRow([]byte("id"))
		b.AddCell(family, keysCell, 1000, []byte(value))
		if _, _, err := Entry(&b, 0); storage.CodeOf(err) != storage.CodeCorruption {
			t.Errorf("%q: %v", value, err)
		}
	}
}
