package stored

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// TestIndexes: an index is what it was when it has been stored and read.
func TestIndexes(t *testing.T) {
	def := &catalog.TableDef{Name: catalog.Name{Name: "t"}, Columns: []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4)}, {Name: "b", Type: types.Of(types.Text)}}, PrimaryKey: []catalog.KeyDef{{Name: "a"}}}
	table, _, err := catalog.BuildTable(def)
	if err != nil {
		t.Fatal(err)
	}
	table.Indexes = []catalog.Index{{ID: 1, Name: "i", Physical: "i", Unique: true, Parts: []catalog.IndexPart{{Column: 2}, {Column: 1, Desc: true}}}}
	if err := table.Finish(); err != nil {
		t.Fatal(err)
	}
	j := tableToJSON(table)
	back, err := indexFromJSON(&j.Indexes[0], nil)
	if err != nil || !back.Unique || len(back.Parts) != 2 || !back.Parts[1].Desc {
		t.Errorf("%+v %v", back, err)
	}
}

// TestCoarseIndexes: an index on a time of day that was made when these had milliseconds is told
// from one that has all of it, and stays so when it is written anew.
func TestCoarseIndexes(t *testing.T) {
	stored := func(of, micros string) *catalog.Index {
		t.Helper()
		typ, err := types.FromName("time", map[string][]int32{"time(3)": {3}}[of], false)
		if err != nil {
			t.Fatal(err)
		}
		kind, err := json.Marshal(typeToJSON(typ))
		if err != nil {
			t.Fatal(err)
		}
		var j indexJSON
		text := fmt.Sprintf(`{"id": 7, "name": "i", "physical": "p", "state": "public", "parts": [{"expr": {"c": 1}, "name": "x", "of": %s%s}]}`, kind, micros)
		if err := json.Unmarshal([]byte(text), &j); err != nil {
			t.Fatal(err)
		}
		ix, err := indexFromJSON(&j, nil)
		if err != nil {
			t.Fatal(err)
		}
		again := indexToJSON(&ix)
		if ix, err = indexFromJSON(&again, nil); err != nil {
			t.Fatal(err)
		}
		return &ix
	}
	for _, c := range []struct {
		of, micros string
		want       bool
	}{{"time", "", true}, {"time", `, "micros": true`, false}, {"time(3)", "", false}} {
		if got := stored(c.of, c.micros).Coarse(); got != c.want {
			t.Errorf("%s%s: %v", c.of, c.micros, got)
		}
	}
}
