package catalog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/types"
)

// phoenixIndexes are rows of global indexes that Phoenix 5.2.1 wrote for the row of
// phoenixRow and for one of NULLs, of its key k2 = 8: keys as hex.
var phoenixIndexes = []struct{ parts, row, nulls string }{
	{"a, b desc", "3E6066009796FF6B007FFFFFF8", "00006B007FFFFFF7"},
	{"c desc, e desc", "38FDB8D5BEBEC6B0A4F4FF3EFDFF6B007FFFFFF8", "00006B007FFFFFF7"},
	{"f, g, e", "C702472A363D00616220202000C102006B007FFFFFF8", "0000006B007FFFFFF7"},
	{"g desc, a desc", "9E9DDFDFDFFFC19F99FF6B007FFFFFF8", "00006B007FFFFFF7"},
	{"b, k2 salt 4", "02686900800000076B", "0000800000086B"},
}

func phoenixTable(t *testing.T) *Table {
	def := &TableDef{Name: Name{Name: "t1"}, PrimaryKey: []KeyDef{{Name: "k1"}, {Name: "k2", Desc: true}}}
	for _, c := range []struct {
		name, of string
		mods     []int32
	}{
		{"k1", "varchar", nil}, {"k2", "int", nil}, {"a", "int", nil}, {"b", "varchar", nil}, {"c", "timestamp", nil},
		{"e", "bool", nil}, {"f", "date", nil}, {"g", "char", []int32{5}}, {"i", "numeric", []int32{10, 2}},
	} {
		of, err := types.FromName(c.of, c.mods, false)
		if err != nil {
			t.Fatal(err)
		}
		def.Columns = append(def.Columns, ColumnDef{Name: c.name, Type: of})
	}
	table, _, err := BuildTable(def)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// testIndex adds an index over plain columns, as "a, b desc salt 4".
func testIndex(t *testing.T, table *Table, parts string, unique bool) *Index {
	ix := Index{ID: uint32(len(table.Indexes) + 1), Name: fmt.Sprintf("i%d", len(table.Indexes)), Physical: "i", Unique: unique}
	parts, salt, salted := strings.Cut(parts, " salt ")
	if salted {
		if _, err := fmt.Sscan(salt, &ix.SaltBuckets); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range strings.Split(parts, ", ") {
		name, desc := strings.CutSuffix(p, " desc")
		ix.Parts = append(ix.Parts, IndexPart{Column: table.ColumnByName(name).ID, Desc: desc})
	}
	table.Indexes = append(table.Indexes, ix)
	if err := table.Finish(); err != nil {
		t.Fatal(err)
	}
	return &table.Indexes[len(table.Indexes)-1]
}

func (ix *Index) testKey(row []types.Datum) ([]byte, error) {
	vals := make([]types.Datum, len(ix.Key))
	for k, c := range ix.Key {
		if vals[k] = types.NewBytes(nil); c.Column >= 0 {
			vals[k] = row[c.Column]
		}
	}
	return ix.codec.Key.AppendKey(nil, vals)
}

// TestPhoenixIndexRows: the keys of index rows are Phoenix's, and read back as what the
// table has.
func TestPhoenixIndexRows(t *testing.T) {
	table := phoenixTable(t)
	null := types.NullDatum
	row := []types.Datum{
		types.NewText("k"), types.NewInt(7), types.NewInt(-5), types.NewText("hi"), types.NewInt(1704164645678901),
		types.NewBool(true), types.NewInt(19724), types.NewText("ab"), types.NewDecimal(apd.New(150, -2)),
	}
	nulls := []types.Datum{types.NewText("k"), types.NewInt(8), null, null, null, null, null, null, null}
	for _, want := range phoenixIndexes {
		ix := testIndex(t, table, want.parts, false)
		for i, r := range [][]types.Datum{row, nulls} {
			key, err := ix.testKey(r)
			if got := fmt.Sprintf("%X", key); err != nil || got != []string{want.row, want.nulls}[i] {
				t.Errorf("(%s): %s, %v; Phoenix has %v", want.parts, got, err, want)
				continue
			}
			back, err := ix.codec.Key.DecodeKey(key)
			if err != nil {
				t.Fatal(err)
			}
			for k, c := range ix.Key {
				if !types.Equal(table.Columns[c.Column].Type, back[k], r[c.Column]) || back[k].Null != r[c.Column].Null {
					t.Errorf("(%s): column %d reads as %v", want.parts, k, back[k])
				}
			}
		}
	}
}

// TestIndexLayout: what an index says of its rows leads to every column that it has.
func TestIndexLayout(t *testing.T) {
	table := phoenixTable(t)
	testIndex(t, table, "b, k2", false)
	unique := testIndex(t, table, "b, a", true)
	plain := &table.Indexes[0] // making the second one has moved it
	p := table.Index(0)
	if !p.Primary || p.Codec() != table.Codec() || len(p.Cells) != 7 || p.RowKey[1] != (IndexSource{1, -1}) || p.Find(3) != (IndexSource{-1, 1}) {
		t.Errorf("the primary key: %+v", p)
	}
	if plain.RowKey[0] != (IndexSource{2, -1}) || plain.RowKey[1] != (IndexSource{1, -1}) || plain.Find(2) != (IndexSource{-1, -1}) {
		t.Errorf("a plain index: %+v", plain.RowKey)
	}
	if unique.RowKey[0] != (IndexSource{-1, 0}) || unique.Key[2] != (IndexKey{-1, -1}) || len(unique.Cells) != 2 {
		t.Errorf("a unique index: %+v %+v", unique.RowKey, unique.Key)
	}
}
