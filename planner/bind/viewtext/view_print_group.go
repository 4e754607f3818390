package viewtext

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// groupBy prints GROUP BY: what is written twice only once, where no sets are.
func (p *viewPrinter) groupBy(q *tree.Select, l *printedLevel) {
	p.clause(" GROUP BY ", 1)
	if q.GroupDistinct {
		p.w("DISTINCT ")
	}
	plain := true
	for i := range q.GroupBy {
		plain = plain && q.GroupBy[i].Kind == tree.GroupExpr
	}
	seen := map[string]bool{}
	for i := range q.GroupBy {
		item := &q.GroupBy[i]
		if !plain {
			if i > 0 {
				p.w(", ")
			}
			p.groupItem(item, l, true)
			continue
		}
		for _, e := range l.sel.Groups[item.Expr] {
			text := p.sortItem(e, l)
			if seen[text] {
				continue
			}
			if len(seen) > 0 {
				p.w(", ")
			}
			seen[text] = true
			p.w(text)
		}
	}
}

// groupItem prints an item of a GROUP BY with sets; bare says that one expression needs no
// parentheses.
func (p *viewPrinter) groupItem(item *tree.GroupItem, l *printedLevel, bare bool) {
	inner := true
	switch item.Kind {
	case tree.GroupEmpty:
		p.w("()")
		return
	case tree.GroupExpr:
		exprs := l.sel.Groups[item.Expr]
		bare = bare && len(exprs) == 1
		if !bare {
			p.w("(")
		}
		for i, e := range exprs {
			if i > 0 {
				p.w(", ")
			}
			p.w(p.sortItem(e, l))
		}
		if !bare {
			p.w(")")
		}
		return
	case tree.GroupRollup:
		p.w("ROLLUP(")
	case tree.GroupCube:
		p.w("CUBE(")
	case tree.GroupSets:
		p.w("GROUPING SETS (")
		inner = false
	}
	for i := range item.Items {
		if i > 0 {
			p.w(", ")
		}
		p.groupItem(&item.Items[i], l, inner)
	}
	p.w(")")
}
