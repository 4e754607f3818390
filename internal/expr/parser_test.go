package expr

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

// A parser for the expressions of these tests: enough of Postgres's grammar to
// bind them the way the planner does.

type testParser struct {
	toks []tok
	i    int
	cols map[string]Expr
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

// bindText parses and binds; faults of the parser itself panic.
func bindText(s string, cols map[string]Expr) (e Expr, err error) {
	defer func() {
		if r := recover(); r != nil {
			be, ok := r.(bindError)
			if !ok {
				panic(r)
			}
			err = be.err
		}
	}()
	p := &testParser{toks: scanSQL(s), cols: cols}
	e = p.expr(0)
	if p.peek().kind != 0 {
		panic(fmt.Sprintf("%s: left over %v", s, p.peek()))
	}
	return ResolveUnknown(e)
}

type bindError struct{ err error }

func ok2(e Expr, err error) Expr {
	if err != nil {
		panic(bindError{err})
	}
	return e
}

func (p *testParser) peek() tok { return p.toks[p.i] }
func (p *testParser) next() tok { p.i++; return p.toks[p.i-1] }
func (p *testParser) is(s string) bool {
	t := p.peek()
	return (t.kind == 'o' || t.kind == 'i') && t.s == s
}
func (p *testParser) accept(s string) bool {
	if p.is(s) {
		p.i++
		return true
	}
	return false
}
func (p *testParser) expect(s string) {
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

func (p *testParser) infixPrec(t tok) int {
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

func (p *testParser) expr(min int) Expr {
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

func (p *testParser) infix(l Expr, t tok, pr int) Expr {
	switch t.s {
	case "or":
		return ok2(MakeOr([]Expr{l, p.expr(pr)}, t.pos))
	case "and":
		return ok2(MakeAnd([]Expr{l, p.expr(pr)}, t.pos))
	case "::":
		return ok2(ResolveCast(l, p.typeName(), Explicit, t.pos))
	case "[":
		i := p.expr(0)
		p.expect("]")
		return ok2(MakeSubscript(l, i, t.pos))
	case "at":
		p.expect("time")
		p.expect("zone")
		return ok2(ResolveFunc("timezone", []Expr{p.expr(pr), l}, t.pos))
	case "is":
		not := p.accept("not")
		n := p.next()
		switch n.s {
		case "null":
			e := ok2(MakeIsNull(l, t.pos))
			if not {
				e = ok2(MakeNot(e, t.pos))
			}
			return e
		case "distinct":
			p.expect("from")
			e := ok2(MakeIsDistinct(l, p.expr(pr), t.pos))
			if not {
				e = ok2(MakeNot(e, t.pos))
			}
			return e
		}
		return ok2(MakeIsTest(l, n.s, not, t.pos))
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
			var esc Expr
			if p.accept("escape") {
				esc = p.expr(prLike)
			}
			return ok2(MakeLike(l, r, esc, t.s == "ilike", not, t.pos))
		case "similar":
			p.expect("to")
			r := p.expr(prLike)
			var esc Expr
			if p.accept("escape") {
				esc = p.expr(prLike)
			}
			return ok2(MakeSimilar(l, r, esc, not, t.pos))
		case "between":
			sym := p.accept("symmetric")
			lo := p.expr(prLike)
			p.expect("and")
			return ok2(MakeBetween(l, lo, p.expr(prLike), not, sym, t.pos))
		case "in":
			p.expect("(")
			return ok2(MakeIn(l, p.list(")"), not, t.pos))
		}
		panic("infix " + t.s)
	}
	if p.is("any") || p.is("all") || p.is("some") {
		all := p.next().s == "all"
		p.expect("(")
		a := p.expr(0)
		p.expect(")")
		return ok2(MakeAnyAll(t.s, l, a, all, t.pos))
	}
	return ok2(ResolveOp(t.s, l, p.expr(pr), t.pos))
}

func (p *testParser) list(end string) []Expr {
	var out []Expr
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

func (p *testParser) prefix() Expr {
	t := p.next()
	switch t.kind {
	case 'n':
		return number(t)
	case 's':
		return &Const{Value: types.NewText(t.s), T: tUnk, At: t.pos}
	case 'q':
		p.expect("(")
		return ok2(ResolveFunc(t.s, p.list(")"), t.pos))
	case 'o':
		switch t.s {
		case "(":
			e := p.expr(0)
			if p.is(",") {
				row := []Expr{e}
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
					return ok2(ResolveOp("-", nil, p.suffix(number(n)), t.pos))
				}
				return number(tok{'n', "-" + n.s, t.pos})
			}
			return ok2(ResolveOp(t.s, nil, p.expr(prUnary), t.pos))
		}
		return ok2(ResolveOp(t.s, nil, p.expr(prOp), t.pos))
	}
	return p.word(t)
}

// suffix binds casts tighter than a sign.
func (p *testParser) suffix(e Expr) Expr {
	for p.accept("::") {
		e = ok2(ResolveCast(e, p.typeName(), Explicit, 0))
	}
	return e
}

func number(t tok) Expr {
	if v, err := strconv.ParseInt(t.s, 10, 64); err == nil {
		ty := tInt8
		if v == int64(int32(v)) {
			ty = tInt4
		}
		return &Const{Value: types.NewInt(v), T: ty, At: t.pos}
	}
	z := new(apd.Decimal)
	if err := numeric.Parse(z, t.s); err != nil {
		panic(bindError{err})
	}
	return &Const{Value: types.NewDecimal(z), T: tNum, At: t.pos}
}

func (p *testParser) rowCompare(l []Expr) Expr {
	op := p.next()
	p.accept("row")
	p.expect("(")
	return ok2(MakeRowCmp(op.s, l, p.list(")"), op.pos))
}

func (p *testParser) typeName() types.T {
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

func (p *testParser) word(t tok) Expr {
	switch t.s {
	case "null":
		return &Const{Value: types.NullDatum, T: tUnk, At: t.pos}
	case "true", "false":
		return &Const{Value: types.NewBool(t.s == "true"), T: tBool, At: t.pos}
	case "not":
		return ok2(MakeNot(p.expr(prNot), t.pos))
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
		return ok2(ResolveCast(x, ty, Explicit, t.pos))
	case "case":
		return p.caseExpr(t)
	case "extract":
		p.expect("(")
		f := p.next()
		p.expect("from")
		x := p.expr(0)
		p.expect(")")
		return ok2(ResolveFunc("extract", []Expr{&Const{Value: types.NewText(f.s), T: tText, At: f.pos}, x}, t.pos))
	case "position":
		p.expect("(")
		sub := p.expr(prLike)
		p.expect("in")
		s := p.expr(0)
		p.expect(")")
		return ok2(ResolveFunc("position", []Expr{s, sub}, t.pos))
	case "interval", "date", "timestamp", "timestamptz", "time":
		if n := p.peek(); n.kind == 's' {
			p.i++
			ty, _ := types.FromName(t.s, nil, false)
			return ok2(ResolveCast(&Const{Value: types.NewText(n.s), T: tUnk, At: n.pos}, ty, Explicit, t.pos))
		}
	}
	if p.accept("(") {
		return ok2(ResolveFunc(t.s, p.list(")"), t.pos))
	}
	if c, ok := p.cols[t.s]; ok {
		return c
	}
	return ok2(ResolveFunc(t.s, nil, t.pos))
}

// array reads ARRAY[…], looking ahead for a cast right behind it.
func (p *testParser) array(t tok) Expr {
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
		e := ok2(MakeArrayOf(p.arrayElems(&ty), ty, t.pos))
		p.i = end
		return e
	}
	p.i = start
	return ok2(MakeArrayExpr(p.arrayElems(nil), t.pos))
}

func (p *testParser) arrayElems(ty *types.T) []Expr {
	var out []Expr
	if p.accept("]") {
		return nil
	}
	for {
		pos := p.peek().pos
		switch {
		case !p.accept("["):
			out = append(out, p.expr(0))
		case ty != nil:
			out = append(out, ok2(MakeArrayOf(p.arrayElems(ty), *ty, pos)))
		default:
			out = append(out, ok2(MakeArrayExpr(p.arrayElems(nil), pos)))
		}
		if p.accept("]") {
			return out
		}
		p.expect(",")
	}
}

func (p *testParser) caseExpr(t tok) Expr {
	var operand, els Expr
	if !p.is("when") {
		operand = p.expr(0)
	}
	var whens []When
	for p.accept("when") {
		c := p.expr(0)
		p.expect("then")
		whens = append(whens, When{Cond: c, Then: p.expr(0)})
	}
	if p.accept("else") {
		els = p.expr(0)
	}
	p.expect("end")
	return ok2(MakeCase(operand, whens, els, t.pos))
}

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}
