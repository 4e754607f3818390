package keyspan

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// TestEqualLeadingColumns holds that the short way of a condition that binds the leading columns
// to values gives what the long one does, for values that no column can hold and NULL too.
func TestEqualLeadingColumns(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	column := func(st rowcodec.Type, k types.Kind) rowcodec.Column {
		return rowcodec.Column{Type: st, SQL: types.Of(k)}
	}
	all := []rowcodec.Column{column(rowcodec.Integer, types.Int4), column(rowcodec.BigInt, types.Int8), column(rowcodec.Varchar, types.Text), column(rowcodec.Boolean, types.Bool)}
	ints := []int64{0, 1, -1, 7, 255, 256, math.MaxInt32, math.MaxInt32 + 1, math.MinInt32, math.MinInt32 - 1, math.MaxInt64, math.MinInt64}
	texts := []string{"", "a", "\x00", "\x01b", "\xc3\xbf", "a\x00b"}
	value := func(c rowcodec.Column) *expr.Const {
		k := &expr.Const{T: c.SQL}
		switch c.SQL.Kind {
		case types.Text:
			k.Value = types.NewBytes([]byte(texts[r.IntN(len(texts))]))
		case types.Bool:
			k.Value = types.NewBool(r.IntN(2) == 0)
		default:
			k.T, k.Value = types.Of(types.Int8), types.NewInt(ints[r.IntN(len(ints))])
		}
		if r.IntN(16) == 0 {
			k.Value = types.NullDatum
		}
		return k
	}
	short := 0
	for range 3000 {
		s := &rowcodec.KeySchema{Table: "t", Index: r.IntN(2) == 0}
		n := 2 + r.IntN(3)
		for i := range n {
			c := all[r.IntN(len(all))]
			k := rowcodec.KeyColumn{Column: c}
			if s.Index {
				k = rowcodec.IndexColumn(c)
			}
			if s.Index && i == n-1 {
				k = rowcodec.KeyColumn{Column: column(rowcodec.Varbinary, types.Bytea)}
			}
			k.Name, k.Desc = string(rune('a'+i)), r.IntN(3) == 0
			s.Columns = append(s.Columns, k)
		}
		conj := plan.KeyConj{}
		bind := n
		if s.Index { // its last column is another table's key
			bind--
		}
		for _, i := range r.Perm(1 + r.IntN(bind)) {
			c := s.Columns[i].Column
			conj.Terms = append(conj.Terms, plan.KeyTerm{Op: plan.KeyEq, Columns: []int{i}, Args: []expr.Expr{value(c)}})
		}
		bound := len(conj.Terms)
		if r.IntN(3) == 0 { // one of them twice
			t := conj.Terms[r.IntN(bound)]
			if r.IntN(2) == 0 {
				t.Args = []expr.Expr{value(s.Columns[t.Columns[0]].Column)}
			}
			conj.Terms = append(conj.Terms, t)
		}
		if r.IntN(2) == 0 {
			s.Buckets, s.SaltColumns = 4, []int{r.IntN(bound)}
		}
		c := compile(s, &plan.KeyCond{Or: []plan.KeyConj{conj}})
		if c.prefix == nil && c.full == nil {
			continue
		}
		short++
		got, err := c.Spans(&expr.Env{}, false)
		if err != nil {
			t.Fatal(err)
		}
		points := c.full != nil
		c.prefix, c.full = nil, nil
		want, err := c.Spans(&expr.Env{}, false)
		if err != nil {
			t.Fatal(err)
		}
		if points {
			want.LogicalSpans = 0 // which the short way does not count
		}
		if !reflect.DeepEqual(got, want) && !(got.Empty() && want.Empty()) {
			t.Fatalf("%+v\n%s\ninstead of\n%s", conj, s.Describe(got), s.Describe(want))
		}
	}
	if short < 1000 {
		t.Errorf("%d conditions", short)
	}
}
