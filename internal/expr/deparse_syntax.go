package expr

import "strings"

// syntax prints a call that was written in a syntax of its own; false of others.
func (d *deparser) syntax(e *Call) bool {
	n := len(e.Args)
	switch {
	case e.Syntax == "is normalized" && n >= 1:
		d.parens(func() {
			d.expr(withoutCast(e.Args[0]))
			d.WriteString(" IS" + form(e, " ") + " NORMALIZED")
		})
	case e.Syntax == "normalize" && n >= 1:
		d.worded(e, []int{0}, "NORMALIZE(", form(e, ", ")+")")
	case e.Syntax == "overlaps" && n == 4:
		d.worded(e, []int{0, 1, 2, 3}, "((", ", ", ") OVERLAPS (", ", ", "))")
	case e.Syntax == "overlay" && n == 3:
		d.worded(e, []int{0, 1, 2}, "OVERLAY(", " PLACING ", " FROM ", ")")
	case e.Syntax == "overlay" && n == 4:
		d.worded(e, []int{0, 1, 2, 3}, "OVERLAY(", " PLACING ", " FROM ", " FOR ", ")")
	case e.Syntax == "position" && n == 2:
		d.worded(e, []int{1, 0}, "POSITION((", ") IN (", "))")
	case e.Syntax == "substring" || e.Syntax == "similar":
		return d.substring(e)
	case e.Syntax == "trim" && n == 1:
		d.worded(e, []int{0}, "TRIM("+trimmed[e.Fn.Name]+" FROM ", ")")
	case e.Syntax == "trim" && n == 2:
		d.worded(e, []int{1, 0}, "TRIM("+trimmed[e.Fn.Name]+" ", " FROM ", ")")
	default:
		return false
	}
	return true
}

var trimmed = map[string]string{"btrim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}

// substring has a syntax for numbers and one for an escape, told apart by the arguments, as in
// PostgreSQL.
func (d *deparser) substring(e *Call) bool {
	n := len(e.Args)
	texts := n > 1 && e.Args[1].Type().Base().IsString()
	switch {
	case texts && n == 3:
		d.worded(e, []int{0, 1, 2}, "SUBSTRING(", " SIMILAR ", " ESCAPE ", ")")
	case !texts && n == 2:
		d.worded(e, []int{0, 1}, "SUBSTRING(", " FROM ", ")")
	case !texts && n == 3:
		d.worded(e, []int{0, 1, 2}, "SUBSTRING(", " FROM ", " FOR ", ")")
	default:
		return false
	}
	return true
}

// worded writes arguments of a call, in an order, between words.
func (d *deparser) worded(e *Call, order []int, words ...string) {
	d.WriteString(words[0])
	for i, n := range order {
		d.expr(withoutCast(e.Args[n]))
		d.WriteString(words[i+1])
	}
}

// form is the form of normal text that is written, behind sep; "" for none.
func form(e *Call, sep string) string {
	if len(e.Args) < 2 {
		return ""
	}
	if c, ok := e.Args[1].(*Const); ok && !c.Value.Null {
		return sep + string(c.Value.Bytes)
	}
	return ""
}

// clock is a clock with a precision, as CURRENT_TIMESTAMP(3); "" of other casts.
func (e *Cast) clock() string {
	if c, ok := e.X.(*Call); ok && strings.HasPrefix(c.Syntax, "(") {
		return strings.ToUpper(c.Fn.Name) + c.Syntax
	}
	return ""
}
