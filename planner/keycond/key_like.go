package keycond

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// readText reads an operator or function that tells what a text begins with.
//
// char(n) is compared with its blanks by LIKE and without them by the others: there
// the prefix is a superset.
func (r *Reader) readText(name string, l, right expr.Expr) DNF {
	if c, ok := l.(*expr.Cast); ok && c.X.Type().Kind == types.Bpchar && IsText(c.To.Kind) {
		l = c.X
	}
	col, ok := r.Column(l)
	if !ok || !expr.IsConst(right) || !IsText(right.Type().Kind) || !IsText(col.Type.Kind) && col.Type.Kind != types.Bpchar {
		return Nothing
	}
	var out DNF
	switch name {
	case "~~", "like":
		out = r.likeTerm(col, right)
	case "^@", "starts_with":
		if isNullConst(right) {
			return neverTrue
		}
		out = r.term(plan.KeyPrefix, col, right)
	case "~":
		out = r.regexTerm(col, right)
	default:
		return Nothing
	}
	if col.Type.Kind == types.Bpchar {
		out.Exact = false
	}
	return out
}

// regexTerm reads a regular expression that every match of begins with some text.
func (r *Reader) regexTerm(col *catalog.Column, pattern expr.Expr) DNF {
	c, ok := pattern.(*expr.Const)
	if !ok {
		out := r.term(plan.KeyRegex, col, pattern)
		out.Exact = false
		return out
	}
	if c.Value.Null {
		return neverTrue
	}
	prefix, exact := regex.Prefix(string(c.Value.Bytes), 0)
	if prefix == "" {
		return Nothing
	}
	op := plan.KeyPrefix
	if exact && col.Type.Kind != types.Bpchar {
		op = plan.KeyEq
	}
	out := r.term(op, col, &expr.Const{Value: types.NewBytes([]byte(prefix)), T: types.Of(types.Text), At: c.At})
	out.Exact = out.Exact && exact
	return out
}

// likeTerm reads LIKE. A pattern that is not known yet is read when the statement runs.
func (r *Reader) likeTerm(col *catalog.Column, pattern expr.Expr) DNF {
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
	case rest == "" && col.Type.Kind != types.Bpchar:
		return r.term(plan.KeyEq, col, arg)
	case len(prefix) == 0:
		return Nothing
	}
	out := r.term(plan.KeyPrefix, col, arg)
	out.Exact = out.Exact && rest == "%"
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
