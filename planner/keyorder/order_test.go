package keyorder

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

var int4T = types.Of(types.Int4)

// drawTable makes a table (a, b, c, v) with a key of a, b and c, ascending or descending.
func drawTable(t *testing.T, r *rand.Rand) *catalog.Table {
	tab := &catalog.Table{ID: 1, Schema: "public", Name: "t", NextColumnID: 1, NextQualifier: rowcodec.FirstQualifier, PrimaryKeyName: "pk"}
	tab.Options = catalog.Options{Hash: catalog.DefaultHash, ColumnEncodedBytes: 2, DefaultFamily: "0", Versions: 1, SaltBuckets: r.IntN(2) * 4}
	for pos, name := range []string{"a", "b", "c", "v"} {
		col := catalog.Column{ID: tab.NextColumnID, Name: name, Type: int4T, NotNull: true, KeyPos: pos, Desc: r.IntN(2) == 0,
			Store: rowcodec.Column{Type: rowcodec.Integer, SQL: int4T}}
		tab.NextColumnID++
		if name == "v" {
			var err error
			col.KeyPos, col.Desc, col.Family, col.Number = -1, false, "0", tab.NextQualifier
			if col.Qualifier, err = rowcodec.Qualifier(col.Number, 2); err != nil {
				t.Fatal(err)
			}
		} else {
			tab.PrimaryKey = append(tab.PrimaryKey, pos)
		}
		tab.Columns = append(tab.Columns, col)
	}
	if err := tab.Finish(); err != nil {
		t.Fatal(err)
	}
	return tab
}

// served says that rows come as is wanted: by the keys, and rows of one group side by side
// within equal keys.
func served(s *plan.Scan, rows [][4]int64, want Ordering) bool {
	at := func(row [4]int64, e expr.Expr) int64 { return row[s.Cols[e.(*expr.Col).Index]] }
	seen, group := map[string]bool{}, ""
	for i, row := range rows {
		if i > 0 {
			c := 0
			for _, k := range want.Keys {
				if c = cmp.Compare(at(rows[i-1], k.Expr), at(row, k.Expr)); k.Desc {
					c = -c
				}
				if c != 0 {
					break
				}
			}
			if c > 0 {
				return false
			}
			if c < 0 {
				seen, group = map[string]bool{}, ""
			}
		}
		this := "="
		for _, g := range want.Groups {
			this += string(rune('0' + at(row, g)))
		}
		if this != group && seen[this] {
			return false
		}
		seen[this], group = true, this
	}
	return true
}

// TestInOrder draws keys, what is bound of them, and what rows are wanted in; all rows of a small
// table are then read in the order of the key and back. InOrder must give the order if one of the
// two serves whatever v is, and only then, in that direction.
func TestInOrder(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	given := [3]int{}
	for range 20000 {
		tab := drawTable(t, r)
		s := &plan.Scan{Source: plan.Source{Table: tab, Cols: r.Perm(4)}}
		fixed := [4]bool{}
		var terms []plan.KeyTerm
		for pos := range 3 {
			if fixed[pos] = r.IntN(4) == 0; fixed[pos] {
				terms = append(terms, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{pos}, Args: []expr.Expr{&expr.Const{Value: types.NewInt(1), T: int4T}}})
			}
		}
		if terms != nil {
			s.Key, s.Access = &plan.KeyCond{Or: []plan.KeyConj{{Terms: terms}}}, plan.RangeScan
		}
		var want Ordering
		perm := r.Perm(4)
		nKeys := r.IntN(4)
		for _, i := range perm[:nKeys] {
			desc := r.IntN(2) == 0
			if r.IntN(3) > 0 && tab.Columns[s.Cols[i]].KeyPos >= 0 {
				desc = tab.Columns[s.Cols[i]].Desc // else hardly any order is served
			}
			want.Keys = append(want.Keys, plan.SortKey{Expr: &expr.Col{Index: i, T: int4T}, Desc: desc, NullsFirst: desc})
		}
		for _, i := range r.Perm(4)[:r.IntN(3)] {
			if s.Cols[i] != 3 {
				want.Groups = append(want.Groups, &expr.Col{Index: i, T: int4T})
			}
		}
		var byKey [][4]int64
		for n := range int64(27) {
			row := [4]int64{n / 9, n / 3 % 3, n % 3}
			if !slices.ContainsFunc([]int{0, 1, 2}, func(p int) bool { return fixed[p] && row[p] != 1 }) {
				byKey = append(byKey, row)
			}
		}
		slices.SortFunc(byKey, func(x, y [4]int64) int {
			for p := range 3 {
				c := cmp.Compare(x[p], y[p])
				if tab.Columns[p].Desc {
					c = -c
				}
				if c != 0 {
					return c
				}
			}
			return 0
		})
		backward := slices.Clone(byKey)
		slices.Reverse(backward)
		serves := map[plan.Order]bool{plan.Forward: true, plan.Reverse: true}
		for range 8 {
			for _, v := range [][][4]int64{byKey, backward} {
				for i := range v {
					v[i][3] = r.Int64N(9)
				}
			}
			serves[plan.Forward] = serves[plan.Forward] && served(s, byKey, want)
			serves[plan.Reverse] = serves[plan.Reverse] && served(s, backward, want)
		}
		got := InOrder(gathered(s), want)
		if got == nil {
			if serves[plan.Forward] || serves[plan.Reverse] {
				t.Fatalf("key %s, bound %v: %v is served %v, and is not given", tab.KeyText(), fixed, names(s, want), serves)
			}
			given[plan.Unordered]++
			continue
		}
		read, _ := walk.ScanUnder(got)
		if read == nil || !serves[read.Order] {
			t.Fatalf("key %s, bound %v: %v is given as %+v, served %v", tab.KeyText(), fixed, names(s, want), got, serves)
		}
		if _, merged := got.(*plan.SaltMerge); merged != (tab.Options.SaltBuckets > 0) {
			t.Fatalf("%d buckets are read by a %T", tab.Options.SaltBuckets, got)
		}
		if s.Order != plan.Unordered {
			t.Fatal("the scan itself was changed")
		}
		given[read.Order]++
	}
	for order, n := range given {
		if n < 200 {
			t.Errorf("order %d came of %d draws only", order, n)
		}
	}
}

func gathered(s *plan.Scan) plan.Node {
	if s.Table.Options.SaltBuckets > 0 {
		return &plan.SaltGather{Input: s}
	}
	return s
}

func names(s *plan.Scan, want Ordering) (out []string) {
	for _, k := range want.Keys {
		name := s.Table.Columns[s.Cols[k.Expr.(*expr.Col).Index]].Name
		if k.Desc {
			name += " desc"
		}
		out = append(out, name)
	}
	for _, g := range want.Groups {
		out = append(out, "group "+s.Table.Columns[s.Cols[g.(*expr.Col).Index]].Name)
	}
	return out
}
