package query

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/planner/bind/scope"
)

// callArgs binds the arguments of a function, in its own order: some may be given by name.
func (b *Binder) callArgs(p *scope.Place, c *tree.Func, name string) []expr.Expr {
	args := b.exprs(p, c.Args)
	if c.ArgNames == nil {
		return args
	}
	pos := b.Pos(c)
	known := expr.ArgNames(name)
	if known == nil {
		panic(sqlerr.Unsupported("named arguments of "+c.Name+" are not supported", "Give the arguments by position.").At(pos))
	}
	out := make([]expr.Expr, 0, len(known))
	for i, a := range args {
		given := c.ArgNames[i]
		if given == "" {
			if len(out) < i || i > 0 && c.ArgNames[i-1] != "" {
				panic(sqlerr.New(sqlerr.SyntaxError, "positional argument cannot follow named argument").At(b.Pos(c.Args[i])))
			}
			out = append(out, a)
			continue
		}
		if slices.Contains(c.ArgNames[:i], given) {
			panic(sqlerr.New(sqlerr.SyntaxError, `argument name "%s" used more than once`, given).At(b.Pos(c.Args[i])))
		}
		at := slices.IndexFunc(known, func(k expr.ArgName) bool { return k.Name == given })
		if at < 0 || at < len(out) && out[at] != nil {
			panic(noNamedFunction(c, args, pos))
		}
		for len(out) <= at {
			out = append(out, nil)
		}
		out[at] = a
	}
	for i := range out {
		if out[i] != nil {
			continue
		}
		if known[i].Default == nil {
			panic(noNamedFunction(c, args, pos))
		}
		out[i] = known[i].Default
	}
	return out
}

// noNamedFunction is 42883 for a call with named arguments.
func noNamedFunction(c *tree.Func, args []expr.Expr, pos int) *sqlerr.Error {
	text := ""
	for i, a := range args {
		if i > 0 {
			text += ", "
		}
		if c.ArgNames[i] != "" {
			text += c.ArgNames[i] + " => "
		}
		text += a.Type().String()
	}
	return sqlerr.New(sqlerr.UndefinedFunction, "function %s(%s) does not exist", c.Name, text).
		WithHint("No function matches the given name and argument types. You might need to add explicit type casts.").At(pos)
}
