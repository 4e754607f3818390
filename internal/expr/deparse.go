package expr

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/types"
)

// Long because the text of every node stands beside that of the others, with whom it shares
// parentheses.

// ToText prints e as Postgres's EXPLAIN does: every operator in parentheses,
// implicit casts shown, literals with their types.
func ToText(e Expr) string {
	var d deparser
	d.expr(e)
	return d.String()
}

// ToText prints the call: count(*), sum(DISTINCT x).
func (a *Agg) ToText() string {
	var d deparser
	d.WriteString(a.Name)
	d.WriteByte('(')
	if a.Distinct {
		d.WriteString("DISTINCT ")
	}
	if len(a.Args) == 0 {
		d.WriteByte('*')
	}
	d.list(a.Args)
	d.WriteByte(')')
	return d.String()
}

// Texter is a node of another package that prints itself.
type Texter interface{ ToText() string }

// LineTexter is one whose lines begin after as many blanks as those around it.
type LineTexter interface{ TextAt(indent int) string }

type deparser struct {
	bytes.Buffer
	io     *types.IOEnv // names relations; nil prints their OIDs
	kept   bool         // what the catalog keeps, as it was written: see written
	pretty bool         // see simple; kept is set too
	bare   bool         // as it is read again: see arrayOf
	indent int          // blanks before a line
	within []Expr       // the node that is printed and those above it
	users  UserNames
}

// UserNames prints what users may rename: types, and values of enums.
type UserNames interface {
	TypeName(t types.T) string
	// EnumValue prints a value of t as a string constant.
	EnumValue(t types.T, code int64) string
}

// label is the name of a type.
func (d *deparser) label(t types.T) string {
	if d.users != nil && (t.User() != nil || t.Domain() != nil) {
		return d.users.TypeName(t)
	}
	return t.Label()
}

func (d *deparser) list(es []Expr) {
	for i, e := range es {
		if i > 0 {
			d.WriteString(", ")
		}
		d.expr(e)
	}
}

func (d *deparser) parens(f func()) {
	d.WriteByte('(')
	f()
	d.WriteByte(')')
}

// wrap is parens around an operator, which the pretty form leaves out where it can.
func (d *deparser) wrap(f func()) {
	var parent Expr
	at := len(d.within) - 1
	if at > 0 {
		parent = d.within[at-1]
	}
	if d.pretty && simple(d.within[at], parent) {
		f()
		return
	}
	d.parens(f)
}

func (d *deparser) infix(l Expr, op string, r Expr) {
	d.wrap(func() {
		d.expr(l)
		d.WriteString(" " + op + " ")
		d.expr(r)
	})
}

func (d *deparser) joined(args []Expr, op string) {
	d.wrap(func() {
		for i, a := range args {
			if i > 0 {
				d.WriteString(op)
			}
			d.expr(a)
		}
	})
}

func (d *deparser) expr(e Expr) {
	for c, ok := e.(*CoerceToDomain); ok && !c.Explicit; c, ok = e.(*CoerceToDomain) {
		e = c.X // nobody wrote it
	}
	if d.kept {
		e = d.written(e)
	}
	d.within = append(d.within, e)
	d.node(e)
	d.within = d.within[:len(d.within)-1]
}

func (d *deparser) node(e Expr) {
	switch e := e.(type) {
	case *Col:
		d.WriteString(e.Name)
	case *Const:
		d.WriteString(d.constText(e))
	case *Param:
		if e.Name != "" {
			d.WriteString(e.Name)
			return
		}
		d.WriteString("$" + strconv.Itoa(e.N))
	case *Call:
		d.call(e)
	case *Cast:
		if text := e.clock(); d.kept && text != "" {
			d.WriteString(text)
			return
		}
		if !e.Explicit && LosesLength(e.X.Type(), e.To) { // nobody wrote it
			d.expr(e.X)
			return
		}
		if d.pretty && d.looseCast(e) {
			d.parens(func() { d.cast(e) })
		} else {
			d.cast(e)
		}
	case *CoerceToDomain:
		if d.pretty && (simple(e.X, e) || kindOf(e.X) != kindCast) {
			d.expr(e.X)
		} else {
			d.parens(func() { d.expr(e.X) })
		}
		d.WriteString("::" + d.label(e.To))
	case *And:
		d.joined(d.arms(e), " AND ")
	case *Or:
		d.joined(d.arms(e), " OR ")
	case *Not:
		d.not(e)
	case *IsNull:
		d.wrap(func() { d.expr(e.X); d.WriteString(" IS NULL") })
	case *IsDistinct:
		d.infix(e.X, "IS DISTINCT FROM", e.Y)
	case *Case:
		d.caseExpr(e)
	case *CaseOperand:
		d.WriteString("CASE_TEST_EXPR")
	case *Coalesce:
		d.WriteString("COALESCE")
		d.parens(func() { d.list(e.Args) })
	case *InList:
		d.in(e, "= ANY")
	case *AnyAll:
		word := " ANY ("
		if e.All {
			word = " ALL ("
		}
		d.wrap(func() { d.expr(e.X); d.WriteString(" " + e.Op.Name + word); d.expr(e.Array); d.WriteByte(')') })
	case *RowCmp:
		d.parens(func() {
			d.WriteString("ROW")
			d.parens(func() { d.list(e.L) })
			d.WriteString(" " + e.Op + " ROW")
			d.parens(func() { d.list(e.R) })
		})
	case *MakeArray:
		d.WriteString("ARRAY[")
		d.list(e.Elems)
		d.WriteByte(']')
		if len(e.Elems) == 0 && e.T.Kind == types.Array {
			d.WriteString("::" + d.label(e.T))
		}
	case *Subscripts:
		d.subscripted(e.X)
		for _, r := range e.Ranges {
			d.WriteByte('[')
			if r.Low != nil {
				d.expr(r.Low)
			}
			if r.Low != nil || r.High == nil || e.Slice {
				d.WriteByte(':')
			}
			if r.High != nil {
				d.expr(r.High)
			}
			d.WriteByte(']')
		}
	case *Subscript:
		d.subscripted(e.X)
		d.WriteByte('[')
		d.expr(e.I)
		d.WriteByte(']')
	case LineTexter:
		d.text(e.TextAt(d.indent))
	case Texter:
		d.WriteString(e.ToText())
	default:
		d.WriteString("?")
	}
}

func (d *deparser) cast(e *Cast) {
	c, bare := e.X.(*Const)
	switch {
	case e.X.Type().Kind == types.Unknown, // a literal whose value depends on the session
		bare && c.T == e.To.Base() && !strings.Contains(d.constText(c), "::"),
		d.pretty && simple(e.X, e),
		d.pretty && kindOf(e.X) != kindCast && !twice(e.X.Type(), e.To):
		d.expr(e.X)
	default:
		d.parens(func() { d.expr(e.X) })
	}
	d.WriteString("::" + d.label(e.To))
}

func (d *deparser) call(e *Call) {
	name := e.Fn.Name
	switch {
	case strings.HasPrefix(name, "IS "):
		d.wrap(func() { d.expr(e.Args[0]); d.WriteString(" " + name) })
	case e.Fn.operator && len(e.Args) == 2:
		d.infix(e.Args[0], name, e.Args[1])
	case e.Fn.operator:
		d.wrap(func() { d.WriteString(name + " "); d.expr(e.Args[0]) })
	case name == "timezone" && len(e.Args) == 2:
		d.parens(func() { d.expr(e.Args[1]); d.WriteString(" AT TIME ZONE "); d.expr(e.Args[0]) })
	case name == "extract" && len(e.Args) == 2:
		d.WriteString("EXTRACT(")
		if c, ok := e.Args[0].(*Const); ok && !c.Value.Null {
			d.Write(c.Value.Bytes)
		} else {
			d.expr(e.Args[0])
		}
		d.WriteString(" FROM ")
		d.expr(e.Args[1])
		d.WriteByte(')')
	case d.kept && d.syntax(e):
	case len(e.Args) == 0 && (keywordFuncs[name] || e.Syntax == name):
		d.WriteString(strings.ToUpper(name))
	default:
		if ident.Reserved(name) {
			name = `"` + name + `"`
		}
		d.WriteString(name)
		d.parens(func() {
			if e.Fn.spread {
				last := len(e.Args) - 1
				if d.list(e.Args[:last]); last > 0 {
					d.WriteString(", ")
				}
				d.WriteString("VARIADIC ")
				d.expr(e.Args[last])
				return
			}
			d.list(e.Args)
		})
	}
}

// keywordFuncs are written without parentheses.
var keywordFuncs = map[string]bool{"current_date": true, "current_time": true, "current_timestamp": true,
	"localtime": true, "localtimestamp": true, "current_user": true, "session_user": true, "user": true,
	"current_role": true, "current_catalog": true}

func (d *deparser) not(e *Not) {
	switch x := e.X.(type) {
	case *IsNull:
		d.wrap(func() { d.expr(x.X); d.WriteString(" IS NOT NULL") })
	case *InList:
		d.in(x, "<> ALL")
	case *IsDistinct:
		if !d.kept {
			d.infix(x.X, "IS NOT DISTINCT FROM", x.Y)
			return
		}
		d.wrap(func() { d.WriteString("NOT "); d.expr(e.X) })
	default:
		d.wrap(func() { d.WriteString("NOT "); d.expr(e.X) })
	}
}

// in prints a list as Postgres does, which makes an array of it.
func (d *deparser) in(e *InList, op string) {
	d.wrap(func() {
		d.expr(e.X)
		d.WriteString(" " + op + " (")
		var vals []types.Datum
		for _, x := range e.List {
			if c, ok := x.(*Const); ok {
				vals = append(vals, c.Value)
			}
		}
		if len(vals) == len(e.List) {
			t := types.ArrayOf(e.List[0].Type().Base())
			d.WriteString(d.constText(&Const{Value: types.NewArray(t.ElemType(), vals), T: t}))
		} else {
			d.WriteString("ARRAY[")
			d.list(e.List)
			d.WriteByte(']')
		}
		d.WriteByte(')')
	})
}

// constText prints a literal, labelled with its type where its look alone would
// not give it.
func (d *deparser) constText(c *Const) string {
	if c.Value.Null {
		return "NULL::" + d.label(c.T)
	}
	if a := c.Value.Array; a != nil && len(a.Dims) == 1 && c.T.Kind == types.Array && c.T.Elem == types.Enum {
		parts := make([]string, len(a.Elems))
		for i, e := range a.Elems {
			parts[i] = d.constText(&Const{Value: e, T: c.T.ElemType()})
		}
		return "ARRAY[" + strings.Join(parts, ", ") + "]"
	}
	if c.T.Kind == types.Enum && d.users != nil {
		return d.users.EnumValue(c.T, c.Value.Int) + "::" + d.label(c.T)
	}
	s := c.Name
	if s == "" {
		io := types.IOEnv{}
		if d.io != nil {
			io = *d.io
		}
		io.Kept = true // who reads the text again means the same
		s = types.Format(c.T, c.Value, &io)
	}
	switch c.T.Kind {
	case types.Bool:
		if c.Value.Bool {
			return "true"
		}
		return "false"
	case types.Int4:
		if c.Value.Int >= 0 {
			return s
		}
	case types.Numeric:
		// A whole one without quotes would be an integer.
		if s[0] >= '0' && s[0] <= '9' && strings.ContainsAny(s, ".eE") {
			if c.T.Typmod() < 0 {
				return s
			}
			return s + "::" + d.label(c.T)
		}
	case types.Unknown:
		return ident.Literal(s)
	}
	return ident.Literal(s) + "::" + d.label(c.T)
}

// Style is a way to print what the catalog keeps.
type Style uint8

// The ways to print.
const (
	Full   Style = iota // every operator in parentheses
	Pretty              // no needless parentheses
	Bare                // one text for all that are read as the same
)

// Print prints what the catalog keeps, with line breaks. users may be nil; indent is how many
// blanks a line begins with.
func Print(e Expr, style Style, users UserNames, indent int) string {
	d := deparser{kept: true, pretty: style == Pretty, bare: style == Bare, users: users, indent: indent}
	d.expr(e)
	return d.String()
}

// subscripted writes what stands before [: a call and a query have parentheses.
func (d *deparser) subscripted(x Expr) {
	switch x := x.(type) {
	case *Col:
		d.expr(x)
	case LineTexter:
		if text := x.TextAt(d.indent); !strings.Contains(text, "(") {
			d.text(text)
		} else {
			d.parens(func() { d.text(text) })
		}
	default:
		d.parens(func() { d.expr(x) })
	}
}
