package exprtest

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// Long because a parser is one recursion: in several files it would be read with all of them open.

// A parser for the expressions of tests: enough of Postgres's grammar to
// bind them the way the planner does.

type sqlParser struct {
	toks []tok
	i    int
	cols map[string]expr.Expr
}

type tok struct {
	kind byte // 'n' number, 's' string, 'i' identifier, 'q' quoted identifier, 'o' operator, 'p' parameter, 0 end
	s    string
	pos  int
}

func scanSQL(s string) []tok {
	var out []tok
	i := 0
	for i < len(s) {
		c := s[i]
		start := i
		switch {
		case c == ' ' || c == '\n' || c == '\t':
			i++
			continue
		case c == '\'' || (c == 'E' || c == 'e') && i+1 < len(s) && s[i+1] == '\'':
			esc := c != '\''
			if esc {
				i++
			}
			i++
			var b strings.Builder
			for {
				if s[i] == '\'' {
					if i+1 < len(s) && s[i+1] == '\'' {
						b.WriteByte('\'')
						i += 2
						continue
					}
					i++
					break
				}
				if esc && s[i] == '\\' {
					i++
					switch s[i] {
					case 'n':
						b.WriteByte('\n')
					case 't':
						b.WriteByte('\t')
					default:
						b.WriteByte(s[i])
					}
					i++
					continue
				}
				b.WriteByte(s[i])
				i++
			}
			out = append(out, tok{'s', b.String(), start + 1})
			continue
		case c == '"':
			j := strings.IndexByte(s[i+1:], '"') + i + 1
			out = append(out, tok{'q', s[i+1 : j], start + 1})
			i = j + 1
			continue
		case c >= '0' && c <= '9' || c == '.' && i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9':
			for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.') {
				i++
			}
			if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
				i++
				for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '-' || s[i] == '+') {
					i++
				}
			}
			out = append(out, tok{'n', s[start:i], start + 1})
			continue
		case c == '$':
			i++
			for i < len(s) && s[i] >= '0' && s[i] <= '9' {
				i++
			}
			out = append(out, tok{'p', s[start+1 : i], start + 1})
			continue
		case isWordByte(c) || c >= 0x80:
			for i < len(s) && (isWordByte(s[i]) || s[i] >= 0x80) {
				i++
			}
			out = append(out, tok{'i', strings.ToLower(s[start:i]), start + 1})
			continue
		case strings.HasPrefix(s[i:], "::"):
			i += 2
		case strings.IndexByte("(),[]", c) >= 0:
			i++
		default:
			for i < len(s) && strings.IndexByte("+-*/<>=~!@#%^&|`?", s[i]) >= 0 {
				i++
			}
			// A sign that does not belong to the operator.
			for i-start > 1 && (s[i-1] == '-' || s[i-1] == '+') && !strings.ContainsAny(s[start:i], "~!@#%^&|?") {
				i--
			}
			if i == start {
				panic("bad character " + s[i:])
			}
		}
		out = append(out, tok{'o', s[start:i], start + 1})
	}
	return append(out, tok{0, "", len(s) + 1})
}

// Parse parses and binds; faults of the parser itself panic.
func Parse(s string, cols map[string]expr.Expr) (e expr.Expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			be, ok := r.(bindError)
			if !ok {
				panic(r)
			}
			err = be.err
		}
	}()
	p := &sqlParser{toks: scanSQL(s), cols: cols}
	e = p.expr(0)
	if p.peek().kind != 0 {
		panic(fmt.Sprintf("%s: left over %v", s, p.peek()))
	}
	return expr.ResolveUnknown(e)
}

type bindError struct{ err error }

func ok2(e expr.Expr, err error) expr.Expr {
	if err != nil {
		panic(bindError{err})
	}
	return e
}

func (p *sqlParser) peek() tok { return p.toks[p.i] }
func (p *sqlParser) next() tok { p.i++; return p.toks[p.i-1] }
func (p *sqlParser) is(s string) bool {
	t := p.peek()
	return (t.kind == 'o' || t.kind == 'i') && t.s == s
}
func (p *sqlParser) accept(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}
func (p *sqlParser) expect(s string) {
	if !p.accept(s) {
		panic(fmt.Sprintf("expected %s, have %v", s, p.peek()))
	}
}

const (
	prOr = iota + 1
	prAnd
	prNot
	prIs
	prCmp
	prLike
	prOp
	prAdd
	prMul
	prPow
	prAt
	prUnary
	prSub
	prCast
)

func (p *sqlParser) infixPrec(t tok) int {
	switch t.kind {
	case 'i':
		switch t.s {
		case "or":
			return prOr
		case "and":
			return prAnd
		case "is":
			return prIs
		case "like", "ilike", "between", "in", "similar", "not":
			return prLike
		case "at":
			return prAt
		}
	case 'o':
		switch t.s {
		case "=", "<>", "!=", "<", ">", "<=", ">=":
			return prCmp
		case "+", "-":
			return prAdd
		case "*", "/", "%":
			return prMul
		case "^":
			return prPow
		case "::":
			return prCast
		case "[":
			return prSub
		case "(", ")", ",", "]":
			return 0
		}
		return prOp
	}
	return 0
}

func (p *sqlParser) expr(min int) expr.Expr {
	l := p.prefix()
	for {
		t := p.peek()
		pr := p.infixPrec(t)
		if pr == 0 || pr <= min {
			return l
		}
		p.i++
		l = p.infix(l, t, pr)
	}
}

func (p *sqlParser) infix(l expr.Expr, t tok, pr int) expr.Expr {
	switch t.s {
	case "or":
		return ok2(expr.MakeOr([]expr.Expr{l, p.expr(pr)}, t.pos))
	case "and":
		return ok2(expr.MakeAnd([]expr.Expr{l, p.expr(pr)}, t.pos))
	case "::":
		return ok2(expr.ResolveCast(l, p.typeName(), expr.Explicit, t.pos))
	case "[":
		i := p.expr(0)
		p.expect("]")
		return ok2(expr.MakeSubscript(l, []expr.SubscriptRange{{Range: expr.Range{High: i}}}, t.pos))
	case "at":
		p.expect("time")
		p.expect("zone")
		return ok2(expr.ResolveFunc("timezone", []expr.Expr{p.expr(pr), l}, t.pos))
	case "is":
		not := p.accept("not")
		n := p.next()
		switch n.s {
		case "null":
			e := ok2(expr.MakeIsNull(l, t.pos))
			if not {
				e = ok2(expr.MakeNot(e, t.pos))
			}
			return e
		case "distinct":
			p.expect("from")
			e := ok2(expr.MakeIsDistinct(l, p.expr(pr), t.pos))
			if not {
				e = ok2(expr.MakeNot(e, t.pos))
			}
			return e
		}
		return ok2(expr.MakeIsTest(l, n.s, not, t.pos))
	}
	not := false
	if t.kind == 'i' && t.s == "not" {
		not = true
		t = p.next()
	}
	if t.kind == 'i' {
		switch t.s {
		case "like", "ilike":
			r := p.expr(prLike)
			var esc expr.Expr
			if p.accept("escape") {
				esc = p.expr(prLike)
			}
			return ok2(expr.MakeLike(l, r, esc, t.s == "ilike", not, t.pos))
		case "similar":
			p.expect("to")
			r := p.expr(prLike)
			var esc expr.Expr
			if p.accept("escape") {
				esc = p.expr(prLike)
			}
			return ok2(expr.MakeSimilar(l, r, esc, not, t.pos))
		case "between":
			sym := p.accept("symmetric")
			lo := p.expr(prLike)
			p.expect("and")
			return ok2(expr.MakeBetween(l, lo, p.expr(prLike), not, sym, t.pos))
		case "in":
			p.expect("(")
			return ok2(expr.MakeIn(l, p.list(")"), not, t.pos))
		}
		panic("infix " + t.s)
	}
	if p.is("any") || p.is("all") || p.is("some") {
		all := p.next().s == "all"
		p.expect("(")
		a := p.expr(0)
		p.expect(")")
		return ok2(expr.MakeAnyAll(t.s, l, a, all, t.pos))
	}
	return ok2(expr.ResolveOp(t.s, l, p.expr(pr), t.pos))
}

func (p *sqlParser) list(end string) []expr.Expr {
	var out []expr.Expr
	if p.accept(end) {
		return nil
	}
	for {
		out = append(out, p.expr(0))
		if p.accept(end) {
			return out
		}
		p.expect(",")
	}
}

func (p *sqlParser) prefix() expr.Expr {
	t := p.next()
	switch t.kind {
	case 'n':
		return number(t)
	case 's':
		return &expr.Const{Value: types.NewText(t.s), T: tUnk, At: t.pos}
	case 'q':
		p.expect("(")
		return ok2(expr.ResolveFunc(t.s, p.list(")"), t.pos))
	case 'o':
		switch t.s {
		case "(":
			e := p.expr(0)
			if p.is(",") {
				row := []expr.Expr{e}
				for p.accept(",") {
					row = append(row, p.expr(0))
				}
				p.expect(")")
				return p.rowCompare(row)
			}
			p.expect(")")
			return e
		case "-", "+":
			if n := p.peek(); n.kind == 'n' && t.s == "-" {
				p.i++
				if p.is("::") {
					return ok2(expr.ResolveOp("-", nil, p.suffix(number(n)), t.pos))
				}
				return number(tok{'n', "-" + n.s, t.pos})
			}
			return ok2(expr.ResolveOp(t.s, nil, p.expr(prUnary), t.pos))
		}
		return ok2(expr.ResolveOp(t.s, nil, p.expr(prOp), t.pos))
	}
	return p.word(t)
}

// suffix binds casts tighter than a sign.
func (p *sqlParser) suffix(e expr.Expr) expr.Expr {
	for p.accept("::") {
		e = ok2(expr.ResolveCast(e, p.typeName(), expr.Explicit, 0))
	}
	return e
}

func number(t tok) expr.Expr {
	if v, err := strconv.ParseInt(t.s, 10, 64); err == nil {
		ty := tInt8
		if v == int64(int32(v)) {
			ty = tInt4
		}
		return &expr.Const{Value: types.NewInt(v), T: ty, At: t.pos}
	}
	z := new(apd.Decimal)
	if err := numeric.Parse(z, t.s); err != nil {
		panic(bindError{err})
	}
	return &expr.Const{Value: types.NewDecimal(z), T: tNum, At: t.pos}
}

func (p *sqlParser) rowCompare(l []expr.Expr) expr.Expr {
	op := p.next()
	p.accept("row")
	p.expect("(")
	return ok2(expr.MakeRowCmp(op.s, l, p.list(")"), op.pos))
}

func (p *sqlParser) typeName() types.T {
	t := p.next()
	name := t.s
	if t.kind == 'q' {
		name = `"` + t.s + `"`
	}
	switch name {
	case "double":
		p.expect("precision")
		name = "double precision"
	case "character":
		if p.accept("varying") {
			name = "character varying"
		}
	}
	var mods []int32
	if p.accept("(") {
		for {
			neg := p.accept("-")
			v, _ := strconv.Atoi(p.next().s)
			if neg {
				v = -v
			}
			mods = append(mods, int32(v))
			if p.accept(")") {
				break
			}
			p.expect(",")
		}
	}
	if (name == "timestamp" || name == "time") && (p.is("with") || p.is("without")) {
		name += " " + p.next().s + " time zone"
		p.expect("time")
		p.expect("zone")
	}
	array := false
	for p.accept("[") {
		p.expect("]")
		array = true
	}
	if name == "interval" && len(mods) > 0 {
		mods = append([]int32{int32(datetime.AllFields)}, mods...) // as the grammar has it
	}
	ty, err := types.FromName(name, mods, array)
	if err != nil {
		if e := sqlerr.As(err); e != nil {
			e.At(t.pos)
		}
		panic(bindError{err})
	}
	return ty
}

func (p *sqlParser) word(t tok) expr.Expr {
	switch t.s {
	case "null":
		return &expr.Const{Value: types.NullDatum, T: tUnk, At: t.pos}
	case "true", "false":
		return &expr.Const{Value: types.NewBool(t.s == "true"), T: tBool, At: t.pos}
	case "not":
		return ok2(expr.MakeNot(p.expr(prNot), t.pos))
	case "row":
		p.expect("(")
		return p.rowCompare(p.list(")"))
	case "array":
		p.expect("[")
		return p.array(t)
	case "cast":
		p.expect("(")
		x := p.expr(0)
		p.expect("as")
		ty := p.typeName()
		p.expect(")")
		return ok2(expr.ResolveCast(x, ty, expr.Explicit, t.pos))
	case "case":
		return p.caseExpr(t)
	case "extract":
		p.expect("(")
		f := p.next()
		p.expect("from")
		x := p.expr(0)
		p.expect(")")
		return ok2(expr.ResolveFunc("extract", []expr.Expr{&expr.Const{Value: types.NewText(f.s), T: tText, At: f.pos}, x}, t.pos))
	case "position":
		p.expect("(")
		sub := p.expr(prLike)
		p.expect("in")
		s := p.expr(0)
		p.expect(")")
		return ok2(expr.ResolveFunc("position", []expr.Expr{s, sub}, t.pos))
	case "interval", "date", "timestamp", "timestamptz", "time":
		if n := p.peek(); n.kind == 's' {
			p.i++
			ty, _ := types.FromName(t.s, nil, false)
			return ok2(expr.ResolveCast(&expr.Const{Value: types.NewText(n.s), T: tUnk, At: n.pos}, ty, expr.Explicit, t.pos))
		}
	}
	if p.accept("(") {
		return ok2(expr.ResolveFunc(t.s, p.list(")"), t.pos))
	}
	if c, ok := p.cols[t.s]; ok {
		return c
	}
	return ok2(expr.ResolveFunc(t.s, nil, t.pos))
}

// array reads ARRAY[…], looking ahead for a cast right behind it.
func (p *sqlParser) array(t tok) expr.Expr {
	start := p.i
	depth := 1
	for p.i++; depth > 0; p.i++ {
		switch p.toks[p.i-1].s {
		case "[":
			depth += vec.Bit(p.toks[p.i-1].kind == 'o')
		case "]":
			depth -= vec.Bit(p.toks[p.i-1].kind == 'o')
		}
	}
	p.i--
	if p.accept("::") {
		ty := p.typeName()
		end := p.i
		p.i = start
		e := ok2(expr.MakeArrayOf(p.arrayElems(&ty), ty, t.pos))
		p.i = end
		return e
	}
	p.i = start
	return ok2(expr.MakeArrayExpr(p.arrayElems(nil), t.pos))
}

func (p *sqlParser) arrayElems(ty *types.T) []expr.Expr {
	var out []expr.Expr
	if p.accept("]") {
		return nil
	}
	for {
		pos := p.peek().pos
		switch {
		case !p.accept("["):
			out = append(out, p.expr(0))
		case ty != nil:
			out = append(out, ok2(expr.MakeArrayOf(p.arrayElems(ty), *ty, pos)))
		default:
			out = append(out, ok2(expr.MakeArrayExpr(p.arrayElems(nil), pos)))
		}
		if p.accept("]") {
			return out
		}
		p.expect(",")
	}
}

func (p *sqlParser) caseExpr(t tok) expr.Expr {
	var operand, els expr.Expr
	if !p.is("when") {
		operand = p.expr(0)
	}
	var whens []expr.When
	for p.accept("when") {
		c := p.expr(0)
		p.expect("then")
		whens = append(whens, expr.When{Cond: c, Then: p.expr(0)})
	}
	if p.accept("else") {
		els = p.expr(0)
	}
	p.expect("end")
	return ok2(expr.MakeCase(operand, whens, els, t.pos))
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
