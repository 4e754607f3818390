package translate

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Long because an operand is one recursion, of names, subscripts, types and casts that begin alike and
// part late.

// primary emits an operand (c_expr) with its subscripts and fields.
func (p *Translator) primary() Expr {
	at := p.Mark()
	t := p.Token()
	switch t.Kind {
	case lex.Int, lex.Number:
		p.Next()
		p.number(t)
		return unnamed(atom, 0)
	case lex.String:
		p.Next()
		if t.National {
			// N'…' is a character constant of type bpchar.
			p.open(marker.MCast, fields("pg_catalog.bpchar", "n"), t.Start)
			p.str(p.Lex.Value(*t), t.Start)
			p.raw(")")
			return Expr{Name: "bpchar", Strong: 1}
		}
		p.str(p.Lex.Value(*t), t.Start)
		return unnamed(atom, 0)
	case lex.BitString, lex.HexString:
		p.Next()
		digit := "b"
		if t.Kind == lex.HexString {
			digit = "x"
		}
		p.call(marker.MBits, digit+p.Lex.Value(*t), t.Start)
		return unnamed(atom, 0)
	case lex.Param:
		p.Next()
		p.param(t)
		return p.indirection(at, unnamed(atom, 0))
	case lex.LParen:
		return p.paren(at)
	case lex.QuotedID:
		return p.nameOrCall(at)
	case lex.Ident:
		return p.primaryWord(at)
	}
	p.SyntaxError()
	return Expr{}
}

// maxParam is the highest parameter number the wire protocol can bind.
//
//saltsql:limit statements: number of a parameter ($n)
const maxParam = 65535

func (p *Translator) param(t *lex.Token) {
	n, err := strconv.Atoi(p.Lex.Text[t.Start+1 : t.End])
	if err != nil || n < 1 || n > maxParam {
		p.Fail(sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter %s", p.Lex.Raw(*t)).At(p.Pos(t.Start)))
	}
	p.pieces = append(p.pieces, piece{text: "?", src: t.Start, num: int32(n), mode: pieceParam})
}

// number emits a numeric constant. MySQL's grammar makes floating point of
// exponents and misreads a final point, so those go as markers.
func (p *Translator) number(t *lex.Token) {
	text := p.Lex.Value(*t)
	if t.Kind == lex.Number && (strings.ContainsAny(text, "eE") || text[len(text)-1] == '.') {
		p.call(marker.MNumber, text, t.Start)
		return
	}
	p.rawAt(text, t.Start)
}

// primaryWord emits a primary that begins with an unquoted word.
func (p *Translator) primaryWord(at int) Expr {
	t := p.Token()
	switch t.Keyword {
	case 0:
		return p.nameOrCall(at)
	case lex.KTrue, lex.KFalse:
		p.Next()
		text := "TRUE"
		if t.Keyword == lex.KFalse {
			text = "FALSE"
		}
		p.rawAt(text, t.Start)
		return unnamed(atom, 0)
	case lex.KNull:
		p.Next()
		p.rawAt("NULL", t.Start)
		return unnamed(atom, 0)
	case lex.KCase:
		return p.caseExpr()
	case lex.KCast:
		return p.castCall()
	case lex.KExists:
		if p.Peek(1).Kind == lex.LParen {
			p.Next()
			if !p.IsSubquery() {
				p.Next()
				p.SyntaxError()
			}
			p.rawAt("EXISTS ", t.Start)
			e := p.subquery()
			return Expr{Name: "exists", Strong: 2, h: p.Taller(e.h, 0)}
		}
	case lex.KArray:
		return p.array()
	case lex.KRow:
		if p.Peek(1).Kind == lex.LParen {
			return p.row(at)
		}
	case lex.KDefault:
		p.ErrorAt(t.Start, "DEFAULT is not allowed in this context")
	case lex.KInterval:
		if e, ok := p.IntervalConst(); ok {
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
func (p *Translator) typedConst() (Expr, bool) {
	t := p.Token()
	n := 1 // tokens before the string or the parenthesis
	switch t.Keyword {
	case lex.KInt, lex.KInteger, lex.KSmallint, lex.KBigint, lex.KReal, lex.KBoolean,
		lex.KFloat, lex.KDecimal, lex.KDec, lex.KNumeric, lex.KVarchar:
	case lex.KDouble:
		if p.Peek(1).Keyword != lex.KPrecision {
			return Expr{}, false
		}
		n = 2
	case lex.KBit, lex.KCharacter, lex.KChar, lex.KNchar:
		if p.Peek(1).Keyword == lex.KVarying {
			n = 2
		}
	case lex.KNational:
		n = 2
		if p.Peek(2).Keyword == lex.KVarying {
			n = 3
		}
	case lex.KTime, lex.KTimestamp:
		if k := p.Peek(1).Keyword; (k == lex.KWith || k == lex.KWithout) && p.Peek(2).Keyword == lex.KTime {
			n = 4
		}
	default:
		return Expr{}, false
	}
	switch p.Peek(n).Kind {
	case lex.String:
	case lex.LParen:
		m := p.Peek(n).Match
		if m < 0 {
			return Expr{}, false
		}
		after := int(m) + 1 - p.At
		if t.Keyword == lex.KTime || t.Keyword == lex.KTimestamp {
			if k := p.Peek(after).Keyword; k == lex.KWith || k == lex.KWithout {
				after += 3
			}
		}
		if p.Peek(after).Kind != lex.String {
			return Expr{}, false
		}
	default:
		return Expr{}, false
	}
	ty, next, err := typename.ReadBase(&p.Lex, p.At)
	if err != nil {
		p.Fail(sqlerr.As(err))
	}
	p.At = next
	return p.constOfType(ty, t.Start), true
}

// constOfType emits the string after a type.
func (p *Translator) constOfType(ty *tree.TypeName, src int32) Expr {
	val := p.Token()
	if val.Kind != lex.String {
		p.SyntaxError()
	}
	p.Next()
	ty.Pos = p.Pos(src)
	p.noteType(src, ty)
	p.open(marker.MCast, fields(ty.String(), "const"), src)
	p.str(p.Lex.Value(*val), val.Start)
	p.raw(")")
	return Expr{Name: ty.Name, Strong: 1}
}

// IntervalConst emits INTERVAL [(p)] '…' [fields].
func (p *Translator) IntervalConst() (Expr, bool) {
	t := p.Token()
	switch k := p.Peek(1); {
	case k.Kind == lex.String:
	case k.Kind == lex.LParen && p.Peek(2).Kind == lex.Int && p.Peek(3).Kind == lex.RParen && p.Peek(4).Kind == lex.String:
	default:
		return Expr{}, false
	}
	ty := &tree.TypeName{Schema: "pg_catalog", Name: "interval"}
	p.Next()
	if p.Kind() == lex.LParen {
		p.Next()
		ty.Mods = []int32{tree.IntervalFull, int32(p.IntConst())}
		p.ExpectKind(lex.RParen)
	}
	val := p.Token()
	p.Next()
	if len(ty.Mods) == 0 {
		next, err := typename.ReadInterval(&p.Lex, p.At, ty)
		if err != nil {
			p.Fail(sqlerr.As(err))
		}
		p.At = next
	}
	ty.Pos = p.Pos(t.Start)
	p.noteType(t.Start, ty)
	p.open(marker.MCast, fields(ty.String(), "const"), t.Start)
	p.str(p.Lex.Value(*val), val.Start)
	p.raw(")")
	return Expr{Name: "interval", Strong: 1}, true
}

// TypeName reads a type.
func (p *Translator) TypeName() *tree.TypeName {
	at := p.Offset()
	ty, next, err := typename.Read(&p.Lex, p.At, false)
	if err != nil {
		p.Fail(sqlerr.As(err))
	}
	ty.Pos = p.Pos(at)
	p.At = next
	return ty
}

// castCall emits CAST(x AS type).
func (p *Translator) castCall() Expr {
	src := p.Offset()
	p.Next()
	p.ExpectKind(lex.LParen)
	at := p.Mark()
	e := p.Expr()
	p.Expect(lex.KAs)
	t := p.TypeName()
	p.ExpectKind(lex.RParen)
	p.noteType(src, t)
	p.wrapMarker(at, marker.MCast, fields(t.String(), "cast"), src)
	p.raw(")")
	return castName(e, t, p.Taller(e.h, 0))
}

// caseExpr emits CASE, which is native.
func (p *Translator) caseExpr() Expr {
	p.Enter()
	p.rawAt("CASE", p.Offset())
	p.Next()
	var h int32
	if p.Keyword() != lex.KWhen {
		p.raw(" ")
		h = p.Expr().h
	}
	if p.Keyword() != lex.KWhen {
		p.SyntaxError()
	}
	for p.Accept(lex.KWhen) {
		p.raw(" WHEN ")
		h = max(h, p.Expr().h)
		p.Expect(lex.KThen)
		p.raw(" THEN ")
		h = max(h, p.Expr().h)
	}
	e := Expr{Name: "case", Strong: 1}
	if p.Accept(lex.KElse) {
		p.raw(" ELSE ")
		d := p.Expr()
		h = max(h, d.h)
		if d.Strong > 1 {
			e.Name, e.Strong = d.Name, d.Strong
		}
	}
	p.Expect(lex.KEnd)
	p.raw(" END")
	p.Leave()
	e.h = p.Taller(h, 0)
	return e
}

// paren emits what begins with a parenthesis: a subquery, a row, or an
// expression.
func (p *Translator) paren(at int) Expr {
	if p.IsSubquery() {
		e := p.subquery()
		return p.indirection(at, e)
	}
	src := p.Offset()
	multi := p.At == p.multi
	p.Next()
	e := p.rowField(multi)
	if p.Kind() == lex.Comma {
		n := int32(1)
		for p.AcceptKind(lex.Comma) {
			p.raw(", ")
			n++
			f := p.rowField(multi)
			e.h = max(e.h, f.h)
		}
		p.ExpectKind(lex.RParen)
		p.wrapMarker(at, marker.MRow, marker.Nothing, src)
		p.raw(")")
		return Expr{Name: "row", Strong: 2, row: n, h: p.Taller(e.h, 0)}
	}
	p.ExpectKind(lex.RParen)
	if e.class != atom || p.Kind() == lex.LBracket { // ((x)[i:j])[k] is not (x)[i:j][k]
		p.parens(at)
		e.class = atom
	}
	e.row = 0
	e.h = p.Taller(e.h, 0)
	return p.indirection(at, e)
}

// rowField emits a field of a row; the row of SET (a, b) = (…) may hold
// DEFAULT.
func (p *Translator) rowField(multi bool) Expr {
	if multi && p.Keyword() == lex.KDefault {
		p.call(marker.MDefault, marker.Nothing, p.Offset())
		p.Next()
		return Expr{}
	}
	return p.Expr()
}

// row emits ROW(…).
func (p *Translator) row(at int) Expr {
	src := p.Offset()
	multi := p.At == p.multi
	p.Next()
	p.Next()
	p.open(marker.MRow, "row", src)
	var h, n int32
	if p.Kind() != lex.RParen {
		for {
			n++
			h = max(h, p.rowField(multi).h)
			if !p.AcceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
	}
	p.ExpectKind(lex.RParen)
	p.raw(")")
	return Expr{Name: "row", Strong: 2, row: max(n, 1), h: p.Taller(h, 0)}
}

// array emits ARRAY[…] or ARRAY(query).
func (p *Translator) array() Expr {
	src := p.Offset()
	p.Next()
	if p.Kind() == lex.LParen {
		if !p.IsSubquery() {
			p.Next()
			p.SyntaxError()
		}
		p.open(marker.MArrayQ, marker.Nothing, src)
		e := p.subquery()
		p.raw(")")
		return Expr{Name: "array", Strong: 2, h: p.Taller(e.h, 0)}
	}
	if p.Kind() != lex.LBracket {
		p.SyntaxError()
	}
	return Expr{Name: "array", Strong: 2, h: p.arrayList(src)}
}

// arrayList emits [ … ], whose elements may be bracket lists.
func (p *Translator) arrayList(src int32) int32 {
	p.Enter()
	p.ExpectKind(lex.LBracket)
	p.open(marker.MArray, marker.Nothing, src)
	var h int32
	if p.Kind() != lex.RBracket {
		for {
			if p.Kind() == lex.LBracket {
				h = max(h, p.arrayList(p.Offset()))
			} else {
				h = max(h, p.Expr().h)
			}
			if !p.AcceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
	}
	p.ExpectKind(lex.RBracket)
	p.raw(")")
	p.Leave()
	return p.Taller(h, 0)
}

// indirection emits the subscripts, slices and fields after an operand.
func (p *Translator) indirection(at int, e Expr) Expr {
	for {
		switch p.Kind() {
		case lex.LBracket:
			e.h = p.subscript(at, e.h)
		case lex.Dot:
			src := p.Offset()
			p.Next()
			if p.AcceptOp(lex.OpMul) {
				p.wrapMarker(at, marker.MStarOf, marker.Nothing, src)
				p.raw(")")
				return Expr{h: p.Taller(e.h, 0)}
			}
			f := p.Label()
			p.wrapMarker(at, marker.MField, f, src)
			p.raw(")")
			e.Name, e.Strong = f, 2
			e.h = p.Taller(e.h, 0)
		default:
			return e
		}
		e.class, e.row = atom, 0
	}
}

// subscript emits [i] or [lower:upper].
func (p *Translator) subscript(at int, h int32) int32 {
	src := p.Offset()
	p.Next()
	p.raw(", ")
	lower := p.Mark()
	if p.Kind() != lex.Colon {
		h = max(h, p.Expr().h)
		if p.AcceptKind(lex.RBracket) {
			p.wrapMarker(at, marker.MSub, marker.Nothing, src)
			p.raw(")")
			return p.Taller(h, 0)
		}
	}
	if p.Mark() == lower {
		p.call(marker.MNone, marker.Nothing, -1)
	}
	p.ExpectKind(lex.Colon)
	p.raw(", ")
	if p.Kind() != lex.RBracket {
		h = max(h, p.Expr().h)
	} else {
		p.call(marker.MNone, marker.Nothing, -1)
	}
	p.ExpectKind(lex.RBracket)
	p.wrapMarker(at, marker.MSlice, marker.Nothing, src)
	p.raw(")")
	return p.Taller(h, 0)
}
