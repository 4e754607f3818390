package dialect

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// primary emits an operand (c_expr) with its subscripts and fields.
func (p *translator) primary() ex {
	at := p.mark()
	t := p.tok()
	switch t.Kind {
	case lex.Int, lex.Number:
		p.next()
		p.number(t)
		return unnamed(atom, 0)
	case lex.String:
		p.next()
		if t.National {
			// N'…' is a character constant of type bpchar.
			p.open(marker.MCast, fields("pg_catalog.bpchar", "n"), t.Start)
			p.str(p.lx.Value(*t), t.Start)
			p.raw(")")
			return ex{name: "bpchar", strong: 1}
		}
		p.str(p.lx.Value(*t), t.Start)
		return unnamed(atom, 0)
	case lex.BitString, lex.HexString:
		p.next()
		digit := "b"
		if t.Kind == lex.HexString {
			digit = "x"
		}
		p.call(marker.MBits, digit+p.lx.Value(*t), t.Start)
		return unnamed(atom, 0)
	case lex.Param:
		p.next()
		p.param(t)
		return p.indirection(at, unnamed(atom, 0))
	case lex.LParen:
		return p.paren(at)
	case lex.QuotedID:
		return p.nameOrCall(at)
	case lex.Ident:
		return p.primaryWord(at)
	}
	p.syntaxError()
	return ex{}
}

// maxParam is the highest parameter number the wire protocol can bind.
const maxParam = 65535

func (p *translator) param(t *lex.Token) {
	n, err := strconv.Atoi(p.lx.Text[t.Start+1 : t.End])
	if err != nil || n < 1 || n > maxParam {
		p.fail(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter %s", p.lx.Raw(*t)).At(p.pos(t.Start)))
	}
	p.pieces = append(p.pieces, piece{text: "?", src: t.Start, num: int32(n), mode: pieceParam})
}

// number emits a numeric constant. MySQL's grammar makes floating point of
// exponents and misreads a final point, so those go as markers.
func (p *translator) number(t *lex.Token) {
	text := p.lx.Value(*t)
	if t.Kind == lex.Number && (strings.ContainsAny(text, "eE") || text[len(text)-1] == '.') {
		p.call(marker.MNumber, text, t.Start)
		return
	}
	p.rawAt(text, t.Start)
}

// primaryWord emits a primary that begins with an unquoted word.
func (p *translator) primaryWord(at int) ex {
	t := p.tok()
	switch t.Keyword {
	case 0:
		return p.nameOrCall(at)
	case lex.KTrue, lex.KFalse:
		p.next()
		text := "TRUE"
		if t.Keyword == lex.KFalse {
			text = "FALSE"
		}
		p.rawAt(text, t.Start)
		return unnamed(atom, 0)
	case lex.KNull:
		p.next()
		p.rawAt("NULL", t.Start)
		return unnamed(atom, 0)
	case lex.KCase:
		return p.caseExpr()
	case lex.KCast:
		return p.castCall()
	case lex.KExists:
		if p.peek(1).Kind == lex.LParen {
			p.next()
			if !p.isSubquery() {
				p.next()
				p.syntaxError()
			}
			p.rawAt("EXISTS ", t.Start)
			e := p.subquery()
			return ex{name: "exists", strong: 2, h: p.taller(e.h, 0)}
		}
	case lex.KArray:
		return p.array()
	case lex.KRow:
		if p.peek(1).Kind == lex.LParen {
			return p.row(at)
		}
	case lex.KDefault:
		p.errorAt(t.Start, "DEFAULT is not allowed in this context")
	case lex.KInterval:
		if e, ok := p.intervalConst(); ok {
			return e
		}
	case lex.KNext, lex.KCurrent:
		if e, ok := p.sequenceValue(); ok {
			return e
		}
	}
	if e, ok := p.special(); ok {
		return e
	}
	if e, ok := p.typedConst(); ok {
		return e
	}
	return p.nameOrCall(at)
}

// typedConst emits type 'text' for a keyword type. Types that are plain names
// are seen by nameOrCall.
func (p *translator) typedConst() (ex, bool) {
	t := p.tok()
	n := 1 // tokens before the string or the parenthesis
	switch t.Keyword {
	case lex.KInt, lex.KInteger, lex.KSmallint, lex.KBigint, lex.KReal, lex.KBoolean,
		lex.KFloat, lex.KDecimal, lex.KDec, lex.KNumeric, lex.KVarchar:
	case lex.KDouble:
		if p.peek(1).Keyword != lex.KPrecision {
			return ex{}, false
		}
		n = 2
	case lex.KBit, lex.KCharacter, lex.KChar, lex.KNchar:
		if p.peek(1).Keyword == lex.KVarying {
			n = 2
		}
	case lex.KNational:
		n = 2
		if p.peek(2).Keyword == lex.KVarying {
			n = 3
		}
	case lex.KTime, lex.KTimestamp:
		if k := p.peek(1).Keyword; (k == lex.KWith || k == lex.KWithout) && p.peek(2).Keyword == lex.KTime {
			n = 4
		}
	default:
		return ex{}, false
	}
	switch p.peek(n).Kind {
	case lex.String:
	case lex.LParen:
		m := p.peek(n).Match
		if m < 0 {
			return ex{}, false
		}
		after := int(m) + 1 - p.i
		if t.Keyword == lex.KTime || t.Keyword == lex.KTimestamp {
			if k := p.peek(after).Keyword; k == lex.KWith || k == lex.KWithout {
				after += 3
			}
		}
		if p.peek(after).Kind != lex.String {
			return ex{}, false
		}
	default:
		return ex{}, false
	}
	ty, next, err := typename.ReadBase(&p.lx, p.i)
	if err != nil {
		p.fail(sqlerr.As(err))
	}
	p.i = next
	return p.constOfType(ty, t.Start), true
}

// constOfType emits the string after a type.
func (p *translator) constOfType(ty *tree.TypeName, src int32) ex {
	val := p.tok()
	if val.Kind != lex.String {
		p.syntaxError()
	}
	p.next()
	ty.Pos = p.pos(src)
	p.noteType(src, ty)
	p.open(marker.MCast, fields(ty.String(), "const"), src)
	p.str(p.lx.Value(*val), val.Start)
	p.raw(")")
	return ex{name: ty.Name, strong: 1}
}

// intervalConst emits INTERVAL [(p)] '…' [fields].
func (p *translator) intervalConst() (ex, bool) {
	t := p.tok()
	switch k := p.peek(1); {
	case k.Kind == lex.String:
	case k.Kind == lex.LParen && p.peek(2).Kind == lex.Int && p.peek(3).Kind == lex.RParen && p.peek(4).Kind == lex.String:
	default:
		return ex{}, false
	}
	ty := &tree.TypeName{Schema: "pg_catalog", Name: "interval"}
	p.next()
	if p.kind() == lex.LParen {
		p.next()
		ty.Mods = []int32{tree.IntervalFull, int32(p.intConst())}
		p.expectKind(lex.RParen)
	}
	val := p.tok()
	p.next()
	if len(ty.Mods) == 0 {
		next, err := typename.ReadInterval(&p.lx, p.i, ty)
		if err != nil {
			p.fail(sqlerr.As(err))
		}
		p.i = next
	}
	ty.Pos = p.pos(t.Start)
	p.noteType(t.Start, ty)
	p.open(marker.MCast, fields(ty.String(), "const"), t.Start)
	p.str(p.lx.Value(*val), val.Start)
	p.raw(")")
	return ex{name: "interval", strong: 1}, true
}

// typeName reads a type.
func (p *translator) typeName() *tree.TypeName {
	at := p.src()
	ty, next, err := typename.Read(&p.lx, p.i, false)
	if err != nil {
		p.fail(sqlerr.As(err))
	}
	ty.Pos = p.pos(at)
	p.i = next
	return ty
}

// castCall emits CAST(x AS type).
func (p *translator) castCall() ex {
	src := p.src()
	p.next()
	p.expectKind(lex.LParen)
	at := p.mark()
	e := p.expr()
	p.expect(lex.KAs)
	t := p.typeName()
	p.expectKind(lex.RParen)
	p.noteType(src, t)
	p.wrapMarker(at, marker.MCast, fields(t.String(), "cast"), src)
	p.raw(")")
	return castName(e, t, p.taller(e.h, 0))
}

// caseExpr emits CASE, which is native.
func (p *translator) caseExpr() ex {
	p.enter()
	p.rawAt("CASE", p.src())
	p.next()
	var h int32
	if p.kw() != lex.KWhen {
		p.raw(" ")
		h = p.expr().h
	}
	if p.kw() != lex.KWhen {
		p.syntaxError()
	}
	for p.accept(lex.KWhen) {
		p.raw(" WHEN ")
		h = max(h, p.expr().h)
		p.expect(lex.KThen)
		p.raw(" THEN ")
		h = max(h, p.expr().h)
	}
	e := ex{name: "case", strong: 1}
	if p.accept(lex.KElse) {
		p.raw(" ELSE ")
		d := p.expr()
		h = max(h, d.h)
		if d.strong > 1 {
			e.name, e.strong = d.name, d.strong
		}
	}
	p.expect(lex.KEnd)
	p.raw(" END")
	p.leave()
	e.h = p.taller(h, 0)
	return e
}

// paren emits what begins with a parenthesis: a subquery, a row, or an
// expression.
func (p *translator) paren(at int) ex {
	if p.isSubquery() {
		e := p.subquery()
		return p.indirection(at, e)
	}
	src := p.src()
	multi := p.i == p.multi
	p.next()
	e := p.rowField(multi)
	if p.kind() == lex.Comma {
		n := int32(1)
		for p.acceptKind(lex.Comma) {
			p.raw(", ")
			n++
			f := p.rowField(multi)
			e.h = max(e.h, f.h)
		}
		p.expectKind(lex.RParen)
		p.wrapMarker(at, marker.MRow, marker.Nothing, src)
		p.raw(")")
		return ex{name: "row", strong: 2, row: n, h: p.taller(e.h, 0)}
	}
	p.expectKind(lex.RParen)
	if e.class != atom {
		p.parens(at)
		e.class = atom
	}
	e.row = 0
	e.h = p.taller(e.h, 0)
	return p.indirection(at, e)
}

// rowField emits a field of a row; the row of SET (a, b) = (…) may hold
// DEFAULT.
func (p *translator) rowField(multi bool) ex {
	if multi && p.kw() == lex.KDefault {
		p.call(marker.MDefault, marker.Nothing, p.src())
		p.next()
		return ex{}
	}
	return p.expr()
}

// row emits ROW(…).
func (p *translator) row(at int) ex {
	src := p.src()
	multi := p.i == p.multi
	p.next()
	p.next()
	p.open(marker.MRow, "row", src)
	var h, n int32
	if p.kind() != lex.RParen {
		for {
			n++
			h = max(h, p.rowField(multi).h)
			if !p.acceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
	}
	p.expectKind(lex.RParen)
	p.raw(")")
	return ex{name: "row", strong: 2, row: max(n, 1), h: p.taller(h, 0)}
}

// array emits ARRAY[…] or ARRAY(query).
func (p *translator) array() ex {
	src := p.src()
	p.next()
	if p.kind() == lex.LParen {
		if !p.isSubquery() {
			p.next()
			p.syntaxError()
		}
		p.open(marker.MArrayQ, marker.Nothing, src)
		e := p.subquery()
		p.raw(")")
		return ex{name: "array", strong: 2, h: p.taller(e.h, 0)}
	}
	if p.kind() != lex.LBracket {
		p.syntaxError()
	}
	return ex{name: "array", strong: 2, h: p.arrayList(src)}
}

// arrayList emits [ … ], whose elements may be bracket lists.
func (p *translator) arrayList(src int32) int32 {
	p.enter()
	p.expectKind(lex.LBracket)
	p.open(marker.MArray, marker.Nothing, src)
	var h int32
	if p.kind() != lex.RBracket {
		for {
			if p.kind() == lex.LBracket {
				h = max(h, p.arrayList(p.src()))
			} else {
				h = max(h, p.expr().h)
			}
			if !p.acceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
	}
	p.expectKind(lex.RBracket)
	p.raw(")")
	p.leave()
	return p.taller(h, 0)
}

// indirection emits the subscripts, slices and fields after an operand.
func (p *translator) indirection(at int, e ex) ex {
	for {
		switch p.kind() {
		case lex.LBracket:
			e.h = p.subscript(at, e.h)
		case lex.Dot:
			src := p.src()
			p.next()
			if p.acceptOp(lex.OpMul) {
				p.wrapMarker(at, marker.MStarOf, marker.Nothing, src)
				p.raw(")")
				return ex{h: p.taller(e.h, 0)}
			}
			f := p.label()
			p.wrapMarker(at, marker.MField, f, src)
			p.raw(")")
			e.name, e.strong = f, 2
			e.h = p.taller(e.h, 0)
		default:
			return e
		}
		e.class, e.row = atom, 0
	}
}

// subscript emits [i] or [lower:upper].
func (p *translator) subscript(at int, h int32) int32 {
	src := p.src()
	p.next()
	p.raw(", ")
	lower := p.mark()
	if p.kind() != lex.Colon {
		h = max(h, p.expr().h)
		if p.acceptKind(lex.RBracket) {
			p.wrapMarker(at, marker.MSub, marker.Nothing, src)
			p.raw(")")
			return p.taller(h, 0)
		}
	}
	if p.mark() == lower {
		p.call(marker.MNone, marker.Nothing, -1)
	}
	p.expectKind(lex.Colon)
	p.raw(", ")
	if p.kind() != lex.RBracket {
		h = max(h, p.expr().h)
	} else {
		p.call(marker.MNone, marker.Nothing, -1)
	}
	p.expectKind(lex.RBracket)
	p.wrapMarker(at, marker.MSlice, marker.Nothing, src)
	p.raw(")")
	return p.taller(h, 0)
}
