package advise

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/keycond"
	"github.com/saltsql/saltsql/planner/keyorder"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/walk"
)

// keyFor makes a key that would serve a scan: the columns that its conditions bind to one
// value, then those of the sort keys or, without, those it bounds, then the rest of the
// present key. Empty where it would be the present one, or has something other than columns.
func (a *adviser) keyFor(s *plan.Scan, sort []plan.SortKey) (cols []int, desc []bool) {
	t := s.Table
	add := func(col int, d bool) {
		if !slices.Contains(cols, col) {
			cols, desc = append(cols, col), append(desc, d)
		}
	}
	at := func(e expr.Expr) int {
		for {
			c, ok := e.(*expr.Cast)
			if !ok {
				break
			}
			e = c.X
		}
		if c, ok := e.(*expr.Col); ok && c.Index < len(s.Cols) && mayLeadKey(&t.Columns[s.Cols[c.Index]]) {
			return s.Cols[c.Index]
		}
		return -1
	}
	for pos := range t.PrimaryKey {
		if keyorder.FixedColumns(s)[pos] {
			add(t.PrimaryKey[pos], t.Columns[t.PrimaryKey[pos]].Desc)
		}
	}
	var ranged []int
	if s.Filter != nil {
		for _, c := range walk.Conjuncts(s.Filter) {
			call, ok := c.(*expr.Call)
			if !ok || len(call.Args) != 2 || keycond.CompareOps[call.Fn.Name] == 0 && call.Fn.Name != "=" || call.Fn.Name == "<>" {
				continue
			}
			l, r := call.Args[0], call.Args[1]
			if expr.IsConst(l) {
				l, r = r, l
			}
			col := at(l)
			switch {
			case col < 0 || !expr.IsConst(r):
			case call.Fn.Name == "=":
				add(col, t.Columns[col].Desc)
			default:
				ranged = append(ranged, col)
			}
		}
	}
	for _, k := range sort {
		col := at(k.Expr)
		if col < 0 || k.NullsFirst != k.Desc {
			return nil, nil
		}
		add(col, k.Desc)
	}
	if sort == nil {
		for _, col := range ranged {
			add(col, t.Columns[col].Desc)
		}
	}
	if len(cols) == 0 {
		return nil, nil
	}
	for _, col := range t.PrimaryKey {
		add(col, t.Columns[col].Desc)
	}
	same := len(cols) == len(t.PrimaryKey)
	for i, col := range cols {
		same = same && t.PrimaryKey[i] == col && t.Columns[col].Desc == desc[i]
	}
	if same {
		return nil, nil
	}
	return cols, desc
}

// mayLeadKey says that a column can be in a key, and is compared as its key bytes are.
func mayLeadKey(c *catalog.Column) bool {
	inKey := *c
	return catalog.KeyStorage(&inKey, false, false) == nil && keycond.ComparesByKey(c)
}

func columnList(t *catalog.Table, cols []int) string {
	names := make([]string, len(cols))
	for i, c := range cols {
		names[i] = t.Columns[c].Name
	}
	return strings.Join(names, ", ")
}

// KeyDDL gives the statements that make a copy of t with another key: its columns, as indexes into
// t.Columns, and which of them descend. They are separated by semicolons.
func KeyDDL(ctx *planner.Context, t *catalog.Table, cols []int, desc []bool) string {
	return (&adviser{ctx: ctx}).withKey(t, cols, desc)
}

// withKey gives the statements that make a copy of t with another key.
func (a *adviser) withKey(t *catalog.Table, cols []int, desc []bool) string {
	c := *t
	c.Columns = slices.Clone(t.Visible()) // a table with a key of its own hides none
	for i := range c.Columns {
		c.Columns[i].KeyPos = -1
	}
	for pos, col := range cols {
		c.Columns[col].KeyPos, c.Columns[col].Desc, c.Columns[col].NotNull = pos, desc[pos], true
	}
	for _, col := range t.PrimaryKey {
		if col < len(c.Columns) && c.Columns[col].Family == "" {
			c.Columns[col].Family = c.Options.DefaultFamily
		}
	}
	c.PrimaryKey = cols
	return a.create(&c, "by_"+t.Columns[cols[0]].Name)
}

// create prints the statements; a catalog that cannot print tables gives the key alone.
func (a *adviser) create(t *catalog.Table, suffix string) string {
	from := ident.Quote(t.Name)
	t.Name += "_" + suffix
	t.PrimaryKeyName = t.Name + "_pkey"
	t.Options.Splits = nil
	to := ident.Quote(t.Name)
	var text string
	if c, ok := a.ctx.Catalog.(interface {
		ShowCreateTable(*catalog.Table) string
	}); ok {
		text = c.ShowCreateTable(t)
	} else {
		text = "CREATE TABLE " + to + " (…, PRIMARY KEY (" + t.KeyText() + ")) " + t.OptionText()
	}
	names := make([]string, len(t.Columns))
	for i := range t.Columns {
		names[i] = ident.Quote(t.Columns[i].Name)
	}
	list := strings.Join(names, ", ")
	return strings.TrimSpace(text) + ";\nUPSERT INTO " + to + " (" + list + ") SELECT " + list + " FROM " + from + ";"
}
