package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// nameOrCall emits a column reference, a function call, or a constant of a
// type that is a plain name.
func (p *translator) nameOrCall(at int) ex {
	first := p.tok()
	n := 1 // tokens of the dotted name
	for p.peek(n).Kind == lex.Dot && isLabel(p.peek(n+1)) {
		n += 2
	}
	follow := p.peek(n)
	switch {
	case follow.Kind == lex.String && isFuncOrDotted(first, n):
		return p.namedConst()
	case follow.Kind == lex.LParen && isFuncOrDotted(first, n):
		if follow.Match >= 0 && p.peek(int(follow.Match)+1-p.i).Kind == lex.String {
			return p.namedConst()
		}
		return p.function(n)
	}
	if !isColID(first) {
		p.syntaxError()
	}
	return p.column(at)
}

// isFuncOrDotted tells whether a dotted name of n tokens may name a function
// or a type.
func isFuncOrDotted(first *lex.Token, n int) bool {
	if n > 1 {
		return isColID(first)
	}
	return isFuncName(first)
}

// namedConst emits type 'text' or type(mods) 'text' for any other type.
func (p *translator) namedConst() ex {
	src := p.src()
	ty, next, err := typename.ReadBase(&p.lx, p.i)
	if err != nil {
		p.fail(sqlerr.As(err))
	}
	p.i = next
	return p.constOfType(ty, src)
}

// column emits a column reference, or t.* inside an expression.
func (p *translator) column(at int) ex {
	first := p.tok()
	parts := 1
	name := p.name(first)
	p.next()
	if p.kind() != lex.Dot {
		p.ident(name, first.Start)
		return p.indirection(at, ex{name: name, strong: 2})
	}
	names := [3]string{name}
	for p.kind() == lex.Dot {
		t := p.peek(1)
		if t.Kind == lex.Op && t.Op == lex.OpMul {
			p.i += 2
			return p.wholeRow(names[:parts], first.Start)
		}
		p.next()
		if parts == len(names) {
			p.unsupported(first.Start, "cross-database references are not implemented", "Write schema.table.column: a connection sees one database.")
		}
		names[parts] = p.label()
		parts++
	}
	p.ident(names[0], first.Start)
	for _, s := range names[1:parts] {
		p.raw(".")
		p.ident(s, -1)
	}
	return p.indirection(at, ex{name: names[parts-1], strong: 2})
}

func (p *translator) wholeRow(names []string, src int32) ex {
	switch len(names) {
	case 1:
		p.call(marker.MWhole, names[0], src)
	case 2:
		p.call(marker.MWhole, fields(names[1], names[0]), src)
	default:
		p.unsupported(src, "cross-database references are not implemented", "Write schema.table.*: a connection sees one database.")
	}
	return ex{}
}

// function emits a call of a function whose name has n tokens.
func (p *translator) function(n int) ex {
	first := p.tok()
	name := ""
	switch n {
	case 1:
		name = p.name(first)
		p.ident(name, first.Start)
		p.next()
	case 3:
		p.ident(p.name(first), first.Start)
		p.next()
		p.next()
		p.raw(".")
		name = p.label()
		p.ident(name, -1)
	default:
		p.unsupported(first.Start, "cross-database references are not implemented", "Write schema.function: a connection sees one database.")
	}
	p.raw("(")
	h, conflict := p.arguments()
	h = max(h, p.callTail(conflict))
	p.raw(")")
	return ex{name: name, strong: 2, h: p.taller(h, 0)}
}

// comma separates the arguments of the call whose parenthesis is the last
// piece before the mark.
func (p *translator) comma(begin int) {
	if p.mark() > begin {
		p.raw(", ")
	}
}

// arguments emits what stands between the parentheses of a call, and tells
// what in it WITHIN GROUP does not go with.
func (p *translator) arguments() (h int32, conflict string) {
	p.expectKind(lex.LParen)
	begin := p.mark()
	if p.acceptKind(lex.RParen) {
		return 0, ""
	}
	if p.acceptOp(lex.OpMul) {
		p.call(marker.MStar, marker.Nothing, -1)
		p.expectKind(lex.RParen)
		return 0, ""
	}
	var quantifier string
	if p.accept(lex.KDistinct) {
		quantifier, conflict = marker.MDistinct, "DISTINCT"
	} else if p.accept(lex.KAll) {
		quantifier = marker.MAllRows
	}
	for {
		variadic := p.kw() == lex.KVariadic
		if variadic {
			if conflict == "" {
				conflict = "VARIADIC"
			}
			p.open(marker.MVariadic, marker.Nothing, p.src())
			p.next()
		}
		h = max(h, p.argument())
		if variadic {
			p.raw(")")
			break
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	if quantifier != "" {
		p.comma(begin)
		p.call(quantifier, marker.Nothing, -1)
	}
	if p.accept2(lex.KOrder, lex.KBy) {
		h = max(h, p.orderMarkers(begin))
		conflict = "multiple ORDER BY clauses"
	}
	p.expectKind(lex.RParen)
	return h, conflict
}

// argument emits one argument, positional or named.
func (p *translator) argument() int32 {
	if k := p.peek(1).Kind; (k == lex.ColonEq || k == lex.Arrow) && isFuncName(p.tok()) {
		p.open(marker.MArg, p.name(p.tok()), p.src())
		p.i += 2
		e := p.expr()
		p.raw(")")
		return p.taller(e.h, 0)
	}
	return p.expr().h
}

// callTail emits WITHIN GROUP, FILTER and OVER as last arguments.
func (p *translator) callTail(conflict string) int32 {
	var h int32
	sep := func() {
		if last := &p.pieces[len(p.pieces)-1]; last.mode != pieceRaw || last.text != "(" || last.prefix != 0 {
			p.raw(", ")
		}
	}
	if p.kw() == lex.KWithin && p.peek(1).Keyword == lex.KGroup {
		if conflict != "" {
			p.errorAt(p.src(), "cannot use %s with WITHIN GROUP", conflict)
		}
		sep()
		p.open(marker.MWithin, marker.Nothing, p.src())
		p.i += 2
		p.expectKind(lex.LParen)
		p.expect(lex.KOrder)
		p.expect(lex.KBy)
		h = max(h, p.orderMarkers(p.mark()))
		p.expectKind(lex.RParen)
		p.raw(")")
	}
	if p.kw() == lex.KFilter && p.peek(1).Kind == lex.LParen {
		sep()
		p.open(marker.MFilter, marker.Nothing, p.src())
		p.i += 2
		p.expect(lex.KWhere)
		h = max(h, p.expr().h)
		p.expectKind(lex.RParen)
		p.raw(")")
	}
	if p.kw() == lex.KOver {
		switch t := p.peek(1); {
		case t.Kind == lex.LParen:
			sep()
			p.next()
			h = max(h, p.windowSpec(p.src()))
		case isColID(t):
			sep()
			p.i++
			p.call(marker.MOver, fields(p.name(t), "bare"), p.src())
			p.i++
		}
	}
	return h
}

// orderMarkers emits the items of an ORDER BY as arguments.
func (p *translator) orderMarkers(begin int) int32 {
	var h int32
	for {
		p.comma(begin)
		at := p.mark()
		e, dir := p.orderItem()
		h = max(h, e.h)
		p.wrapMarker(at, marker.MOrder, dir.payload(), -1)
		p.raw(")")
		if !p.acceptKind(lex.Comma) {
			return p.taller(h, 0)
		}
	}
}

// direction is what may follow an ORDER BY expression.
type direction struct {
	desc   bool
	nulls  string // "", "first" or "last"
	using  string
	schema string
}

func (d direction) payload() string {
	dir := "asc"
	if d.desc {
		dir = "desc"
	}
	switch {
	case d.using != "":
		return fields(dir, d.nulls, d.using, d.schema)
	case d.nulls != "":
		return fields(dir, d.nulls)
	}
	return dir
}

// orderItem emits the expression of an ORDER BY item and reads the rest.
func (p *translator) orderItem() (ex, direction) {
	e := p.expr()
	var d direction
	switch {
	case p.accept(lex.KAsc):
	case p.accept(lex.KDesc):
		d.desc = true
	case p.accept(lex.KUsing):
		if p.kw() == lex.KOperator {
			d.using, d.schema = p.operatorName()
		} else {
			if p.kind() != lex.Op {
				p.syntaxError()
			}
			d.using = p.lx.Raw(*p.tok())
			p.next()
		}
	}
	if p.kw() == lex.KNulls {
		switch p.peek(1).Keyword {
		case lex.KFirst:
			d.nulls = "first"
		case lex.KLast:
			d.nulls = "last"
		default:
			p.next()
			p.syntaxError()
		}
		p.i += 2
	}
	return e, d
}
