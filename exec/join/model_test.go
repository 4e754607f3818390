package join_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/exec/exectest"
	"github.com/saltsql/saltsql/exec/join"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// A joinCase is a join of two small random relations, and what it must give: computed
// row by row, as Match's definition says.
type joinCase struct {
	kind        plan.JoinKind
	match       plan.Match
	left, right [][]types.Datum
	types       []types.T // of the columns of either side
	fed         bool      // the join is to give its rows to sinks
}

// Columns of either side of a joinCase.
const (
	joinID   = iota // int8, unique, ascending
	joinKey0        // of a random type
	joinKey1        // likewise
	joinV           // int8
	joinNote        // text
	joinCols
)

var joinKeyTypes = []struct {
	name   string
	values []string
}{
	{"int8", []string{"0", "1", "2", "3", "-1", "9223372036854775807"}},
	{"int4", []string{"5", "6", "7"}},
	{"date", []string{"2024-01-01", "2024-01-02", "infinity"}},
	{"bool", []string{"t", "f"}},
	{"text", []string{"", "a", "b", "ab", "a "}},
	{"bpchar", []string{"a", "a  ", "b", "b "}},
	{"numeric", []string{"1", "1.0", "1.00", "2.5", "2.50", "-0", "0", "NaN", "123456789012345678901234567890", "123456789012345678901234567890.0"}},
	{"float8", []string{"0", "-0", "1.5", "NaN", "Infinity"}},
	{"interval", []string{"1 mon", "30 days", "720:00:00", "1 day"}},
	{"jsonb", []string{`{"a": 1}`, `{"a": 1.0}`, `[]`, `"x"`, `1`, `1.00`}},
	{"bytea", []string{`\x00`, `\x0001`, `\x`}},
	{"_int4", []string{"{}", "{1,2}", "{1,NULL}", "{2}"}},
	{"_text", []string{"{a}", "{b}", "{a,b}"}},
}

func newJoinCase(t *testing.T, r *rand.Rand, kind plan.JoinKind, keyed bool) *joinCase {
	c := &joinCase{kind: kind, types: make([]types.T, joinCols)}
	domain := make([][]types.Datum, joinCols)
	for i := range c.types {
		switch i {
		case joinID, joinV:
			c.types[i] = tInt8
		case joinNote:
			c.types[i] = tText
		default:
			k := joinKeyTypes[r.IntN(len(joinKeyTypes))]
			if r.IntN(3) == 0 {
				k = joinKeyTypes[0]
			}
			ty, err := types.FromName(k.name, nil, false)
			if err != nil {
				t.Fatal(err)
			}
			c.types[i] = ty
			for _, s := range k.values {
				d, err := types.ParseString(ty, s, nil)
				if err != nil {
					t.Fatal(err)
				}
				domain[i] = append(domain[i], d)
			}
		}
	}
	nulls := []int{0, 0, 3, 20}[r.IntN(4)] // in 20
	wide := r.IntN(4) == 0
	rows := func() [][]types.Datum {
		n := []int{0, 1, 3, 40, 200, 500, 1500}[r.IntN(7)]
		if !keyed || kind == plan.Mark || nulls > 3 {
			n = min(n, 200)
		}
		out := make([][]types.Datum, n)
		for i := range out {
			row := make([]types.Datum, joinCols)
			row[joinID] = types.NewInt(int64(i))
			for _, k := range []int{joinKey0, joinKey1} {
				d := domain[k][r.IntN(len(domain[k]))]
				if c.types[k] == tInt8 && n > 40 {
					d = types.NewInt(int64(r.IntN(n)))
				}
				row[k] = d
			}
			row[joinV] = types.NewInt(int64(r.IntN(6)))
			size := r.IntN(20)
			if wide && r.IntN(40) == 0 {
				size = 200 << 10
			}
			row[joinNote] = types.NewText(strings.Repeat(string(rune('a'+i%26)), size))
			for k := joinKey0; k < joinCols; k++ {
				if r.IntN(20) < nulls && (k != joinNote) {
					row[k] = types.NullDatum
				}
			}
			out[i] = row
		}
		return out
	}
	c.left, c.right = rows(), rows()
	three := kind == plan.Anti || kind == plan.Mark
	if keyed {
		for _, k := range []int{joinKey0, joinKey1}[:1+r.IntN(2)] {
			key := plan.JoinKey{Left: exectest.Col(k, c.types[k]), Right: exectest.Col(k, c.types[k])}
			if c.types[k] == tInt8 && r.IntN(3) == 0 {
				key.Left, key.Right = exectest.Op("-", key.Left, exectest.Lit(0)), exectest.Op("+", key.Right, exectest.Lit(0))
			}
			switch {
			case three && r.IntN(2) == 0:
				key.Unknown = true
			case r.IntN(4) == 0:
				key.NullsEqual = true
			}
			c.match.Keys = append(c.match.Keys, key)
		}
	}
	cmp := func() expr.Expr {
		ops := []string{"<", "<=", "<>", "="}
		return exectest.Op(ops[r.IntN(len(ops))], exectest.Col(joinV, tInt8), exectest.Col(joinCols+joinV, tInt8))
	}
	if r.IntN(2) == 0 {
		c.match.Filter = cmp()
	}
	if three && r.IntN(2) == 0 {
		c.match.Cond = cmp()
	}
	return c
}

func (c *joinCase) String() string {
	return fmt.Sprintf("%v keys %d filter %v cond %v, %d x %d rows", c.kind, len(c.match.Keys), c.match.Filter != nil, c.match.Cond != nil, len(c.left), len(c.right))
}

// evalPair computes an expression over a pair.
func (c *joinCase) evalPair(e expr.Expr, row ...types.Datum) types.Datum {
	p, err := eval.Compile(e)
	if err != nil {
		panic(err)
	}
	b := &vec.Batch{N: 1}
	for i, d := range row {
		v := vec.New(c.types[i%joinCols])
		v.Resize(1)
		v.Set(0, d)
		b.Cols = append(b.Cols, v)
	}
	v, err := p.Eval(&expr.Env{}, b)
	if err != nil {
		panic(err)
	}
	return v.Datum(0)
}

// value says whether a pair matches: 't', 'u' nothing is false, 'f', or 0 for no candidate.
func (c *joinCase) value(l, r []types.Datum, keys [][2][]types.Datum, li, ri int) byte {
	v := byte('t')
	for k, key := range c.match.Keys {
		a, b := keys[k][0][li], keys[k][1][ri]
		switch {
		case key.NullsEqual && a.Null && b.Null:
		case a.Null || b.Null:
			if !key.Unknown {
				return 0
			}
			if v == 't' {
				v = 'u'
			}
		case types.Compare(key.Left.Type(), a, b) != 0:
			if !key.Unknown {
				return 0
			}
			v = 'f'
		}
	}
	// The conditions are over two small integers: computed once each.
	if f := c.match.Filter; f != nil {
		if d := c.cached(f, l[joinV], r[joinV]); d.Null || !d.Bool {
			return 0
		}
	}
	if f := c.match.Cond; f != nil {
		switch d := c.cached(f, l[joinV], r[joinV]); {
		case d.Null:
			if v == 't' {
				v = 'u'
			}
		case !d.Bool:
			v = 'f'
		}
	}
	return v
}

var pairCache map[string]types.Datum

func (c *joinCase) cached(e expr.Expr, a, b types.Datum) types.Datum {
	key := fmt.Sprintf("%p %v %d %v %d", e, a.Null, a.Int, b.Null, b.Int)
	d, ok := pairCache[key]
	if !ok {
		row := make([]types.Datum, 2*joinCols)
		for i := range row {
			row[i] = types.NullDatum
		}
		row[joinV], row[joinCols+joinV] = a, b
		d = c.evalPair(e, row...)
		pairCache[key] = d
	}
	return d
}

// want computes the rows that the join gives; err where a row of Single matches twice.
func (c *joinCase) want() (rows []string, fails bool) {
	pairCache = map[string]types.Datum{}
	keys := make([][2][]types.Datum, len(c.match.Keys))
	for k, key := range c.match.Keys {
		for _, row := range c.left {
			keys[k][0] = append(keys[k][0], c.evalPair(key.Left, row...))
		}
		for _, row := range c.right {
			keys[k][1] = append(keys[k][1], c.evalPair(key.Right, row...))
		}
	}
	nulls := make([]types.Datum, joinCols)
	for i := range nulls {
		nulls[i] = types.NullDatum
	}
	rightSeen := make([]bool, len(c.right))
	for i, l := range c.left {
		matches, unknown := 0, false
		for k, r := range c.right {
			switch c.value(l, r, keys, i, k) {
			case 't':
				matches++
				rightSeen[k] = true
				if c.kind.GivesRight() {
					rows = append(rows, c.text(l, r))
				}
			case 'u':
				unknown = true
			}
		}
		switch c.kind {
		case plan.Single:
			fails = fails || matches > 1
			fallthrough
		case plan.Left, plan.Full:
			if matches == 0 {
				rows = append(rows, c.text(l, nulls))
			}
		case plan.Semi:
			if matches > 0 {
				rows = append(rows, c.text(l))
			}
		case plan.Anti:
			if matches == 0 && !unknown {
				rows = append(rows, c.text(l))
			}
		case plan.Mark:
			mark := "f"
			if matches > 0 {
				mark = "t"
			} else if unknown {
				mark = "NULL"
			}
			rows = append(rows, c.text(l)+"|"+mark)
		}
	}
	if c.kind == plan.Right || c.kind == plan.Full {
		for k, r := range c.right {
			if !rightSeen[k] {
				rows = append(rows, c.text(nulls, r))
			}
		}
	}
	return rows, fails
}

func (c *joinCase) text(sides ...[]types.Datum) string {
	var parts []string
	for _, row := range sides {
		for i, d := range row {
			parts = append(parts, exectest.Text(c.types[i], d))
		}
	}
	return strings.Join(parts, "|")
}

// columns describes a side for the plan.
func (c *joinCase) columns(name string) *plan.External {
	e := &plan.External{}
	for i, t := range c.types {
		e.Cols = append(e.Cols, plan.Column{Name: fmt.Sprint(name, i), Type: t})
	}
	return e
}

// check runs op and compares.
func (c *joinCase) check(t *testing.T, op op.Operator, cx *op.Context, ordered bool) {
	t.Helper()
	want, fails := c.want()
	var got []string
	lastLeft := int64(math.MinInt64)
	run := exectest.Run
	if c.fed {
		run = exectest.RunFed
	}
	err := run(t, op, cx, func(b *vec.Batch) {
		size := 0
		for i := range b.Rows() {
			s := b.Row(i)
			var parts []string
			for _, v := range b.Cols {
				parts = append(parts, exectest.Text(v.Type, v.Datum(s)))
			}
			for k, v := range b.Cols {
				if k%joinCols == joinNote && c.kind.GivesRight() && !v.Null(s) {
					if i+1 < b.Rows() {
						size += len(v.Bytes[s])
					}
				}
			}
			got = append(got, strings.Join(parts, "|"))
			if ordered && !b.Cols[joinID].Null(s) {
				if id := b.Cols[joinID].Ints[s]; id < lastLeft {
					t.Errorf("left row %d after %d", id, lastLeft)
				} else {
					lastLeft = id
				}
			}
		}
		if size > spill.MostWide {
			t.Errorf("a batch holds %d bytes of texts before its last row", size)
		}
	})
	if fails {
		if sqlerr.CodeOf(err) != sqlerr.CardinalityViolation {
			t.Fatalf("no error where a row matches twice: %v", err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		for i := range max(len(got), len(want)) {
			if i >= len(got) || i >= len(want) || got[i] != want[i] {
				t.Fatalf("%d rows, want %d; first difference:\n%v\n%v", len(got), len(want), got[i:min(i+2, len(got))], want[i:min(i+2, len(want))])
			}
		}
	}
}

var (
	tInt8 = types.Of(types.Int8)
	tText = types.Of(types.Text)
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var allKinds = []plan.JoinKind{plan.Inner, plan.Left, plan.Right, plan.Full, plan.Semi, plan.Anti, plan.Mark, plan.Single}

func TestHashJoinModel(t *testing.T) {
	exectest.Seeds(t, 120, func(t *testing.T, r *rand.Rand) {
		c := newJoinCase(t, r, allKinds[r.IntN(len(allKinds))], true)
		n := &plan.HashJoin{Join: plan.Join{Kind: c.kind, Left: c.columns("l"), Right: c.columns("r"), Match: c.match}, BuildLeft: r.IntN(2) == 0}
		workMem := []int64{0, 1 << 10, 20 << 10, 200 << 10}[r.IntN(4)]
		c.fed = r.IntN(2) == 0
		side := func(rows [][]types.Datum) op.Operator {
			if c.fed {
				return exectest.NewFeeds(rows, c.types, r, 1+r.IntN(4))
			}
			return &exectest.Batches{Rows: rows, Types: c.types, Rand: r}
		}
		op, err := join.NewHashJoin(n, side(c.left), side(c.right))
		if err != nil {
			t.Fatal(err)
		}
		t.Log(c, "build left", n.BuildLeft, "work_mem", workMem, "fed", c.fed)
		for range 2 { // the same operator again
			c.check(t, op, exectest.Context(t, workMem), false)
		}
	})
}

func TestNestedLoopModel(t *testing.T) {
	exectest.Seeds(t, 100, func(t *testing.T, r *rand.Rand) {
		c := newJoinCase(t, r, allKinds[r.IntN(len(allKinds))], false)
		n := &plan.NestedLoop{Join: plan.Join{Kind: c.kind, Left: c.columns("l"), Right: c.columns("r"), Match: c.match}}
		workMem := []int64{0, 1 << 10, 20 << 10}[r.IntN(3)]
		op, err := join.NewNestedLoop(n, &exectest.Batches{Rows: c.left, Types: c.types, Rand: r}, &exectest.Batches{Rows: c.right, Types: c.types, Rand: r})
		if err != nil {
			t.Fatal(err)
		}
		t.Log(c, "work_mem", workMem)
		for range 2 {
			c.check(t, op, exectest.Context(t, workMem), true)
		}
	})
}
