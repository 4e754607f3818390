package planner

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/explain"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

var (
	randomSeed  = flag.Uint64("seed", 0, "seed of the random tests; 0 draws one")
	randomSteps = flag.Int("steps", 0, "steps of the random tests; 0 is as many as there is time for")
)

// TestConstrainKeepsMeaning checks that the key condition, the filter and the
// recheck of a constrained scan together mean the condition that they were made
// of, for random conditions and rows; and that the key condition with the filter alone
// does where there is no recheck.
func TestConstrainKeepsMeaning(t *testing.T) {
	seed := *randomSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	g := &condGen{rnd: rand.New(rand.NewPCG(seed, 1))}
	cat := newToyCatalog()
	cat.define(t, &datadriven.TestData{
		CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"t"}}, {Key: "salt", Vals: []string{"4"}}},
		Input:   "a int4 key\nb text key desc\nc int8 key\nd date key\nv int4",
	})
	cat.define(t, &datadriven.TestData{
		CmdArgs: []datadriven.CmdArg{{Key: "name", Vals: []string{"u"}}},
		Input:   "d date key\na int4 key\nc int8 key desc\nb text key\nv int4",
	})
	rows := g.rows(400)
	c := rows.Cols
	turned := &vec.Batch{N: rows.N, Cols: []*vec.Vec{c[3], c[0], c[2], c[1], c[4]}}
	for step, more := 0, seeds.Until(*randomSteps, 8*time.Second); more(step); step++ {
		where := g.cond(3)
		err := g.check(cat, "SELECT a, b, c, d, v FROM t WHERE "+where, rows)
		if err == nil {
			err = g.check(cat, "SELECT d, a, c, b, v FROM u WHERE "+where, turned)
		}
		if err != nil {
			t.Fatalf("seed %d, step %d: WHERE %s: %v", seed, step, where, err)
		}
	}
}

// condGen makes conditions and rows of few values, so that many of them meet.
type condGen struct{ rnd *rand.Rand }

var (
	texts = []string{"", "a", "ab", "abc", "b", "ba", "c"}
	dates = []string{"2024-01-01", "2024-01-02", "2024-01-03", "2024-01-02 12:00"}
)

func (g *condGen) pick(list ...string) string { return list[g.rnd.IntN(len(list))] }

func (g *condGen) cond(depth int) string {
	if depth > 0 && g.rnd.IntN(3) > 0 {
		op := g.pick(" AND ", " AND ", " OR ")
		parts := make([]string, 2+g.rnd.IntN(2))
		for i := range parts {
			parts[i] = g.cond(depth - 1)
		}
		text := "(" + strings.Join(parts, op) + ")"
		if g.rnd.IntN(12) == 0 {
			text = "NOT " + text
		}
		return text
	}
	cmp := g.pick("=", "=", "=", "<", "<=", ">", ">=", "<>")
	switch g.rnd.IntN(22) {
	case 0:
		return "v " + cmp + " " + g.int()
	case 1:
		return "a IN (" + g.int() + ", " + g.int() + ", " + g.pick("NULL", "3", "2.0", "1.5") + ")"
	case 2:
		return "b LIKE '" + g.pick("a%", "ab", "_b%", "a_", "%", "", "a%b", "ab%%") + "'"
	case 3:
		return "(a, b) " + g.pick("=", "<", "<=", ">", ">=") + " (" + g.int() + ", " + g.text() + ")"
	case 4:
		return "(b, c, d) " + g.pick("<", "<=", ">", ">=") + " (" + g.text() + ", " + g.int() + ", " + g.day() + ")"
	case 5:
		return "(a, c) " + g.pick("<", ">=") + " (" + g.int() + ", " + g.int() + ")"
	case 6:
		return "c " + cmp + " " + g.pick("1.5", "2.0", "-0.5", "3e0", "1e30", "2::float8", "1.5::float8")
	case 7:
		return "c = ANY (ARRAY[" + g.int() + ", " + g.int() + "]::int8[])"
	case 8:
		return "d " + cmp + " " + g.pick(g.day(), "timestamp "+g.date())
	case 9:
		return g.pick("a", "b", "c", "v") + " IS " + g.pick("NULL", "NOT NULL")
	case 10:
		return "b " + cmp + " " + g.text()
	case 11:
		return "a BETWEEN " + g.int() + " AND " + g.int()
	case 12:
		return g.int() + " " + cmp + " a"
	case 13:
		return "a NOT IN (" + g.int() + ", " + g.pick(g.int(), g.int(), "NULL") + ")"
	case 14:
		return "NOT (a " + cmp + " " + g.int() + " AND b " + g.pick("=", "<", ">=") + " " + g.text() + ")"
	case 15:
		return "NOT (c = ANY (ARRAY[" + g.int() + ", " + g.int() + "]::int8[]))"
	case 16:
		return "b ~ '" + g.pick("^a", "^ab", "^(ab|ac)", "^ab$", "a", "^b.", "^") + "'"
	case 17:
		return "extract(year FROM d) " + g.pick("=", "<", "<=", ">", ">=") + " " + g.pick("2023", "2024", "2024.5", "2025")
	case 18:
		return "date_trunc('" + g.pick("day", "month", "year") + "', d::timestamp) " + cmp + " " + g.pick("'2024-01-01'", "'2024-01-02'", "'2024-01-02 12:00'") + "::timestamp"
	case 19:
		return "NOT ((a, c) " + g.pick("<", "<=", ">", ">=") + " (" + g.int() + ", " + g.int() + "))"
	case 20:
		return "a <> ALL (ARRAY[" + g.int() + ", " + g.int() + "])"
	}
	return "a " + cmp + " " + g.pick(g.int(), g.int(), "NULL", "10000000000")
}

func (g *condGen) int() string  { return fmt.Sprint(g.rnd.IntN(5)) }
func (g *condGen) text() string { return "'" + g.pick(texts...) + "'" }
func (g *condGen) day() string  { return "'" + g.pick(dates[:3]...) + "'" }
func (g *condGen) date() string { return "'" + g.pick(dates...) + "'" }

// rows gives rows of the table (a, b, c, d, v).
func (g *condGen) rows(n int) *vec.Batch {
	b := vec.NewBatch([]types.T{types.Of(types.Int4), types.Of(types.Text), types.Of(types.Int8), types.Of(types.Date), types.Of(types.Int4)})
	b.N = n
	for i, v := range b.Cols {
		v.Resize(n)
		for r := range n {
			switch i {
			case 1:
				v.Set(r, types.NewText(g.pick(texts...)))
			case 3:
				v.Set(r, types.NewInt(int64(19723+g.rnd.IntN(3))))
			default:
				v.Set(r, types.NewInt(int64(g.rnd.IntN(5))))
			}
			if i == 4 && g.rnd.IntN(5) == 0 {
				v.Set(r, types.NullDatum)
			}
		}
	}
	return b
}

// check compares the rows that the whole condition lets through with those of
// the scan.
func (g *condGen) check(cat Catalog, text string, rows *vec.Batch) error {
	bare := testContext(cat)
	bare.Options.DisableAllRules = true
	p, err := planText(bare, text)
	if err != nil {
		return err
	}
	var whole expr.Expr
	if f, ok := p.Root.(*plan.Project).Input.(*plan.Filter); ok {
		whole = f.Cond
	}
	want, err := passing(whole, rows)
	if err != nil {
		return err
	}
	ctx := testContext(cat)
	ctx.Options.DisableRules = []string{"prune_columns"}
	if p, err = planText(ctx, text); err != nil {
		return err
	}
	got := map[int]bool{}
	if s, ok := scanIn(p.Root); ok {
		if got, err = scanned(s, rows); err != nil {
			return err
		}
	}
	for i := range rows.N {
		if got[i] != want[i] {
			row := ""
			for _, v := range rows.Cols {
				row += fmt.Sprintf(" %s", types.AppendText(nil, v.Type, v.Datum(i), nil))
			}
			return fmt.Errorf("row%s: the condition says %v, the plan %v\n%s", row, want[i], got[i],
				strings.Join(explain.Lines(p, explain.Options{}, nil), "\n"))
		}
	}
	return nil
}

func scanIn(n plan.Node) (*plan.Scan, bool) {
	if s, ok := walk.ScanUnder(n); ok {
		return s, true
	}
	for _, in := range n.Inputs() {
		if s, ok := scanIn(in); ok {
			return s, true
		}
	}
	return nil, false
}

func passing(cond expr.Expr, rows *vec.Batch) (map[int]bool, error) {
	out := map[int]bool{}
	if cond == nil {
		for i := range rows.N {
			out[i] = true
		}
		return out, nil
	}
	prog, err := eval.Compile(cond)
	if err != nil {
		return nil, err
	}
	sel, err := prog.Filter(nil, rows, nil)
	for _, i := range sel {
		out[int(i)] = true
	}
	return out, err
}

func scanned(s *plan.Scan, rows *vec.Batch) (map[int]bool, error) {
	out, err := passing(s.Filter, rows)
	if err != nil {
		return nil, err
	}
	again, err := passing(s.Recheck, rows)
	if err != nil {
		return nil, err
	}
	for i := range rows.N {
		if !out[i] || !again[i] {
			delete(out, i)
		} else if ok, err := keyMatches(s.Key, rows, i); err != nil {
			return nil, err
		} else if !ok {
			delete(out, i)
		}
	}
	return out, nil
}

// keyMatches evaluates a key condition for one row, whose key columns are the first four.
func keyMatches(k *plan.KeyCond, rows *vec.Batch, row int) (bool, error) {
	if k == nil {
		return true, nil
	}
next:
	for _, c := range k.Or {
		for i := range c.Terms {
			ok, err := termMatches(&c.Terms[i], rows, row)
			if err != nil {
				return false, err
			}
			if !ok {
				continue next
			}
		}
		return true, nil
	}
	return false, nil
}

func termMatches(t *plan.KeyTerm, rows *vec.Batch, row int) (bool, error) {
	args := make([]types.Datum, len(t.Args))
	for i, a := range t.Args {
		d, err := eval.EvalConst(&expr.Env{}, a)
		if err != nil {
			return false, err
		}
		args[i] = d
	}
	col := rows.Cols[t.Columns[0]]
	v := col.Datum(row)
	switch t.Op {
	case plan.KeyNe, plan.KeyNotIn, plan.KeyNotInArray:
		if t.Op == plan.KeyNotInArray {
			args = args[0].Array.Elems
		}
		for _, a := range args {
			if a.Null || types.Compare(col.Type, v, a) == 0 {
				return false, nil
			}
		}
		return true, nil
	}
	if t.Op == plan.KeyTuple {
		return tupleMatches(t, args, rows, row), nil
	}
	for _, a := range args {
		if a.Null {
			continue
		}
		cmp := types.Compare(col.Type, v, a)
		switch t.Op {
		case plan.KeyEq, plan.KeyIn:
			if cmp == 0 {
				return true, nil
			}
		case plan.KeyLt:
			return cmp < 0, nil
		case plan.KeyLe:
			return cmp <= 0, nil
		case plan.KeyGt:
			return cmp > 0, nil
		case plan.KeyGe:
			return cmp >= 0, nil
		case plan.KeyPrefix:
			return bytes.HasPrefix(v.Bytes, a.Bytes), nil
		default:
			return false, fmt.Errorf("unexpected key term %d", t.Op)
		}
	}
	return false, nil
}

func tupleMatches(t *plan.KeyTerm, args []types.Datum, rows *vec.Batch, row int) bool {
	for i, c := range t.Columns {
		cmp := types.Compare(rows.Cols[c].Type, rows.Cols[c].Datum(row), args[i])
		if cmp != 0 {
			return (cmp < 0) == (t.Tuple[0] == '<')
		}
	}
	return len(t.Tuple) == 2
}
