package dialect

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// fromList emits the comma list of FROM.
func (p *translator) fromList() int32 {
	var h int32
	for {
		h = p.taller(h, p.tableRef())
		if !p.acceptKind(lex.Comma) {
			return h
		}
		p.raw(", ")
	}
}

// joinWords are the ways to write a join's kind.
type joinWords struct {
	text    string // MySQL's spelling
	natural bool
	full    bool
	cross   bool
}

// joinKind reads the words before the right side of a join.
func (p *translator) joinKind() (j joinWords, ok bool) {
	if p.kw() == lex.KNatural {
		j.natural = true
		p.next()
	} else if p.kw() == lex.KCross {
		p.next()
		p.expect(lex.KJoin)
		return joinWords{text: " CROSS JOIN ", cross: true}, true
	}
	j.text = " JOIN "
	switch p.kw() {
	case lex.KLeft:
		j.text = " LEFT JOIN "
	case lex.KRight:
		j.text = " RIGHT JOIN "
	case lex.KFull:
		j.text, j.full = " STRAIGHT_JOIN ", true
	case lex.KInner:
	case lex.KJoin:
		p.next()
		return j, true
	default:
		if j.natural {
			p.syntaxError()
		}
		return j, false
	}
	inner := p.kw() == lex.KInner
	p.next()
	if !inner {
		p.accept(lex.KOuter)
	}
	p.expect(lex.KJoin)
	return j, true
}

// tableRef emits a table with the joins that follow it, each in parentheses.
func (p *translator) tableRef() int32 {
	p.enter()
	at := p.mark()
	h := p.tablePrimary()
	for {
		src := p.src()
		j, ok := p.joinKind()
		if !ok {
			break
		}
		p.wrap(at, "(", -1)
		if j.natural && !j.full {
			p.rawAt(" NATURAL", src)
			p.raw(j.text)
		} else {
			p.rawAt(j.text, src)
		}
		if j.cross || j.natural {
			h = p.taller(h, p.tablePrimary())
		} else {
			h = p.taller(h, p.tableRef())
		}
		switch {
		case j.cross:
		case j.natural:
			if j.full {
				p.raw(" ON ")
				p.call(marker.MNatural, marker.Nothing, -1)
			}
		case p.accept(lex.KOn):
			p.raw(" ON ")
			h = max(h, p.expr().h)
		case p.accept(lex.KUsing):
			p.raw(" USING")
			p.columnNames(p.colIDList())
			if p.accept(lex.KAs) {
				p.raw(")")
				p.wrap(at, "(", -1)
				pos := p.here()
				p.raw(" CROSS JOIN `" + marker.TUsingAlias + "` AS ")
				p.alias(p.colID(), pos)
			}
		default:
			p.syntaxError()
		}
		p.raw(")")
	}
	p.leave()
	return p.taller(h, 0)
}

// tablePrimary emits one item of FROM without joins.
func (p *translator) tablePrimary() int32 {
	t := p.tok()
	switch t.Keyword {
	case lex.KLateral:
		p.next()
		if p.kind() == lex.LParen {
			if !p.isSubquery() {
				p.next()
				p.syntaxError()
			}
			return p.derived(true)
		}
		return p.functionRef(true)
	case lex.KRows:
		if p.peek(1).Keyword == lex.KFrom && p.peek(2).Kind == lex.LParen {
			return p.functionRef(false)
		}
	case lex.KOnly:
		p.relation(false)
		return 0
	case lex.KXmltable:
		p.special()
	}
	if t.Kind == lex.LParen {
		if p.isSubquery() {
			return p.derived(false)
		}
		return p.joinInParens()
	}
	n := 1
	for isLabel(t) && p.peek(n).Kind == lex.Dot && isLabel(p.peek(n+1)) {
		n += 2
	}
	if isColID(t) && (p.peek(n).Kind != lex.LParen || p.dynamicColumns(n)) {
		return p.relation(false)
	}
	return p.functionRef(false)
}

// dynamicColumns tells whether the parenthesis n tokens on begins Phoenix's
// list of dynamic columns, name TYPE, rather than arguments.
func (p *translator) dynamicColumns(n int) bool {
	n++
	if !isColID(p.peek(n)) {
		return false
	}
	n++
	if p.peek(n).Kind == lex.Dot {
		n += 2
	}
	t := p.peek(n)
	if t.Kind != lex.Ident {
		return false
	}
	switch t.Keyword {
	case 0, lex.KInt, lex.KInteger, lex.KSmallint, lex.KBigint, lex.KReal, lex.KBoolean, lex.KFloat,
		lex.KDecimal, lex.KDec, lex.KNumeric, lex.KVarchar, lex.KBit, lex.KCharacter, lex.KChar,
		lex.KDouble, lex.KTime, lex.KTimestamp, lex.KText, lex.KBinary:
		return true
	}
	return false
}

// joinInParens emits ( join ) [AS alias (columns)].
func (p *translator) joinInParens() int32 {
	p.enter()
	at := p.mark()
	p.next()
	first := p.i
	h := p.tableRef()
	if p.pieces[at].prefix == 0 && p.toks[first].Kind != lex.LParen {
		// A table alone may not stand in parentheses.
		p.syntaxError()
	}
	p.expectKind(lex.RParen)
	if p.kw() == lex.KAs || isColID(p.tok()) {
		a := p.aliasClause(false)
		p.wrap(at, "(", -1)
		p.raw(" CROSS JOIN `" + marker.TJoinAlias + "` AS ")
		p.emitAlias(a)
		p.raw(")")
	}
	p.leave()
	return h
}

// alias is a parsed alias clause.
type alias struct {
	name    string
	pos     int
	flags   string
	columns []string // names, or the fields of column definitions
	defs    bool
}

// aliasClause reads [AS] name [(columns)]; functions may also have AS (column
// definitions). The name is "" when no clause is there.
func (p *translator) aliasClause(function bool) alias {
	var a alias
	as := p.accept(lex.KAs)
	switch {
	case as && function && p.kind() == lex.LParen:
		a.columns, a.defs = p.colDefs(), true
		return a
	case as || isColID(p.tok()):
		a.name = p.colID()
	default:
		return a
	}
	if p.kind() != lex.LParen {
		return a
	}
	if k := p.peek(2).Kind; function && isColID(p.peek(1)) && k != lex.Comma && k != lex.RParen {
		a.columns, a.defs = p.colDefs(), true
		return a
	}
	a.columns = p.colIDList()
	return a
}

// colDefs reads ( name type [COLLATE c], … ) into four fields each: family,
// name, type text, collation.
func (p *translator) colDefs() []string {
	p.expectKind(lex.LParen)
	var f []string
	for {
		family, name := "", p.colID()
		if p.acceptKind(lex.Dot) {
			family, name = name, p.label()
		}
		ty := p.typeName().String()
		collation := ""
		if p.accept(lex.KCollate) {
			collation = p.anyName().Name
		}
		f = append(f, family, name, ty, collation)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return f
}

// emitAlias emits the identifier that carries an alias.
func (p *translator) emitAlias(a alias) {
	flags := a.flags
	if len(a.columns) > 0 {
		if a.defs {
			flags += string(marker.FlagColDefs)
		} else {
			flags += string(marker.FlagColumns)
		}
	}
	if flags == "" {
		p.alias(a.name, a.pos)
		return
	}
	f := append([]string{a.name, strconv.Itoa(a.pos), flags}, a.columns...)
	p.ident(fields(f...), -1)
}

// relation emits a table by name with its alias. A bare one (TABLE t) takes no
// alias.
func (p *translator) relation(bare bool) int32 {
	var a alias
	if p.accept(lex.KOnly) {
		a.flags = string(marker.FlagOnly)
		if p.acceptKind(lex.LParen) {
			a.pos = p.here()
			p.tableName()
			p.expectKind(lex.RParen)
			return p.relationTail(a, bare)
		}
	}
	a.pos = p.here()
	at := p.mark()
	p.tableName()
	if a.flags == "" {
		p.acceptOp(lex.OpMul)
	}
	if p.kind() == lex.LParen && !bare {
		dyn := p.colDefs()
		b := p.aliasClause(false)
		if len(b.columns) > 0 {
			p.syntaxError()
		}
		b.pos, b.flags, b.columns, b.defs = a.pos, a.flags, dyn, true
		p.raw(" AS ")
		p.emitAlias(b)
		return 0
	}
	_ = at
	return p.relationTail(a, bare)
}

func (p *translator) relationTail(a alias, bare bool) int32 {
	if !bare {
		b := p.aliasClause(false)
		b.pos, b.flags = a.pos, a.flags
		a = b
	}
	p.raw(" AS ")
	p.emitAlias(a)
	if !bare && p.kw() == lex.KTablesample {
		return p.tableSample(a)
	}
	return 0
}

// tableName emits [schema.]name.
func (p *translator) tableName() tree.Name {
	src := p.src()
	n := p.qualified()
	if n.Schema != "" {
		p.ident(n.Schema, src)
		p.raw(".")
		p.ident(n.Name, -1)
	} else {
		p.ident(n.Name, src)
	}
	return n
}

// tableSample wraps the table just emitted: the sample's method and arguments
// are the only item of a SELECT from it. The table is name [. name] AS alias:
// the last four to six pieces.
func (p *translator) tableSample(alias) int32 {
	at := p.sampleAt()
	table := p.cut(at)
	src := p.src()
	p.next()
	p.raw("LATERAL (SELECT ")
	p.open(marker.MSample, p.qualified().Name, src)
	begin := p.mark()
	p.expectKind(lex.LParen)
	h := p.exprList(0)
	p.expectKind(lex.RParen)
	if p.accept(lex.KRepeatable) {
		p.comma(begin)
		p.open(marker.MRepeatable, marker.Nothing, -1)
		p.expectKind(lex.LParen)
		h = max(h, p.expr().h)
		p.expectKind(lex.RParen)
		p.raw(")")
	}
	p.raw(") FROM ")
	p.paste(table)
	p.raw(") AS `" + marker.MSample + "`")
	return p.taller(h, 0)
}

// sampleAt finds the first piece of the table that ends the output.
func (p *translator) sampleAt() int {
	n := len(p.pieces) - 3 // name AS alias
	if n >= 2 && p.pieces[n-1].mode == pieceRaw && p.pieces[n-1].text == "." {
		n -= 2
	}
	return n
}

// derived emits a subquery in FROM.
func (p *translator) derived(lateral bool) int32 {
	pos := p.here()
	if lateral {
		p.raw("LATERAL ")
	}
	e := p.subquery()
	a := p.aliasClause(false)
	a.pos = pos
	p.raw(" AS ")
	p.emitAlias(a)
	return e.h
}

// functionRef emits a function, or ROWS FROM ( functions ).
func (p *translator) functionRef(lateral bool) int32 {
	var flags []byte
	if lateral {
		flags = append(flags, marker.FlagLateral)
	}
	pos := p.here()
	src := p.src()
	at := p.mark()
	var h int32
	name := ""
	if p.kw() == lex.KRows && p.peek(1).Keyword == lex.KFrom {
		flags = append(flags, marker.FlagRowsFrom)
		p.i += 2
		p.expectKind(lex.LParen)
		for {
			fat := p.mark()
			e := p.functionItem()
			if name == "" {
				name = e.name
			}
			h = max(h, e.h)
			if p.accept(lex.KAs) {
				p.wrapMarker(fat, marker.MColDefs, fields(p.colDefs()...), -1)
				p.raw(")")
			}
			if !p.acceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.expectKind(lex.RParen)
	} else {
		e := p.functionItem()
		name, h = e.name, e.h
	}
	if p.accept2(lex.KWith, lex.KOrdinality) {
		flags = append(flags, marker.FlagOrdinality)
	}
	a := p.aliasClause(true)
	a.pos = pos
	if a.name == "" {
		a.name = name
		a.flags = string(marker.FlagImplicit)
	}
	kind := marker.Nothing
	if len(flags) > 0 {
		kind = string(flags)
	}
	p.wrapMarker(at, marker.MFrom, kind, src)
	p.wrap(at, "LATERAL (SELECT ", -1)
	p.raw(")) AS ")
	p.emitAlias(a)
	return p.taller(h, 0)
}

// functionItem emits the call of a function in FROM.
func (p *translator) functionItem() ex {
	t := p.tok()
	if t.Kind != lex.Ident && t.Kind != lex.QuotedID {
		p.syntaxError()
	}
	begin := p.i
	e := p.primaryCall()
	if e.strong == 0 || p.i == begin {
		p.syntaxErrorAt(begin)
	}
	return e
}

// primaryCall emits a call by name, or one of the calls with a syntax of their
// own.
func (p *translator) primaryCall() ex {
	if e, ok := p.special(); ok {
		return e
	}
	if p.kw() == lex.KCast {
		return p.castCall()
	}
	n := 1
	for p.peek(n).Kind == lex.Dot && isLabel(p.peek(n+1)) {
		n += 2
	}
	if p.peek(n).Kind != lex.LParen {
		p.i += n
		p.syntaxError()
	}
	if !isFuncOrDotted(p.tok(), n) {
		p.syntaxError()
	}
	return p.function(n)
}
