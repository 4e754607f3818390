package translate

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
)

// insert emits INSERT or UPSERT. What MySQL's INSERT cannot hold goes into one
// call that is assigned to a pseudo column at its end:
//
//	INSERT INTO t PARTITION (`alias␀pos␀flags␀columns' positions`) (a, b)
//	VALUES (1, 2) ON DUPLICATE KEY UPDATE `␀ext` = `␀ext`.`_`(…)
func (p *Translator) insert(with []piece) {
	upsert := p.Keyword() != lex.KInsert
	p.rawAt("INSERT INTO ", p.Offset())
	p.Next()
	p.takeHint()
	p.Expect(lex.KInto)
	pos := p.Here()
	p.tableName()
	alias := ""
	if p.Accept(lex.KAs) {
		alias = p.ColID()
	}
	var flags []byte
	if upsert {
		flags = append(flags, marker.FlagUpsert)
	}
	p.insertExt(with, p.insertRows(alias, pos, flags, p.insertSource))
}

// insertRows emits what follows INSERT's table, with source for the rows. It gives the columns
// where the grammar has no place for them.
func (p *Translator) insertRows(alias string, pos int, flags []byte, source func()) (targets []piece) {
	upsert := len(flags) > 0
	var cols insertColumns
	if p.Kind() == lex.LParen && !p.IsSubquery() {
		cols = p.insertColumns(upsert)
	}
	if p.Accept(lex.KOverriding) {
		switch {
		case p.Accept(lex.KSystem):
			flags = append(flags, marker.FlagSystem)
		case p.Accept(lex.KUser):
			flags = append(flags, marker.FlagUser)
		default:
			p.SyntaxError()
		}
		p.Expect(lex.KValue)
	}
	defaults := false
	if p.Keyword() == lex.KDefault && cols.pos == nil && p.Tokens[p.At-1].Keyword != lex.KValue {
		p.Next()
		p.Expect(lex.KValues)
		defaults = true
		flags = append(flags, marker.FlagDefaults)
	}
	p.raw(" PARTITION (")
	buf := make([]byte, 0, len(alias)+24+len(cols.pos))
	buf = append(append(buf, alias...), 0)
	buf = append(strconv.AppendInt(buf, int64(pos), 10), 0)
	buf = append(append(buf, flags...), 0)
	p.ident(string(append(buf, cols.pos...)), -1)
	p.raw(") ")
	if len(cols.names) > 0 {
		p.raw("(")
		p.paste(cols.names)
		p.raw(") ")
	}
	if defaults {
		p.raw("VALUES ()")
	} else {
		source()
	}
	return cols.targets
}

// insertColumns are the pieces of INSERT's column list.
type insertColumns struct {
	names   []piece // `a`, `cf`.`b`
	pos     []byte  // their positions, separated by commas
	targets []piece // all columns as targets, where one has a type or subscript
}

// insertColumns reads ( a, cf.b, c[1] ); UPSERT may have dynamic columns, d
// VARCHAR.
func (p *Translator) insertColumns(dynamic bool) insertColumns {
	p.Next()
	at := p.Mark()
	var c insertColumns
	first, complex := p.At, false
	for {
		c.pos = strconv.AppendInt(c.pos, int64(p.Here()), 10)
		c.pos = append(c.pos, ',')
		src := p.Offset()
		p.ident(p.ColID(), src)
		if p.AcceptKind(lex.Dot) {
			p.raw(".")
			p.ident(p.Label(), -1)
		}
		if k := p.Kind(); k != lex.Comma && k != lex.RParen {
			complex = true
			break
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	if !complex {
		p.ExpectKind(lex.RParen)
		c.names = p.cut(at)
		return c
	}
	p.pieces = p.pieces[:at]
	p.At = first
	c.pos = c.pos[:0]
	for {
		tat, quoted := p.Mark(), p.quotedNames()
		p.target()
		if k := p.Kind(); dynamic && k != lex.Comma && k != lex.RParen {
			ty, flags := p.dynamicType(quoted)
			p.wrapMarker(tat, marker.MTyped, fields(ty, flags), -1)
			p.raw(")")
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.ExpectKind(lex.RParen)
	c.targets = p.cut(at)
	return c
}

// target emits a column that is written, with its subscripts.
func (p *Translator) target() {
	at := p.Mark()
	src := p.Offset()
	p.ident(p.ColID(), src)
	if p.Kind() == lex.Dot {
		p.Next()
		p.raw(".")
		p.ident(p.Label(), -1)
	}
	p.indirection(at, Expr{})
}

// insertSource emits VALUES or a query. A plain VALUES list is MySQL's own,
// and may hold DEFAULT; with anything after it, it is a query.
func (p *Translator) insertSource() {
	if p.Keyword() == lex.KValues {
		begin, at := p.At, p.Mark()
		p.insertValues()
		switch p.Keyword() {
		case lex.KUnion, lex.KIntersect, lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor:
			p.At, p.pieces = begin, p.pieces[:at]
		default:
			return
		}
	}
	if !StartsQuery(p.Token()) && p.Kind() != lex.LParen {
		p.SyntaxError()
	}
	p.raw("(")
	p.FullQuery()
	p.raw(")")
}

func (p *Translator) insertValues() {
	p.rawAt("VALUES ", p.Offset())
	p.Next()
	for {
		p.valuesRow()
		if !p.AcceptKind(lex.Comma) {
			return
		}
		p.raw(", ")
	}
}

// valuesRow emits one row of VALUES.
func (p *Translator) valuesRow() {
	p.ExpectKind(lex.LParen)
	p.raw("(")
	for {
		if p.Keyword() == lex.KDefault {
			p.rawAt("DEFAULT", p.Offset())
			p.Next()
		} else {
			p.Expr()
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.ExpectKind(lex.RParen)
	p.raw(")")
}

// insertExt emits what MySQL's INSERT has no place for.
func (p *Translator) insertExt(with, targets []piece) {
	at := p.Mark()
	if with != nil {
		p.open(marker.MWith, marker.Nothing, -1)
		p.raw("(")
		p.paste(with)
		p.raw("SELECT 1))")
	}
	if targets != nil {
		p.comma(at)
		p.open(marker.MColumns, marker.Nothing, -1)
		p.paste(targets)
		p.raw(")")
	}
	if p.Keyword() == lex.KOn {
		p.comma(at)
		p.conflict()
	}
	if p.Keyword() == lex.KReturning {
		p.comma(at)
		p.returning()
	}
	if p.Mark() > at {
		ext := p.cut(at)
		p.raw(" ON DUPLICATE KEY UPDATE `" + marker.TExt + "` = ")
		p.open(marker.MExt, marker.Nothing, -1)
		p.paste(ext)
		p.raw(")")
	}
}

// setList emits the assignments of SET: as arguments, or (of UPDATE) each
// assigned to the pseudo column.
func (p *Translator) setList(native bool) {
	for {
		if native {
			p.raw("`" + marker.TSet + "` = ")
		}
		p.assignment()
		if !p.AcceptKind(lex.Comma) {
			return
		}
		p.raw(", ")
	}
}

func (p *Translator) assignment() {
	src := p.Offset()
	payload := marker.Nothing
	at := p.Mark()
	if p.AcceptKind(lex.LParen) {
		payload = "multi"
		for {
			p.target()
			if !p.AcceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.ExpectKind(lex.RParen)
	} else {
		p.target()
	}
	if !p.AcceptOp(lex.OpEQ) {
		p.SyntaxError()
	}
	p.raw(", ")
	if p.Keyword() == lex.KDefault {
		p.call(marker.MDefault, marker.Nothing, p.Offset())
		p.Next()
	} else {
		if payload == "multi" {
			p.multi = p.At
		}
		p.Expr()
		p.multi = -1
	}
	p.wrapMarker(at, marker.MSet, payload, src)
	p.raw(")")
}

// returning emits RETURNING.
func (p *Translator) returning() {
	p.open(marker.MReturning, marker.Nothing, p.Offset())
	p.Next()
	for {
		if n := p.wildcard(); n > 0 {
			f := []string{marker.Nothing}
			if n == 5 {
				f = append(f, p.Name(p.Peek(2)))
			}
			if n > 1 {
				f = append(f, p.Name(p.Token()))
			}
			p.call(marker.MWild, fields(f...), p.Offset())
			p.At += n
		} else {
			p.returningItem()
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.raw(")")
}

func (p *Translator) returningItem() {
	src := p.Offset()
	at := p.Mark()
	e := p.Expr()
	label := "?column?"
	if e.Strong > 0 {
		label = e.Name
	}
	switch {
	case p.Accept(lex.KAs):
		label = p.Label()
	case cursor.IsBareLabel(p.Token()):
		label = p.Label()
	}
	p.wrapMarker(at, marker.MAs, label, src)
	p.raw(")")
}
