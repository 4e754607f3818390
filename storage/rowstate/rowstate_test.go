package rowstate

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

func set(column string, ms int64, value string) storage.Mutation {
	family, qualifier, _ := strings.Cut(column, ":")
	return storage.Mutation{Op: storage.SetCell, Family: family, Qualifier: []byte(qualifier), Timestamp: ms * 1000, Value: []byte(value)}
}

func latest(m storage.Mutation) storage.Mutation {
	m.Latest = true
	return m
}

func remove(op storage.MutationOp, column string) storage.Mutation {
	family, qualifier, _ := strings.Cut(column, ":")
	return storage.Mutation{Op: op, Family: family, Qualifier: []byte(qualifier)}
}

func show(cells []storage.Cell) string {
	var words []string
	for _, c := range cells {
		words = append(words, fmt.Sprintf("%s:%s@%d=%s", c.Family, c.Qualifier, c.Timestamp/1000, c.Value))
	}
	return strings.Join(words, " ")
}

func TestApply(t *testing.T) {
	tests := []struct {
		muts []storage.Mutation
		want string
	}{
		{nil, "f:a@1=1 f:a@0=0 f:b@3=2 g:a@1=3"},
		{[]storage.Mutation{set("f:a", 2, "new")}, "f:a@2=new f:a@1=1 f:a@0=0 f:b@3=2 g:a@1=3"},
		{[]storage.Mutation{set("f:a", 1, "again")}, "f:a@1=again f:a@0=0 f:b@3=2 g:a@1=3"},
		{[]storage.Mutation{latest(set("f:b", 2, "behind"))}, "f:a@1=1 f:a@0=0 f:b@2=behind g:a@1=3"},
		{[]storage.Mutation{latest(set("f:a", 1, "same"))}, "f:a@1=same f:a@0=0 f:b@3=2 g:a@1=3"},
		{[]storage.Mutation{remove(storage.DeleteCell, "f:a")}, "f:b@3=2 g:a@1=3"},
		{[]storage.Mutation{remove(storage.DeleteFamily, "f")}, "g:a@1=3"},
		{[]storage.Mutation{remove(storage.DeleteFamily, "f"), set("f:c", 4, "x")}, "f:c@4=x g:a@1=3"},
		{[]storage.Mutation{set("f:c", 4, "x"), {Op: storage.DeleteRow}}, ""},
	}
	for i, tt := range tests {
		var r Row
		r.Apply([]storage.Mutation{set("g:a", 1, "3"), set("f:a", 0, "0"), set("f:b", 3, "2"), set("f:a", 1, "1")})
		r.Apply(tt.muts)
		if got := show(r.Cells); got != tt.want {
			t.Errorf("case %d: %q, want %q", i, got, tt.want)
		}
	}
}

func TestVisible(t *testing.T) {
	keep := &Families{Now: time.UnixMilli(100), Specs: []storage.FamilySpec{{Name: "f", MaxVersions: 2}, {Name: "g", MaxVersions: 1, TTL: 50 * time.Millisecond}}}
	tests := []struct {
		req  storage.ScanRequest
		keep *Families
		want string
	}{
		{storage.ScanRequest{}, nil, "f:a@9=3 g:a@49=5 h:a@1=6"},
		{storage.ScanRequest{Versions: 3}, nil, "f:a@9=3 f:a@8=2 f:a@7=1 g:a@49=5 g:a@48=4 h:a@1=6"},
		{storage.ScanRequest{Versions: 3, MinTS: 8000}, nil, "f:a@9=3 f:a@8=2 g:a@49=5 g:a@48=4"},
		{storage.ScanRequest{Versions: 3}, keep, "f:a@9=3 f:a@8=2"}, // h is no family, g is over
		{storage.ScanRequest{Project: []storage.Col{{Family: "g", Qualifier: []byte("a")}}}, nil, "g:a@49=5"},
	}
	for i, tt := range tests {
		var r Row
		r.Apply([]storage.Mutation{set("f:a", 7, "1"), set("f:a", 8, "2"), set("f:a", 9, "3"), set("g:a", 48, "4"), set("g:a", 49, "5"), set("h:a", 1, "6")})
		if got := show(r.Visible(&tt.req, tt.keep)); got != tt.want {
			t.Errorf("case %d: %q, want %q", i, got, tt.want)
		}
	}
}

func TestHolds(t *testing.T) {
	cond := func(op storage.CondOp, column string, ms, minMS int64) storage.Cond {
		family, qualifier, _ := strings.Cut(column, ":")
		return storage.Cond{Op: op, Family: family, Qualifier: []byte(qualifier), Timestamp: ms * 1000, MinTS: minMS * 1000}
	}
	tests := []struct {
		cond        storage.Cond
		empty, full bool // of a row without cells, and of one with f:a@7 and f:a@5
	}{
		{cond(storage.RowAbsent, "", 0, 0), true, false},
		{cond(storage.RowAbsent, "", 0, 8), true, true},
		{cond(storage.RowPresent, "", 0, 0), false, true},
		{cond(storage.RowPresent, "", 0, 8), false, false},
		{cond(storage.CellAbsent, "f:a", 0, 0), true, false},
		{cond(storage.CellAbsent, "f:b", 0, 0), true, true},
		{cond(storage.CellPresent, "f:a", 0, 7), false, true},
		{cond(storage.CellPresent, "g:a", 0, 0), false, false},
		{cond(storage.CellTSEquals, "f:a", 7, 0), false, true},
		{cond(storage.CellTSEquals, "f:a", 5, 0), false, false},
		{cond(storage.CellTSEquals, "f:a", 7, 8), false, false},
	}
	for i, tt := range tests {
		var empty, full Row
		full.Apply([]storage.Mutation{set("f:a", 5, ""), set("f:a", 7, "")})
		if got := empty.Holds(&tt.cond, nil); got != tt.empty {
			t.Errorf("case %d of no row: %v", i, got)
		}
		if got := full.Holds(&tt.cond, nil); got != tt.full {
			t.Errorf("case %d: %v", i, got)
		}
	}
}

func TestEmit(t *testing.T) {
	absent := []storage.Col{{Family: "f", Qualifier: []byte("b")}}
	reject := func([]byte, storage.RowView) (bool, error) { return false, nil }
	tests := []struct {
		req   storage.ScanRequest
		shown bool
		cells int
	}{
		{storage.ScanRequest{}, true, 1},
		{storage.ScanRequest{KeysOnly: true}, true, 0},
		{storage.ScanRequest{Project: absent}, false, 0},
		{storage.ScanRequest{Project: absent, EveryRow: true}, true, 0},
		{storage.ScanRequest{Project: absent, EveryRow: true, MinTS: 8000}, false, 0},
		{storage.ScanRequest{Filter: reject}, false, 0},
	}
	for i, tt := range tests {
		var r Row
		var b storage.RowBatch
		r.Apply([]storage.Mutation{set("f:a", 7, "1")})
		shown, err := r.Emit("t", []byte("k"), &tt.req, nil, &b)
		if err != nil || shown != tt.shown || shown != (b.Len() == 1) {
			t.Fatalf("case %d: %v, %d rows, %v", i, shown, b.Len(), err)
		}
		if shown && (string(b.Key(0)) != "k" || b.NumCells(0) != tt.cells) {
			t.Errorf("case %d: %q with %d cells", i, b.Key(0), b.NumCells(0))
		}
	}
}

// What was loaded from a batch compares as what was applied, whatever the order.
func TestLoad(t *testing.T) {
	var b storage.RowBatch
	b.StartRow([]byte("k"))
	b.AddCell("g", []byte("a"), 1000, []byte("2"))
	b.AddCell("f", []byte("a"), 1000, []byte("1"))
	b.AddCell("f", []byte("a"), 2000, []byte("0"))
	var loaded, applied Row
	loaded.Load(&b, 0)
	applied.Apply([]storage.Mutation{set("f:a", 1, "1"), set("g:a", 1, "2"), set("f:a", 2, "0")})
	if !loaded.Equal(&applied) || show(loaded.Cells) != "f:a@2=0 f:a@1=1 g:a@1=2" {
		t.Errorf("%s and %s", show(loaded.Cells), show(applied.Cells))
	}
	if loaded.Size() != 6 {
		t.Errorf("%d bytes", loaded.Size())
	}
	if loaded.Load(&b, -1); loaded.Equal(&applied) || len(loaded.Cells) != 0 {
		t.Errorf("no row has %s", show(loaded.Cells))
	}
}
