package plan

import (
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
)

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
	return expr.ToText(e)
}

func exprList(es []expr.Expr) string {
	texts := make([]string, len(es))
	for i, e := range es {
		texts[i] = expr.ToText(e)
	}
	return strings.Join(texts, ", ")
}

func sortText(keys []SortKey) string {
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = expr.ToText(k.Expr)
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

func columnNames(cols []Column) string {
	names := make([]string, len(cols))
	for i := range cols {
		names[i] = cols[i].Name
	}
	return strings.Join(names, ", ")
}
