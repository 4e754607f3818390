package explain

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// note says more of the last attribute.
func note(as []Attr, text string) {
	if len(as) == 0 {
		return
	}
	last := &as[len(as)-1]
	if last.Note != "" {
		text = last.Note + "; " + text
	}
	last.Note = text
}

// listAttr is an attribute that is a list; none where it is empty.
func listAttr(key, value string) []Attr {
	as := attrs(key, value)
	for i := range as {
		as[i].List = true
	}
	return as
}

// attrs makes attributes of key, value pairs, leaving out those without a value.
func attrs(kv ...string) []Attr {
	var as []Attr
	for i := 0; i+1 < len(kv); i += 2 {
		if kv[i+1] != "" {
			as = append(as, Attr{Key: kv[i], Value: kv[i+1]})
		}
	}
	return as
}

func exprText(e expr.Expr) string {
	if e == nil {
		return ""
	}
	if c, ok := e.(*expr.Const); ok && c.T.Kind == types.Int8 && !c.Value.Null {
		return strconv.FormatInt(c.Value.Int, 10) // LIMIT 10, not '10'::bigint
	}
	return bare(expr.ToText(e))
}

// bare drops the parentheses around the whole of a text.
func bare(s string) string {
	if len(s) < 2 || s[0] != '(' {
		return s
	}
	depth, quote := 0, byte(0)
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case quote != 0:
			if c == quote {
				quote = 0 // a doubled quote opens again at once
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '(':
			depth++
		case c == ')':
			if depth--; depth == 0 {
				if i == len(s)-1 {
					return s[1:i]
				}
				return s
			}
		}
	}
	return s
}

func exprList(es []expr.Expr) string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = bare(expr.ToText(e))
	}
	return strings.Join(texts, ", ")
}

func sortText(keys []plan.SortKey) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = bare(expr.ToText(k.Expr))
		if k.Desc {
			texts[i] += " DESC"
		}
		// NULLS LAST ascending and NULLS FIRST descending are the default and not said.
		if k.NullsFirst != k.Desc {
			if k.NullsFirst {
				texts[i] += " NULLS FIRST"
			} else {
				texts[i] += " NULLS LAST"
			}
		}
	}
	return strings.Join(texts, ", ")
}

func names(cols []plan.Column) []string {
	out := make([]string, len(cols))
	for i := range cols {
		out[i] = cols[i].Name
	}
	return out
}

// mostCost is what is printed of costs that are more, or not known to be less.
const mostCost = 1e18

// number prints a cost.
func number(f float64) string {
	if !(f < mostCost) {
		f = mostCost
	}
	return strconv.FormatFloat(f, 'f', 2, 64)
}
