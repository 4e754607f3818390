package expr

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Long because each kind of stored node is checked where it is read.

// Bind gives the expression; users are the types of the catalog that keeps it, and col gives the column of an ID, ok false where there is
// none. XX001 for what Store has not made, and for a column that is not of the
// type it had: a descriptor that another program has touched panics nowhere.
func (s Stored) Bind(users *types.Users, col func(id int) (c *Col, ok bool)) (Expr, error) {
	dec := json.NewDecoder(strings.NewReader(string(s)))
	dec.DisallowUnknownFields()
	var n storedNode
	err := dec.Decode(&n)
	if err == nil {
		if _, more := dec.Token(); more != io.EOF {
			err = fmt.Errorf("more than one expression")
		}
	}
	var e Expr
	if err == nil {
		e, err = bindNode(&n, users, col)
	}
	if err != nil {
		return nil, sqlerr.New(sqlerr.DataCorrupted, "a stored expression cannot be read: %v", err)
	}
	return e, nil
}

// Text prints the expression as pg_get_expr does; name gives a column's name, and
// names that of a relation, and of what users may rename where it is a UserNames. The pretty form has no needless parentheses.
// What is assigned to a column of type to has the casts of the assignment, which are not
// shown but by parentheses; the zero type is of what is not assigned.
func (s Stored) Text(users *types.Users, name func(id int) string, names types.NameResolver, pretty bool, to types.T) (string, error) {
	e, err := s.Bind(users, func(id int) (*Col, bool) { return &Col{Index: id, Name: name(id)}, true })
	if err != nil {
		return "", err
	}
	d := deparser{io: &types.IOEnv{Names: names}, kept: true, pretty: pretty}
	d.users, _ = names.(UserNames)
	n := 0
	if e, n = hiddenCasts(e, to); !pretty {
		n = 0
	}
	d.WriteString(strings.Repeat("(", n))
	d.expr(e)
	d.WriteString(strings.Repeat(")", n))
	return d.String(), nil
}

// overloads lists every function and operator by its identity.
var overloads = sync.OnceValue(func() map[string]*Func {
	m := map[string]*Func{}
	for _, f := range Overloads() {
		m[f.Identity()] = f
	}
	for _, f := range isTests {
		m[f.Identity()] = f
	}
	return m
})

func (n *storedNode) t(users *types.Users) (types.T, error) {
	t, ok := users.FromStored(n.Type)
	if !ok {
		return t, fmt.Errorf("type %q is unknown", n.Type)
	}
	if n.Mod != nil {
		if *n.Mod < 0 || *n.Mod == 1<<31-1 {
			return t, fmt.Errorf("modifier %d of type %q is out of range", *n.Mod, n.Type)
		}
		t = t.WithTypmod(*n.Mod)
	}
	return t, nil
}

func overload(id string) (*Func, error) {
	f, ok := overloads()[id]
	if !ok {
		return nil, fmt.Errorf("function %q is unknown", id)
	}
	return f, nil
}

// comparisonOf finds an overload that compares an x with a y.
func comparisonOf(id string, x, y Expr) (*Func, error) {
	f, err := overload(id)
	if err == nil && f.Result != types.Bool {
		err = fmt.Errorf("%s is no comparison", id)
	}
	if err == nil {
		_, err = signatureOf(f, []Expr{x, y})
	}
	return f, err
}

// signatureOf gives what f makes of args, which must be of the types it takes.
func signatureOf(f *Func, args []Expr) (types.T, error) {
	if !f.accepts(len(args)) {
		return types.T{}, fmt.Errorf("%s has %d arguments", f.Identity(), len(args))
	}
	want, res, err := f.signature(args)
	if err != nil {
		return res, err
	}
	for i, a := range args {
		switch want[i].Kind {
		case KindAny:
		case KindAnyNonArray:
			err = isOfType(a, want[i], a.Type().Kind != types.Array)
		default:
			err = isOfType(a, want[i], a.Type().Base() == want[i].Base())
		}
		if err != nil {
			return res, err
		}
	}
	return res, nil
}

func isOfType(e Expr, t types.T, ok bool) error {
	if ok {
		return nil
	}
	return fmt.Errorf("an expression is of type %s, not %s", TypeName(e.Type()), TypeName(t))
}

// allOf checks that every one of es is of type t, modifiers aside.
func allOf(t types.T, es ...Expr) error {
	for _, e := range es {
		if err := isOfType(e, t, e.Type().Base() == t.Base()); err != nil {
			return err
		}
	}
	return nil
}

// argCounts are how many args a node takes: at least, and at most, -1 for any.
var argCounts = map[string][2]int{
	"col": {0, 0}, "const": {0, 0}, "call": {0, -1}, "nullif": {2, 2}, "greatest": {1, -1}, "least": {1, -1},
	"cast": {1, 1}, "domain": {1, 1}, "and": {2, -1}, "or": {2, -1}, "not": {1, 1}, "is null": {1, 1}, "is distinct": {2, 2},
	"case": {2, -1}, "case of": {3, -1}, "case operand": {0, 0}, "coalesce": {1, -1}, "in": {2, -1}, "any": {2, 2}, "all": {2, 2}, "row": {2, -1},
	"array": {0, -1}, "subscript": {2, 2}, "subscripts": {1, 13},
}

func bindNode(n *storedNode, users *types.Users, col func(int) (*Col, bool)) (Expr, error) {
	count, ok := argCounts[n.Node]
	if !ok || len(n.Args) < count[0] || count[1] >= 0 && len(n.Args) > count[1] {
		return nil, fmt.Errorf("there is no node %q of %d arguments", n.Node, len(n.Args))
	}
	args := make([]Expr, len(n.Args))
	for i := range n.Args {
		var err error
		if args[i], err = bindNode(&n.Args[i], users, col); err != nil {
			return nil, err
		}
	}
	switch n.Node {
	case "and":
		return &And{Args: args}, allOf(tBool, args...)
	case "or":
		return &Or{Args: args}, allOf(tBool, args...)
	case "not":
		return &Not{X: args[0]}, allOf(tBool, args...)
	case "is null":
		return &IsNull{X: args[0]}, nil
	case "is distinct":
		f, err := comparisonOf(n.Fn, args[0], args[1])
		return &IsDistinct{X: args[0], Y: args[1], Eq: f}, err
	case "in":
		return bindIn(n, args)
	case "any", "all":
		return bindAnyAll(n, args)
	case "row":
		return bindRow(n, args)
	}
	t, err := n.t(users)
	if err != nil {
		return nil, err
	}
	switch n.Node {
	case "col":
		c, ok := col(n.Col)
		if !ok {
			return nil, fmt.Errorf("there is no column %d", n.Col)
		}
		if c.T.Kind == types.Unknown {
			c.T = t // nobody asks for its values
		}
		return c, allOf(t, c)
	case "const":
		return bindConst(n, t)
	case "cast":
		if _, ok := FindCast(args[0].Type(), t, Explicit); !ok {
			return nil, CannotCast(args[0].Type(), t, 0)
		}
		return &Cast{X: args[0], To: t, Explicit: n.Explicit}, nil
	case "domain":
		if t.Domain() == nil {
			return nil, fmt.Errorf("%s is no domain", TypeName(t))
		}
		return &CoerceToDomain{X: args[0], To: t, Explicit: n.Explicit}, allOf(t, args[0])
	case "case":
		return bindCase(args, t, n.Explicit)
	case "case of":
		c, err := bindCase(args[1:], t, n.Explicit)
		if err != nil {
			return nil, err
		}
		c.Operand = args[0]
		return c, c.hasOperand()
	case "case operand":
		return &CaseOperand{T: t}, nil
	case "coalesce":
		return &Coalesce{Args: args, T: t}, allOf(t, args...)
	case "array":
		return bindArray(args, t)
	case "subscript":
		if x := args[0].Type(); x.Kind != types.Array || x.ElemType().Base() != t.Base() {
			return nil, fmt.Errorf("an element of %s is not %s", TypeName(x), TypeName(t))
		}
		return &Subscript{X: args[0], I: args[1], T: t}, allOf(tInt4, args[1])
	case "subscripts":
		return bindSubscripts(n, args, t)
	}
	return bindCallOf(n, args, t)
}

func bindSubscripts(n *storedNode, args []Expr, t types.T) (Expr, error) {
	e := &Subscripts{X: args[0], Slice: n.Explicit, T: t}
	want := t
	if !e.Slice {
		want = types.ArrayOf(t)
	}
	if x := args[0].Type(); x.Kind != types.Array || x.ElemType().Base() != want.ElemType().Base() {
		return nil, fmt.Errorf("subscripts of %s give no %s", TypeName(x), TypeName(t))
	}
	rest := args[1:]
	for _, form := range strings.Split(n.Op, ",") {
		if len(rest) < len(form) {
			return nil, fmt.Errorf("subscripts %q of %d arguments", n.Op, len(args))
		}
		var r Range
		switch form {
		case "":
		case "l":
			r.Low = rest[0]
		case "h":
			r.High = rest[0]
		case "lh":
			r.Low, r.High = rest[0], rest[1]
		default:
			return nil, fmt.Errorf("there are no subscripts %q", n.Op)
		}
		e.Ranges, rest = append(e.Ranges, r), rest[len(form):]
	}
	if len(rest) > 0 || len(e.Ranges) > types.MaxDims {
		return nil, fmt.Errorf("subscripts %q of %d arguments", n.Op, len(args))
	}
	return e, allOf(tInt4, args[1:]...)
}

func bindConst(n *storedNode, t types.T) (Expr, error) {
	c := &Const{Value: types.NullDatum, T: t}
	var text []byte
	switch {
	case n.Value != nil:
		text = []byte(*n.Value)
	case n.Raw != nil:
		text = n.Raw
	default:
		return c, nil
	}
	io := types.IOEnv{}
	var err error
	if c.Value, err = types.ParseText(keptAs(t.Base()), text, &io); err == nil && t.Typmod() >= 0 {
		c.Value, err = types.CoerceTypmod(t, c.Value, true)
	}
	if a := c.Value.Array; a != nil && t.Kind == types.Array {
		a.Elem = t.ElemType()
	}
	return c, err
}

func bindCase(args []Expr, t types.T, simple bool) (*Case, error) {
	c := &Case{T: t, Simple: simple}
	for ; len(args) > 1; args = args[2:] {
		if err := allOf(tBool, args[0]); err != nil {
			return nil, err
		}
		if err := allOf(t, args[1]); err != nil {
			return nil, err
		}
		c.Whens = append(c.Whens, When{Cond: args[0], Then: args[1]})
	}
	if len(args) == 1 {
		c.Else = args[0]
	}
	return c, allOf(t, args...)
}

// hasOperand checks that what stands for the operand in the conditions is of its type.
func (c *Case) hasOperand() (err error) {
	for _, w := range c.Whens {
		Walk(w.Cond, func(x Expr) bool {
			switch x := x.(type) {
			case *Case:
				return x.Operand == nil
			case *CaseOperand:
				if err == nil {
					err = allOf(c.Operand.Type(), x)
				}
			}
			return true
		})
	}
	return err
}

func bindIn(n *storedNode, args []Expr) (Expr, error) {
	in := &InList{X: args[0], List: args[1:]}
	for _, y := range in.List {
		var err error
		if in.Eq, err = comparisonOf(n.Fn, in.X, y); err != nil {
			return nil, err
		}
	}
	return in, nil
}

func bindAnyAll(n *storedNode, args []Expr) (Expr, error) {
	arr := args[1].Type()
	if arr.Kind != types.Array {
		return nil, fmt.Errorf("%s is no array", TypeName(arr))
	}
	f, err := comparisonOf(n.Fn, args[0], &Const{Value: types.NullDatum, T: arr.ElemType()})
	return &AnyAll{X: args[0], Array: args[1], Op: f, All: n.Node == "all"}, err
}

func bindRow(n *storedNode, args []Expr) (Expr, error) {
	k := len(args) / 2
	switch n.Op {
	case "<", "<=", ">", ">=":
	default:
		return nil, fmt.Errorf("rows are not compared by %q", n.Op)
	}
	if len(args)%2 != 0 || len(n.Fns) != 2*k {
		return nil, fmt.Errorf("a row comparison of %d values has %d functions", len(args), len(n.Fns))
	}
	c := &RowCmp{Op: n.Op, L: args[:k:k], R: args[k:]}
	for i := range n.Fns {
		f, err := comparisonOf(n.Fns[i], c.L[i%k], c.R[i%k])
		if err != nil {
			return nil, err
		}
		if i < k {
			c.Lt = append(c.Lt, f)
		} else {
			c.Eq = append(c.Eq, f)
		}
	}
	return c, nil
}

func bindArray(args []Expr, t types.T) (Expr, error) {
	if t.Kind != types.Array {
		return nil, fmt.Errorf("%s is no array", TypeName(t))
	}
	of := t.ElemType()
	if len(args) > 0 && args[0].Type().Kind == types.Array {
		of = t // an array of arrays
	}
	return &MakeArray{Elems: args, T: t}, allOf(of, args...)
}

// bindCallOf binds calls, and NULLIF, GREATEST and LEAST, which have an overload for
// each type.
func bindCallOf(n *storedNode, args []Expr, t types.T) (Expr, error) {
	c := &Call{Args: args, T: t}
	var res types.T
	var err error
	switch n.Node {
	case "nullif":
		eq, err := comparisonOf(n.Fn, args[0], args[1])
		if err != nil {
			return nil, err
		}
		c.Fn, res = nullIfFunc(eq, t), args[0].Type()
	case "greatest", "least":
		if !Orderable(t) {
			return nil, fmt.Errorf("%s has no order", TypeName(t))
		}
		c.Fn, res = greatestFunc(strings.ToUpper(n.Node), t), t
		if err := allOf(t, args...); err != nil {
			return nil, err
		}
	default:
		if c.Fn, err = overload(n.Fn); err != nil {
			return nil, err
		}
		c.Syntax = n.Op
		if res, err = signatureOf(c.Fn, args); err != nil {
			return nil, err
		}
	}
	if res.Base() != t.Base() {
		return nil, fmt.Errorf("%s gives %s, not %s", n.Fn, TypeName(res), TypeName(t))
	}
	return c, nil
}
