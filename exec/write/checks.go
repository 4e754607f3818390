package write

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// checks make the rows of a batch what a table's rows are: they compute the generated columns,
// and test the constraints. What they compute is good until they are used again.
type checks struct {
	table     *catalog.Table
	generated []*eval.Prog
	into      []int // columns, per generated
	progs     []*eval.Prog
	names     []string
	views     []bool // names has that of a view
}

func newChecks(t *catalog.Table, rules plan.RowRules) (*checks, error) {
	c := &checks{table: t}
	for _, g := range rules.Generated {
		p, err := eval.Compile(g.Value)
		if err != nil {
			return nil, err
		}
		c.generated, c.into = append(c.generated, p), append(c.into, g.Column)
	}
	for _, k := range rules.Checks {
		p, err := eval.Compile(k.Cond)
		if err != nil {
			return nil, err
		}
		c.progs, c.names, c.views = append(c.progs, p), append(c.names, k.Name), append(c.views, k.View)
	}
	return c, nil
}

// complete computes the generated columns of the rows of a batch.
func (c *checks) complete(cx *op.Context, row *vec.Batch) error {
	for i, p := range c.generated {
		v, err := p.Eval(cx.Env, row)
		if err != nil {
			cx.FindFailed(row, func(one *vec.Batch) error { _, err := p.Eval(cx.Env, one); return err })
			return err
		}
		row.Cols[c.into[i]] = v
	}
	return nil
}

// test fails for the first row, by constraint, that breaks one. only, where not
// nil, limits NOT NULL to those columns and the generated ones.
func (c *checks) test(cx *op.Context, row *vec.Batch, only []int) error {
	for i := range row.Cols[:len(c.table.Columns)] {
		if !c.table.Columns[i].NotNull || !row.Cols[i].Nulls.Any() || only != nil && !slices.Contains(only, i) && !slices.Contains(c.into, i) {
			continue
		}
		for j := range row.Rows() {
			if slot := row.Row(j); row.Cols[i].Nulls.Get(slot) {
				cx.FailAt(slot)
				return notNull(cx, c.table, i, row, slot)
			}
		}
	}
	for i, p := range c.progs {
		v, err := p.Eval(cx.Env, row)
		if err != nil {
			cx.FindFailed(row, func(one *vec.Batch) error { _, err := p.Eval(cx.Env, one); return err })
			return err
		}
		for j := range row.Rows() {
			slot := row.Row(j)
			if null := v.Nulls.Get(slot); null && !c.views[i] || !null && v.Bools[slot] {
				continue
			}
			cx.FailAt(slot)
			if c.views[i] {
				return sqlerr.New(sqlerr.WithCheckOptionViolation, "new row violates check option for view %q", c.names[i]).
					WithDetail("%s", failingRow(cx, c.table, row, slot))
			}
			return sqlerr.New(sqlerr.CheckViolation, "new row for relation %q violates check constraint %q", c.table.Name, c.names[i]).
				WithDetail("%s", failingRow(cx, c.table, row, slot)).
				WithConstraint(c.table.Name, c.names[i]).InSchema(c.table.Schema)
		}
	}
	return nil
}

func notNull(cx *op.Context, t *catalog.Table, col int, row *vec.Batch, slot int) error {
	name := t.Columns[col].Name
	return sqlerr.New(sqlerr.NotNullViolation, "null value in column %q of relation %q violates not-null constraint", name, t.Name).
		WithDetail("%s", failingRow(cx, t, row, slot)).WithColumn(t.Name, name).InSchema(t.Schema)
}

// failingRow prints a row as PostgreSQL shows failing ones. Where not all of it may be shown it
// names the columns, and where nothing may it is empty.
//
//	Failing row contains (1, hush, -1).
//	Failing row contains (k, n) = (1, -1).
func failingRow(cx *op.Context, t *catalog.Table, row *vec.Batch, slot int) string {
	var shown []bool
	if cx.Shown != nil {
		shown = cx.Shown(t)
	}
	names, b := appendRow(nil, nil, t, row, slot, shown, cx.Env)
	switch {
	case shown == nil:
		return "Failing row contains (" + string(b) + ")."
	case len(names) == 0:
		return ""
	}
	return "Failing row contains (" + string(names) + ") = (" + string(b) + ")."
}

// appendRow appends the names of a row's columns and their values; all where shown is nil.
func appendRow(names, b []byte, t *catalog.Table, row *vec.Batch, slot int, shown []bool, env *expr.Env) ([]byte, []byte) {
	for i := range t.Visible() {
		if shown != nil && !shown[i] {
			continue
		}
		if len(names) > 0 {
			names, b = append(names, ", "...), append(b, ", "...)
		}
		names = append(names, t.Columns[i].Name...)
		if i < len(row.Cols) {
			b = appendShown(b, t.Columns[i].Type, row.Cols[i].Datum(slot), env)
		}
	}
	return names, b
}

func appendShown(b []byte, t types.T, d types.Datum, env *expr.Env) []byte {
	if d.Null {
		return append(b, "null"...)
	}
	at := len(b)
	b = types.AppendText(b, t, d, ioEnv(env))
	if len(b)-at <= maxShown {
		return b
	}
	end := at + maxShown
	for end > at && b[end]&0xc0 == 0x80 { // not inside a character
		end--
	}
	return append(b[:end], "..."...)
}

func ioEnv(env *expr.Env) *types.IOEnv {
	if env == nil {
		return nil
	}
	return env.TextIO()
}
