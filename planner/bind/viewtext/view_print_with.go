package viewtext

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

func (p *viewPrinter) with(w *tree.With, l *printedLevel) {
	if w == nil {
		return
	}
	p.indent += indentStep
	p.w(" ")
	sep := "WITH "
	if w.Recursive {
		sep = "WITH RECURSIVE "
	}
	for i := range w.CTEs {
		c := &w.CTEs[i]
		p.w(sep + ident.Quote(c.Name))
		sep = ", "
		if len(c.Columns) > 0 {
			p.w("(" + quotedList(c.Columns) + ")")
		}
		p.w(" AS ")
		switch {
		case c.Materialized > 0:
			p.w("MATERIALIZED ")
		case c.Materialized < 0:
			p.w("NOT MATERIALIZED ")
		}
		p.w("(")
		p.keyword("", 0, 0, 0)
		p.nested(c.Query, l, true)
		p.keyword("", 0, 0, 0)
		p.w(")")
		p.traversal(c, l)
	}
	p.keyword("", -indentStep, 0, 0)
}

// traversal prints SEARCH and CYCLE of a WITH query.
func (p *viewPrinter) traversal(c *tree.CTE, l *printedLevel) {
	if s := c.Search; s != nil {
		p.w(map[bool]string{false: " SEARCH DEPTH", true: " SEARCH BREADTH"}[s.Breadth] + " FIRST BY " + quotedList(s.By) + " SET " + ident.Quote(s.Set))
	}
	if y := c.Cycle; y != nil {
		p.w(" CYCLE " + quotedList(y.Columns) + " SET " + ident.Quote(y.Mark))
		if m := p.Marks[y]; len(m) == 2 && !trueAndFalse(m) {
			p.w(" TO " + p.expr(m[0], l) + " DEFAULT " + p.expr(m[1], l))
		}
		p.w(" USING " + ident.Quote(y.Path))
	}
}

// trueAndFalse are the marks that are meant where none are written.
func trueAndFalse(marks []expr.Expr) bool {
	for i, m := range marks {
		if c, ok := m.(*expr.Const); !ok || c.T.Kind != types.Bool || c.Value.Null || c.Value.Bool != (i == 0) {
			return false
		}
	}
	return true
}

func quotedList(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = ident.Quote(n)
	}
	return strings.Join(out, ", ")
}
