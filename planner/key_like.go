package planner

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// likeTerm reads LIKE. A pattern that is not known yet is read when the statement runs.
func (r *keyReader) likeTerm(col *catalog.Column, pattern expr.Expr) keyDNF {
	c, ok := pattern.(*expr.Const)
	if !ok {
		return r.term(plan.KeyLike, col, pattern)
	}
	if c.Value.Null {
		return neverTrue
	}
	prefix, rest := likePrefix(c.Value.Bytes)
	arg := &expr.Const{Value: types.NewBytes(prefix), T: types.Of(types.Text), At: c.At}
	switch {
	case rest == "":
		return r.term(plan.KeyEq, col, arg)
	case len(prefix) == 0:
		return noKeyCond
	}
	out := r.term(plan.KeyPrefix, col, arg)
	out.exact = out.exact && rest == "%"
	return out
}

// likePrefix splits a pattern into the text every match begins with and what
// follows, of which "%" is any run of %.
func likePrefix(pattern []byte) (prefix []byte, rest string) {
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '%', '_':
			rest = string(pattern[i:])
			for len(rest) > 1 && rest[0] == '%' && rest[1] == '%' {
				rest = rest[1:]
			}
			return prefix, rest
		case '\\':
			if i++; i == len(pattern) {
				return prefix, "\\" // an error when it is evaluated
			}
		}
		prefix = append(prefix, pattern[i])
	}
	return prefix, ""
}
