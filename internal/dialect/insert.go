package dialect

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// insert emits INSERT or UPSERT. What MySQL's INSERT cannot hold goes into one
// call that is assigned to a pseudo column at its end:
//
//	INSERT INTO t PARTITION (`alias␀pos␀flags␀columns' positions`) (a, b)
//	VALUES (1, 2) ON DUPLICATE KEY UPDATE `␀ext` = `␀ext`.`_`(…)
func (p *translator) insert(with []piece) {
	upsert := p.kw() != lex.KInsert
	p.rawAt("INSERT INTO ", p.src())
	p.next()
	p.takeHint()
	p.expect(lex.KInto)
	pos := p.here()
	p.tableName()
	alias := ""
	if p.accept(lex.KAs) {
		alias = p.colID()
	}
	var flags []byte
	if upsert {
		flags = append(flags, marker.FlagUpsert)
	}
	p.insertExt(with, p.insertRows(alias, pos, flags, p.insertSource))
}

// insertRows emits what follows INSERT's table, with source for the rows. It gives the columns
// where the grammar has no place for them.
func (p *translator) insertRows(alias string, pos int, flags []byte, source func()) (targets []piece) {
	upsert := len(flags) > 0
	var cols insertColumns
	if p.kind() == lex.LParen && !p.isSubquery() {
		cols = p.insertColumns(upsert)
	}
	if p.accept(lex.KOverriding) {
		switch {
		case p.accept(lex.KSystem):
			flags = append(flags, marker.FlagSystem)
		case p.accept(lex.KUser):
			flags = append(flags, marker.FlagUser)
		default:
			p.syntaxError()
		}
		p.expect(lex.KValue)
	}
	defaults := false
	if p.kw() == lex.KDefault && cols.pos == nil && p.toks[p.i-1].Keyword != lex.KValue {
		p.next()
		p.expect(lex.KValues)
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
func (p *translator) insertColumns(dynamic bool) insertColumns {
	p.next()
	at := p.mark()
	var c insertColumns
	first, complex := p.i, false
	for {
		c.pos = strconv.AppendInt(c.pos, int64(p.here()), 10)
		c.pos = append(c.pos, ',')
		src := p.src()
		p.ident(p.colID(), src)
		if p.acceptKind(lex.Dot) {
			p.raw(".")
			p.ident(p.label(), -1)
		}
		if k := p.kind(); k != lex.Comma && k != lex.RParen {
			complex = true
			break
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	if !complex {
		p.expectKind(lex.RParen)
		c.names = p.cut(at)
		return c
	}
	p.pieces = p.pieces[:at]
	p.i = first
	c.pos = c.pos[:0]
	for {
		tat := p.mark()
		p.target()
		if k := p.kind(); dynamic && k != lex.Comma && k != lex.RParen {
			p.wrapMarker(tat, marker.MTyped, p.typeName().String(), -1)
			p.raw(")")
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.expectKind(lex.RParen)
	c.targets = p.cut(at)
	return c
}

// target emits a column that is written, with its subscripts.
func (p *translator) target() {
	at := p.mark()
	src := p.src()
	p.ident(p.colID(), src)
	if p.kind() == lex.Dot {
		p.next()
		p.raw(".")
		p.ident(p.label(), -1)
	}
	p.indirection(at, ex{})
}

// insertSource emits VALUES or a query. A plain VALUES list is MySQL's own,
// and may hold DEFAULT; with anything after it, it is a query.
func (p *translator) insertSource() {
	if p.kw() == lex.KValues {
		begin, at := p.i, p.mark()
		p.insertValues()
		switch p.kw() {
		case lex.KUnion, lex.KIntersect, lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor:
			p.i, p.pieces = begin, p.pieces[:at]
		default:
			return
		}
	}
	if !startsQuery(p.tok()) && p.kind() != lex.LParen {
		p.syntaxError()
	}
	p.raw("(")
	p.fullQuery()
	p.raw(")")
}

func (p *translator) insertValues() {
	p.rawAt("VALUES ", p.src())
	p.next()
	for {
		p.valuesRow()
		if !p.acceptKind(lex.Comma) {
			return
		}
		p.raw(", ")
	}
}

// valuesRow emits one row of VALUES.
func (p *translator) valuesRow() {
	p.expectKind(lex.LParen)
	p.raw("(")
	for {
		if p.kw() == lex.KDefault {
			p.rawAt("DEFAULT", p.src())
			p.next()
		} else {
			p.expr()
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.expectKind(lex.RParen)
	p.raw(")")
}

// insertExt emits what MySQL's INSERT has no place for.
func (p *translator) insertExt(with, targets []piece) {
	at := p.mark()
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
	if p.kw() == lex.KOn {
		p.comma(at)
		p.conflict()
	}
	if p.kw() == lex.KReturning {
		p.comma(at)
		p.returning()
	}
	if p.mark() > at {
		ext := p.cut(at)
		p.raw(" ON DUPLICATE KEY UPDATE `" + marker.TExt + "` = ")
		p.open(marker.MExt, marker.Nothing, -1)
		p.paste(ext)
		p.raw(")")
	}
}

// conflict emits ON CONFLICT … or ON DUPLICATE KEY ….
func (p *translator) conflict() {
	src := p.src()
	p.next()
	if p.acceptWord("duplicate") {
		p.duplicateKey(src)
		return
	}
	p.expect(lex.KConflict)
	at := p.mark()
	constraint := ""
	switch {
	case p.kind() == lex.LParen:
		p.next()
		for {
			p.conflictTarget()
			if !p.acceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.expectKind(lex.RParen)
		if p.accept(lex.KWhere) {
			p.raw(", ")
			p.open(marker.MTargetIf, marker.Nothing, -1)
			p.expr()
			p.raw(")")
		}
	case p.kw() == lex.KOn:
		p.next()
		p.expect(lex.KConstraint)
		constraint = p.colID()
	}
	p.expect(lex.KDo)
	action := "nothing"
	if !p.accept(lex.KNothing) {
		p.expect(lex.KUpdate)
		p.expect(lex.KSet)
		action = "update"
		p.comma(at)
		p.setList(false)
		if p.accept(lex.KWhere) {
			p.raw(", ")
			p.open(marker.MWhere, marker.Nothing, -1)
			p.expr()
			p.raw(")")
		}
	}
	p.wrapConflict(at, fields(action, constraint), src)
}

// wrapConflict makes the conflict marker around the pieces since the mark.
func (p *translator) wrapConflict(at int, payload string, src int32) {
	args := p.cut(at)
	p.open(marker.MConflict, payload, src)
	p.paste(args)
	p.raw(")")
}

// conflictTarget emits one index expression of ON CONFLICT (…).
func (p *translator) conflictTarget() {
	src := p.src()
	at := p.mark()
	if p.kind() == lex.LParen {
		p.next()
		p.expr()
		p.expectKind(lex.RParen)
	} else {
		p.primary()
	}
	collation, class := "", ""
	if p.accept(lex.KCollate) {
		collation = p.anyName().Name
	}
	if isColID(p.tok()) {
		class = p.anyName().Name
	}
	switch p.kw() {
	case lex.KAsc, lex.KDesc:
		p.fail(sqlerr.New(sqlerr.InvalidColumnReference, "ASC/DESC is not allowed in ON CONFLICT clause").At(p.pos(src)))
	case lex.KNulls:
		p.fail(sqlerr.New(sqlerr.InvalidColumnReference, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause").At(p.pos(src)))
	}
	p.wrapMarker(at, marker.MTarget, fields(collation, class), -1)
	p.raw(")")
}

// duplicateKey emits Phoenix's ON DUPLICATE KEY IGNORE | UPDATE … |
// UPDATE_ONLY ….
func (p *translator) duplicateKey(src int32) {
	p.expect(lex.KKey)
	at := p.mark()
	action := "duplicate ignore"
	switch {
	case p.acceptWord("ignore"):
	case p.accept(lex.KUpdate):
		action = "duplicate update"
		p.setList(false)
	case p.acceptWord("update_only"):
		action = "duplicate update only"
		p.setList(false)
	default:
		p.syntaxError()
	}
	p.wrapConflict(at, action, src)
}

// setList emits the assignments of SET: as arguments, or (of UPDATE) each
// assigned to the pseudo column.
func (p *translator) setList(native bool) {
	for {
		if native {
			p.raw("`" + marker.TSet + "` = ")
		}
		p.assignment()
		if !p.acceptKind(lex.Comma) {
			return
		}
		p.raw(", ")
	}
}

func (p *translator) assignment() {
	src := p.src()
	payload := marker.Nothing
	at := p.mark()
	if p.acceptKind(lex.LParen) {
		payload = "multi"
		for {
			p.target()
			if !p.acceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.expectKind(lex.RParen)
	} else {
		p.target()
	}
	if !p.acceptOp(lex.OpEQ) {
		p.syntaxError()
	}
	p.raw(", ")
	if p.kw() == lex.KDefault {
		p.call(marker.MDefault, marker.Nothing, p.src())
		p.next()
	} else {
		if payload == "multi" {
			p.multi = p.i
		}
		p.expr()
		p.multi = -1
	}
	p.wrapMarker(at, marker.MSet, payload, src)
	p.raw(")")
}

// returning emits RETURNING.
func (p *translator) returning() {
	p.open(marker.MReturning, marker.Nothing, p.src())
	p.next()
	for {
		if n := p.wildcard(); n > 0 {
			f := []string{marker.Nothing}
			if n == 5 {
				f = append(f, p.name(p.peek(2)))
			}
			if n > 1 {
				f = append(f, p.name(p.tok()))
			}
			p.call(marker.MWild, fields(f...), p.src())
			p.i += n
		} else {
			p.returningItem()
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
		p.raw(", ")
	}
	p.raw(")")
}

func (p *translator) returningItem() {
	src := p.src()
	at := p.mark()
	e := p.expr()
	label := "?column?"
	if e.strong > 0 {
		label = e.name
	}
	switch {
	case p.accept(lex.KAs):
		label = p.label()
	case isBareLabel(p.tok()):
		label = p.label()
	}
	p.wrapMarker(at, marker.MAs, label, src)
	p.raw(")")
}
