package expr

import (
	"bytes"
	"strings"

	"github.com/saltsql/saltsql/internal/types"
)

// indentStep is what the arms of a CASE are indented by, as in PostgreSQL's ruleutils.
const indentStep = 4

// line begins a line with a word. What follows it is indented by more.
func (d *deparser) line(word string, more int) {
	d.text("\n" + strings.Repeat(" ", max(d.indent, 0)) + word)
	d.indent += more
}

// text writes s; no blanks stay before a line break.
func (d *deparser) text(s string) {
	if strings.HasPrefix(s, "\n") {
		d.Truncate(len(bytes.TrimRight(d.Bytes(), " ")))
	}
	d.WriteString(s)
}

// part begins a part of a CASE: on a line of its own where the text is kept.
func (d *deparser) part(word string) {
	if d.kept {
		d.line(word, 0)
		return
	}
	d.WriteString(" " + word)
}

func (d *deparser) caseExpr(e *Case) {
	if d.kept {
		d.line("CASE", indentStep)
	} else {
		d.WriteString("CASE")
	}
	operand := e.Operand
	if operand == nil && d.kept {
		operand = e.writtenOperand()
	}
	if operand != nil {
		d.WriteByte(' ')
		d.expr(operand)
	}
	for _, w := range e.Whens {
		d.part("WHEN ")
		cond := w.Cond
		switch {
		case e.Operand != nil:
			cond = e.compared(cond)
		case operand != nil:
			cond = cond.(*Call).Args[1]
		}
		if d.kept && operand != nil {
			cond = withoutCast(cond)
		}
		d.expr(cond)
		d.WriteString(" THEN ")
		d.expr(w.Then)
	}
	d.part("ELSE ")
	if e.Else != nil {
		d.expr(e.Else)
	} else {
		d.WriteString("NULL::" + d.label(e.T))
	}
	d.indent -= indentStep
	d.part("END")
}

// writtenOperand is what stood behind CASE, of which each WHEN has a copy; nil for none.
func (e *Case) writtenOperand() Expr {
	if !e.Simple {
		return nil
	}
	var operand Expr
	for _, w := range e.Whens {
		c, ok := w.Cond.(*Call)
		if !ok || len(c.Args) != 2 {
			return nil
		}
		x := withoutCast(c.Args[0])
		if operand != nil && !Equal(x, operand) {
			return nil
		}
		operand = x
	}
	return operand
}

// withoutCast is e without a cast that nobody wrote.
func withoutCast(e Expr) Expr {
	if c, ok := e.(*Cast); ok && !c.Explicit {
		return c.X
	}
	return e
}

// compared is what a WHEN writes: of an operand that stands apart, what it is compared with.
func (e *Case) compared(cond Expr) Expr {
	c, ok := cond.(*Call)
	if !ok || len(c.Args) != 2 {
		return cond
	}
	x := c.Args[0]
	for {
		if _, ok := x.(*CaseOperand); ok {
			return c.Args[1]
		}
		cast, ok := x.(*Cast)
		if !ok {
			return cond
		}
		x = cast.X
	}
}

// written is e, and a list of IN as PostgreSQL keeps it: what is no column makes an array where it is
// more than one, and all else is compared apart.
func (d *deparser) written(e Expr) Expr {
	n, not := e.(*Not)
	x := e
	if not {
		x = n.X
	}
	in, ok := x.(*InList)
	if !ok {
		return e
	}
	eq := in.Eq
	if not {
		other := *eq
		other.Name = "<>"
		eq = &other
	}
	var fixed, apart []Expr
	for _, x := range in.List {
		if hasCols(x) {
			apart = append(apart, x)
		} else {
			fixed = append(fixed, x)
		}
	}
	var arms []Expr
	if len(fixed) > 1 {
		arms = append(arms, &AnyAll{X: in.X, Array: d.arrayOf(in.X, fixed), Op: eq, All: not, At: in.At})
	} else {
		apart = in.List
	}
	for _, x := range apart {
		arms = append(arms, &Call{Fn: eq, Args: []Expr{in.X, x}, T: tBool, At: in.At})
	}
	switch {
	case len(arms) == 1:
		return arms[0]
	case not:
		return &And{Args: arms, At: in.At}
	}
	return &Or{Args: arms, At: in.At}
}

// arrayOf is ARRAY[…] of what an IN lists for x. Where the operator takes another type than both
// have, the array is cast to it, and not its elements: who reads that casts each.
func (d *deparser) arrayOf(x Expr, list []Expr) Expr {
	to := types.ArrayOf(list[0].Type().Base())
	all := &MakeArray{Elems: list, T: to}
	of := withoutCast(x)
	if of == x || d.bare {
		return all
	}
	elems := make([]Expr, len(list))
	for i, y := range list {
		elems[i] = withoutCast(y)
		if elems[i] == y || elems[i].Type().Kind != of.Type().Kind {
			return all
		}
	}
	return &Cast{X: &MakeArray{Elems: elems, T: types.ArrayOf(elems[0].Type().Base())}, To: to}
}

// arms are what AND or OR joins. The lists of IN among them may join others, which are no
// longer apart for who reads that.
func (d *deparser) arms(e Expr) []Expr {
	args := Children(e)
	if !d.bare {
		return args
	}
	var out []Expr
	for _, x := range args {
		x = d.written(x)
		_, and := x.(*And)
		_, or := x.(*Or)
		_, within := e.(*And)
		if and && within || or && !within {
			out = append(out, d.arms(x)...)
		} else {
			out = append(out, x)
		}
	}
	return out
}
