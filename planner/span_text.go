package planner

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/keycond"
)

// spanText prints a key condition the short way: host = 'web-1' AND ts > $1.
// Parentheses stand around an OR, and around what is nested.
func spanText(e expr.Expr, top bool) string {
	paren := func(s string) string {
		if top {
			return s
		}
		return "(" + s + ")"
	}
	switch e := e.(type) {
	case *expr.And:
		return paren(joinSpans(e.Args, " AND "))
	case *expr.Or:
		return "(" + joinSpans(e.Args, " OR ") + ")"
	case *expr.Call:
		if name, ok := spanOps[e.Fn.Name]; ok && len(e.Args) == 2 {
			return spanText(e.Args[0], false) + " " + name + " " + spanText(e.Args[1], false)
		}
	case *expr.InList:
		return spanText(e.X, false) + " IN " + spanRow(e.List)
	case *expr.AnyAll:
		word := " ANY ("
		if e.All {
			word = " ALL ("
		}
		return spanText(e.X, false) + " " + e.Op.Name + word + spanText(e.Array, true) + ")"
	case *expr.IsNull:
		return spanText(e.X, false) + " IS NULL"
	case *expr.Not:
		if null, ok := e.X.(*expr.IsNull); ok {
			return spanText(null.X, false) + " IS NOT NULL"
		}
		return "NOT " + spanText(e.X, false)
	case *expr.RowCmp:
		return spanRow(e.L) + " " + e.Op + " " + spanRow(e.R)
	case *expr.Cast:
		if !e.Explicit && keycond.KeepsValues(e.X.Type(), e.To) {
			return spanText(e.X, top)
		}
	case *expr.Const:
		return literalText(e)
	}
	return expr.ToText(e)
}

var spanOps = map[string]string{
	"=": "=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "~~": "LIKE", "^@": "^@", "<>": "<>", "~": "~",
}

func joinSpans(list []expr.Expr, by string) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = spanText(e, by == " AND ")
	}
	return strings.Join(texts, by)
}

func spanRow(list []expr.Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = spanText(e, false)
	}
	return "(" + strings.Join(texts, ", ") + ")"
}

// literalText prints a literal without its type: numbers bare, the rest quoted.
func literalText(c *expr.Const) string {
	if c.Value.Null {
		return "NULL"
	}
	text := string(types.AppendText(nil, c.T, c.Value, nil))
	switch c.T.Kind {
	case types.Int2, types.Int4, types.Int8, types.Numeric, types.Float4, types.Float8, types.Bool:
		return text
	}
	return "'" + strings.ReplaceAll(text, "'", "''") + "'"
}
