package keycond

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Text prints a key condition the short way: host = 'web-1' AND ts > $1.
// Parentheses stand around an OR, and around what is nested.
func Text(e expr.Expr, top bool) string {
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
			return Text(e.Args[0], false) + " " + name + " " + Text(e.Args[1], false)
		}
	case *expr.InList:
		return Text(e.X, false) + " IN " + spanRow(e.List)
	case *expr.AnyAll:
		word := " ANY ("
		if e.All {
			word = " ALL ("
		}
		return Text(e.X, false) + " " + e.Op.Name + word + Text(e.Array, true) + ")"
	case *expr.IsNull:
		return Text(e.X, false) + " IS NULL"
	case *expr.Not:
		if null, ok := e.X.(*expr.IsNull); ok {
			return Text(null.X, false) + " IS NOT NULL"
		}
		return "NOT " + Text(e.X, false)
	case *expr.RowCmp:
		return spanRow(e.L) + " " + e.Op + " " + spanRow(e.R)
	case *expr.Cast:
		if !e.Explicit && KeepsValues(e.X.Type(), e.To) {
			return Text(e.X, top)
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
		texts[i] = Text(e, by == " AND ")
	}
	return strings.Join(texts, by)
}

func spanRow(list []expr.Expr) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = Text(e, false)
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
	return ident.Literal(text)
}
