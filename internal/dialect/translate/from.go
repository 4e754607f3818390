package translate

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// Long because FROM is one recursion: a table, a join, a subquery and a function may each
// hold any of the others.

// fromList emits the comma list of FROM.
func (p *Translator) fromList() int32 {
	var h int32
	for {
		h = p.Taller(h, p.tableRef())
		if !p.AcceptKind(lex.Comma) {
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
func (p *Translator) joinKind() (j joinWords, ok bool) {
	if p.Keyword() == lex.KNatural {
		j.natural = true
		p.Next()
	} else if p.Keyword() == lex.KCross {
		p.Next()
		p.Expect(lex.KJoin)
		return joinWords{text: " CROSS JOIN ", cross: true}, true
	}
	j.text = " JOIN "
	switch p.Keyword() {
	case lex.KLeft:
		j.text = " LEFT JOIN "
	case lex.KRight:
		j.text = " RIGHT JOIN "
	case lex.KFull:
		j.text, j.full = " STRAIGHT_JOIN ", true
	case lex.KInner:
	case lex.KJoin:
		p.Next()
		return j, true
	default:
		if j.natural {
			p.SyntaxError()
		}
		return j, false
	}
	inner := p.Keyword() == lex.KInner
	p.Next()
	if !inner {
		p.Accept(lex.KOuter)
	}
	p.Expect(lex.KJoin)
	return j, true
}

// tableRef emits a table with the joins that follow it, each in parentheses.
func (p *Translator) tableRef() int32 {
	p.Enter()
	at := p.Mark()
	h := p.tablePrimary()
	for {
		src := p.Offset()
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
			h = p.Taller(h, p.tablePrimary())
		} else {
			h = p.Taller(h, p.tableRef())
		}
		switch {
		case j.cross:
		case j.natural:
			if j.full {
				p.raw(" ON ")
				p.call(marker.MNatural, marker.Nothing, -1)
			}
		case p.Accept(lex.KOn):
			p.raw(" ON ")
			h = max(h, p.Expr().h)
		case p.Accept(lex.KUsing):
			p.raw(" USING")
			p.columnNames(p.ColIDList())
			if p.Accept(lex.KAs) {
				p.raw(")")
				p.wrap(at, "(", -1)
				pos := p.Here()
				p.raw(" CROSS JOIN `" + marker.TUsingAlias + "` AS ")
				p.alias(p.ColID(), pos)
			}
		default:
			p.SyntaxError()
		}
		p.raw(")")
	}
	p.Leave()
	return p.Taller(h, 0)
}

// tablePrimary emits one item of FROM without joins.
func (p *Translator) tablePrimary() int32 {
	t := p.Token()
	switch t.Keyword {
	case lex.KLateral:
		p.Next()
		if p.Kind() == lex.LParen {
			if !p.IsSubquery() {
				p.Next()
				p.SyntaxError()
			}
			return p.derived(true)
		}
		return p.functionRef(true)
	case lex.KRows:
		if p.Peek(1).Keyword == lex.KFrom && p.Peek(2).Kind == lex.LParen {
			return p.functionRef(false)
		}
	case lex.KOnly:
		p.relation(false)
		return 0
	case lex.KXmltable:
		p.special()
	}
	if t.Kind == lex.LParen {
		if p.IsSubquery() {
			return p.derived(false)
		}
		return p.joinInParens()
	}
	n := 1
	for cursor.IsLabel(t) && p.Peek(n).Kind == lex.Dot && cursor.IsLabel(p.Peek(n+1)) {
		n += 2
	}
	if cursor.IsColID(t) && (p.Peek(n).Kind != lex.LParen || p.dynamicColumns(n)) {
		return p.relation(false)
	}
	return p.functionRef(false)
}

// dynamicColumns tells whether the parenthesis n tokens on begins Phoenix's
// list of dynamic columns, name TYPE, rather than arguments.
func (p *Translator) dynamicColumns(n int) bool {
	n++
	if !cursor.IsColID(p.Peek(n)) {
		return false
	}
	n++
	if p.Peek(n).Kind == lex.Dot {
		n += 2
	}
	t := p.Peek(n)
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
func (p *Translator) joinInParens() int32 {
	p.Enter()
	at := p.Mark()
	p.Next()
	first := p.At
	h := p.tableRef()
	if p.pieces[at].prefix == 0 && p.Tokens[first].Kind != lex.LParen {
		// A table alone may not stand in parentheses.
		p.SyntaxError()
	}
	p.ExpectKind(lex.RParen)
	if p.Keyword() == lex.KAs || cursor.IsColID(p.Token()) {
		a := p.aliasClause(false)
		p.wrap(at, "(", -1)
		p.raw(" CROSS JOIN `" + marker.TJoinAlias + "` AS ")
		p.emitAlias(a)
		p.raw(")")
	}
	p.Leave()
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
func (p *Translator) aliasClause(function bool) alias {
	var a alias
	as := p.Accept(lex.KAs)
	switch {
	case as && function && p.Kind() == lex.LParen:
		a.columns, a.defs = p.colDefs(), true
		return a
	case as || cursor.IsColID(p.Token()):
		a.name = p.ColID()
	default:
		return a
	}
	if p.Kind() != lex.LParen {
		return a
	}
	if k := p.Peek(2).Kind; function && cursor.IsColID(p.Peek(1)) && k != lex.Comma && k != lex.RParen {
		a.columns, a.defs = p.colDefs(), true
		return a
	}
	a.columns = p.ColIDList()
	return a
}

// tableAlias is aliasClause of a table, behind whose alias dynamic columns may stand.
func (p *Translator) tableAlias() alias {
	n := 0
	if p.Keyword() == lex.KAs {
		n = 1
	}
	if !cursor.IsColID(p.Peek(n)) || p.Peek(n+1).Kind != lex.LParen || !p.dynamicColumns(n+1) {
		return p.aliasClause(false)
	}
	p.At += n
	a := alias{name: p.ColID(), defs: true}
	a.columns = p.colDefs()
	return a
}

// colDefs reads ( name type [COLLATE c], … ) into five fields each: family,
// name, type text, collation, flags.
func (p *Translator) colDefs() []string {
	p.ExpectKind(lex.LParen)
	var f []string
	for {
		flags := p.quotedNames()
		family, name := "", p.ColID()
		if p.AcceptKind(lex.Dot) {
			family, name = name, p.Label()
		}
		ty, flags := p.dynamicType(flags)
		collation := ""
		if p.Accept(lex.KCollate) {
			collation = p.AnyName().Name
		}
		f = append(f, family, name, ty, collation, flags)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return f
}

// quotedNames says which names of [family.]column here are quoted.
func (p *Translator) quotedNames() string {
	name, quoted := 0, ""
	if p.Peek(1).Kind == lex.Dot {
		name = 2
		if p.Kind() == lex.QuotedID {
			quoted += string(marker.FlagQuotedFamily)
		}
	}
	if p.Peek(name).Kind == lex.QuotedID {
		quoted += string(marker.FlagQuoted)
	}
	return quoted
}

// dynamicType reads a type and adds what its text does not say to the flags.
func (p *Translator) dynamicType(flags string) (text, with string) {
	ty := p.TypeName()
	if ty.Bare {
		flags += string(marker.FlagBare)
	}
	return ty.String(), flags
}

// emitAlias emits the identifier that carries an alias.
func (p *Translator) emitAlias(a alias) {
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
func (p *Translator) relation(bare bool) int32 {
	var a alias
	if p.Accept(lex.KOnly) {
		a.flags = string(marker.FlagOnly)
		if p.AcceptKind(lex.LParen) {
			a.pos = p.Here()
			p.tableName()
			p.ExpectKind(lex.RParen)
			return p.relationTail(a, bare)
		}
	}
	a.pos = p.Here()
	p.tableName()
	if a.flags == "" {
		p.AcceptOp(lex.OpMul)
	}
	if p.Kind() == lex.LParen && !bare {
		a.columns, a.defs = p.colDefs(), true
	}
	return p.relationTail(a, bare)
}

// relationTail reads what follows a table's name. Phoenix's dynamic columns stand before
// the alias or behind it.
func (p *Translator) relationTail(a alias, bare bool) int32 {
	if !bare {
		b := p.tableAlias()
		if a.defs {
			if len(b.columns) > 0 {
				p.SyntaxError()
			}
			b.columns, b.defs = a.columns, true
		}
		b.pos, b.flags = a.pos, a.flags
		a = b
	}
	p.raw(" AS ")
	p.emitAlias(a)
	if !bare && p.Keyword() == lex.KTablesample {
		return p.tableSample(a)
	}
	return 0
}

// tableName emits [schema.]name.
func (p *Translator) tableName() tree.Name {
	src := p.Offset()
	n := p.Qualified()
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
func (p *Translator) tableSample(alias) int32 {
	at := p.sampleAt()
	table := p.cut(at)
	src := p.Offset()
	p.Next()
	p.raw("LATERAL (SELECT ")
	method := "system" // Phoenix's TABLESAMPLE (n) names none
	if p.Kind() != lex.LParen {
		method = p.Qualified().Name
	}
	p.open(marker.MSample, method, src)
	begin := p.Mark()
	p.ExpectKind(lex.LParen)
	h := p.exprList(0)
	p.ExpectKind(lex.RParen)
	if p.Accept(lex.KRepeatable) {
		p.comma(begin)
		p.open(marker.MRepeatable, marker.Nothing, -1)
		p.ExpectKind(lex.LParen)
		h = max(h, p.Expr().h)
		p.ExpectKind(lex.RParen)
		p.raw(")")
	}
	p.raw(") FROM ")
	p.paste(table)
	p.raw(") AS `" + marker.MSample + "`")
	return p.Taller(h, 0)
}

// sampleAt finds the first piece of the table that ends the output.
func (p *Translator) sampleAt() int {
	n := len(p.pieces) - 3 // name AS alias
	if n >= 2 && p.pieces[n-1].mode == pieceRaw && p.pieces[n-1].text == "." {
		n -= 2
	}
	return n
}

// derived emits a subquery in FROM.
func (p *Translator) derived(lateral bool) int32 {
	pos := p.Here()
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
func (p *Translator) functionRef(lateral bool) int32 {
	var flags []byte
	if lateral {
		flags = append(flags, marker.FlagLateral)
	}
	pos := p.Here()
	src := p.Offset()
	at := p.Mark()
	var h int32
	name := ""
	if p.Keyword() == lex.KRows && p.Peek(1).Keyword == lex.KFrom {
		flags = append(flags, marker.FlagRowsFrom)
		p.At += 2
		p.ExpectKind(lex.LParen)
		for {
			fat := p.Mark()
			e := p.functionItem()
			if name == "" {
				name = e.Name
			}
			h = max(h, e.h)
			if p.Accept(lex.KAs) {
				p.wrapMarker(fat, marker.MColDefs, fields(p.colDefs()...), -1)
				p.raw(")")
			}
			if !p.AcceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.ExpectKind(lex.RParen)
	} else {
		e := p.functionItem()
		name, h = e.Name, e.h
	}
	if p.Accept2(lex.KWith, lex.KOrdinality) {
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
	return p.Taller(h, 0)
}

// functionItem emits the call of a function in FROM.
func (p *Translator) functionItem() Expr {
	t := p.Token()
	if t.Kind != lex.Ident && t.Kind != lex.QuotedID {
		p.SyntaxError()
	}
	begin := p.At
	e := p.primaryCall()
	if e.Strong == 0 || p.At == begin {
		p.SyntaxErrorAt(begin)
	}
	return e
}

// primaryCall emits a call by name, or one of the calls with a syntax of their
// own.
func (p *Translator) primaryCall() Expr {
	if e, ok := p.special(); ok {
		return e
	}
	if p.Keyword() == lex.KCast {
		return p.castCall()
	}
	n := 1
	for p.Peek(n).Kind == lex.Dot && cursor.IsLabel(p.Peek(n+1)) {
		n += 2
	}
	if p.Peek(n).Kind != lex.LParen {
		p.At += n
		p.SyntaxError()
	}
	if !isFuncOrDotted(p.Token(), n) {
		p.SyntaxError()
	}
	return p.function(n)
}
