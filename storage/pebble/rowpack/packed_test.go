package rowpack

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
)

const goldenTS = 1_700_000_000_000_000

// The bytes drawn above packedVersion.
func TestPackedGolden(t *testing.T) {
	cells := []cell{
		{1, []byte{0x80, 0x0B}, goldenTS, []byte("ab")},
		{1, []byte{0x80, 0x0B}, goldenTS - 1000, []byte("c")},
		{2, nil, goldenTS, nil},
	}
	got, _ := appendRow(nil, nil, cells)
	want := "01010c" + "0301" + "02800b" + "00" + "00cf0f" + "020000" + "00060a24181e4000" + "020303" + "616263"
	if h := hex.EncodeToString(got); h != want {
		t.Fatalf("got  %s\nwant %s", h, want)
	}
}

func randomCells(r *rand.Rand) []cell {
	var cells []cell
	for f := uint32(1); f < 4; f++ {
		for q := range r.IntN(4) {
			qual := []byte(strings.Repeat(string(rune('a'+q)), 1+r.IntN(3)))
			ts := int64(goldenTS) + int64(r.IntN(5))*1000
			for range 1 + r.IntN(3) {
				size := []int{0, 1, 10, 200, 40_000}[r.IntN(5)]
				cells = append(cells, cell{f, qual, ts, []byte(strings.Repeat("v", size))})
				ts -= 1000 * (1 + int64(r.IntN(3)))
			}
		}
	}
	if len(cells) == 0 {
		return []cell{{1, []byte("only"), 0, nil}}
	}
	return cells
}

func TestPackedRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		cells := randomCells(r)
		raw, _ := appendRow(nil, nil, cells)
		c := Open(raw)
		n := 0
		for ; c.Next(); n++ {
			w := &cells[n]
			if c.Family != w.Family || string(c.Qualifier) != string(w.Qualifier) || c.TS != w.TS || string(c.value) != string(w.value) {
				t.Fatalf("cell %d: %+v, want %+v", n, c.cell, w)
			}
		}
		if c.Err != nil || n != len(cells) {
			t.Fatalf("%d of %d cells, %v", n, len(cells), c.Err)
		}
	}
}

// Both decoders take any bytes: they give cells or an error, and agree.
func FuzzPacked(f *testing.F) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 20 {
		raw, _ := appendRow(nil, nil, randomCells(r))
		f.Add(raw[:min(len(raw), 500)])
	}
	f.Add([]byte{1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0})
	d := NewDesc(storage.TableSpec{Name: "t", Families: []storage.FamilySpec{
		{Name: "a", MaxVersions: 5}, {Name: "b", MaxVersions: 1}, {Name: "c", MaxVersions: 5}}}, []uint32{1, 2, 3})
	reqs := []*storage.ScanRequest{
		{}, {KeysOnly: true}, {Versions: 5}, {MinTS: goldenTS}, {MinTS: goldenTS, KeysOnly: true},
		{Project: []storage.Col{{Family: "b", Qualifier: []byte("b")}, {Family: "a", Qualifier: []byte("aa")}}},
		{Project: []storage.Col{{Family: "c", Qualifier: []byte("a")}, {Family: "a", Qualifier: []byte("aa")}}, Versions: 3},
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		n := 0
		c := Open(raw)
		for c.Next() {
			n++
		}
		for i, req := range reqs {
			var b storage.RowBatch
			p := NewPlan(req, d, time.Now)
			for range 2 { // learnt, then remembered
				ok, err := p.Emit(&b, []byte("k"), raw)
				if err == nil && ok {
					row := b.Len() - 1
					for j := range b.NumCells(row) {
						b.Cell(row, j)
					}
					if i == 0 && c.Err == nil && b.NumCells(row) > n {
						t.Fatalf("%d cells, the cursor gives %d", b.NumCells(row), n)
					}
				}
			}
			p.Release()
		}
		var w Writer
		if _, err := w.Build("test", d, time.Now(), raw, 1); err == nil && c.Err != nil {
			t.Fatalf("rewritten although %v", c.Err)
		}
	})
}
