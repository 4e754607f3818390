package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// MakeAnd joins boolean arguments: nested ANDs are flattened, a single argument
// is returned as it is. Arguments must be boolean or untyped: 42804.
func MakeAnd(args []Expr, pos int) (Expr, error) {
	out, err := boolArgs("AND", args)
	if err != nil {
		return nil, err
	}
	var flat []Expr
	for _, a := range out {
		if x, ok := a.(*And); ok {
			flat = append(flat, x.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	if len(flat) == 1 {
		return flat[0], nil
	}
	return &And{Args: flat, At: pos}, nil
}

// MakeOr is MakeAnd's twin.
func MakeOr(args []Expr, pos int) (Expr, error) {
	out, err := boolArgs("OR", args)
	if err != nil {
		return nil, err
	}
	var flat []Expr
	for _, a := range out {
		if x, ok := a.(*Or); ok {
			flat = append(flat, x.Args...)
		} else {
			flat = append(flat, a)
		}
	}
	if len(flat) == 1 {
		return flat[0], nil
	}
	return &Or{Args: flat, At: pos}, nil
}

func boolArgs(context string, args []Expr) ([]Expr, error) {
	out := make([]Expr, len(args))
	for i, a := range args {
		y, err := ResolveBool(a, context)
		if err != nil {
			return nil, err
		}
		out[i] = y
	}
	return out, nil
}

// MakeNot negates x.
func MakeNot(x Expr, pos int) (Expr, error) {
	y, err := ResolveBool(x, "NOT")
	if err != nil {
		return nil, err
	}
	return &Not{X: y, At: pos}, nil
}

// MakeIsNull makes X IS NULL.
func MakeIsNull(x Expr, pos int) (Expr, error) {
	x, err := ResolveUnknown(x)
	if err != nil {
		return nil, err
	}
	return &IsNull{X: x, At: pos}, nil
}

// MakeIsTest makes X IS [NOT] TRUE, FALSE or UNKNOWN; test is "true", "false"
// or "unknown".
func MakeIsTest(x Expr, test string, not bool, pos int) (Expr, error) {
	name := map[string]string{"true": "IS TRUE", "false": "IS FALSE", "unknown": "IS UNKNOWN"}[test]
	if not {
		name = "IS NOT" + name[2:]
	}
	x, err := ResolveBool(x, name)
	if err != nil {
		return nil, err
	}
	return &Call{Fn: isTests[name], Args: []Expr{x}, T: tBool, At: pos}, nil
}

// MakeIsDistinct makes X IS DISTINCT FROM Y. With a plain NULL it is IS NOT NULL, which
// types without equality have too.
func MakeIsDistinct(x, y Expr, pos int) (Expr, error) {
	if plainNull(x) {
		x, y = y, x
	}
	if plainNull(y) {
		null, err := MakeIsNull(x, pos)
		if err != nil {
			return nil, err
		}
		return &Not{X: null, At: pos}, nil
	}
	eq, args, err := comparison("=", x, y, pos)
	if err != nil {
		return nil, err
	}
	return &IsDistinct{X: args[0], Y: args[1], Eq: eq, At: pos}, nil
}

// plainNull says that e is the literal NULL without a type.
func plainNull(e Expr) bool {
	c, ok := e.(*Const)
	return ok && c.Value.Null && c.T == tUnk
}

// MakeCase makes CASE [operand] WHEN … THEN … [ELSE …] END; operand and els may
// be nil.
func MakeCase(operand Expr, whens []When, els Expr, pos int) (Expr, error) {
	c := &Case{At: pos, Simple: operand != nil}
	if operand != nil {
		var err error
		if operand, err = ResolveUnknown(operand); err != nil {
			return nil, err
		}
		if Volatile(operand) {
			c.Operand, operand = operand, &CaseOperand{T: operand.Type(), At: operand.Pos()}
		}
	}
	// The ELSE is the most significant for the result's type, as in Postgres.
	results := []Expr{&Const{Value: types.NullDatum, T: tUnk, At: pos}}
	if els != nil {
		results[0] = els
	}
	conds := make([]Expr, len(whens))
	for i, w := range whens {
		c := w.Cond
		var err error
		if operand != nil {
			if c, err = ResolveOp("=", operand, c, c.Pos()); err != nil {
				return nil, err
			}
		}
		if conds[i], err = ResolveBool(c, "CASE/WHEN"); err != nil {
			return nil, err
		}
		results = append(results, w.Then)
	}
	out, t, err := Unify("CASE", results)
	if err != nil {
		return nil, err
	}
	c.T = t
	for i := range whens {
		c.Whens = append(c.Whens, When{Cond: conds[i], Then: out[i+1]})
	}
	if els != nil {
		c.Else = out[0]
	}
	return c, nil
}

// MakeCoalesce makes COALESCE(args).
func MakeCoalesce(args []Expr, pos int) (Expr, error) {
	out, t, err := Unify("COALESCE", args)
	if err != nil {
		return nil, err
	}
	return &Coalesce{Args: out, T: t, At: pos}, nil
}

// MakeNullIf makes NULLIF(x, y).
func MakeNullIf(x, y Expr, pos int) (Expr, error) {
	eq, args, err := comparison("=", x, y, pos)
	if err != nil {
		return nil, err
	}
	t := args[0].Type()
	return &Call{Fn: nullIfFunc(eq, t), Args: args, T: t, At: pos}, nil
}

// MakeGreatest makes GREATEST(args), or LEAST(args).
func MakeGreatest(args []Expr, least bool, pos int) (Expr, error) {
	context := "GREATEST"
	if least {
		context = "LEAST"
	}
	out, t, err := Unify(context, args)
	if err != nil {
		return nil, err
	}
	if !Orderable(t) {
		return nil, sqlerr.New(sqlerr.UndefinedFunction, "could not identify a comparison function for type %s", TypeName(t)).At(pos)
	}
	return &Call{Fn: greatestFunc(context, t), Args: out, T: t, At: pos}, nil
}
