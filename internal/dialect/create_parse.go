package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// create reads CREATE of anything.
func (p reader) create() tree.Utility {
	begin := p.i
	p.next()
	replace := p.accept2(lex.KOr, lex.KReplace)
	temp, unlogged := false, false
	switch p.kw() {
	case lex.KGlobal, lex.KLocal:
		if k := p.peek(1).Keyword; k == lex.KTemp || k == lex.KTemporary {
			p.i += 2
			temp = true
		}
	case lex.KTemp, lex.KTemporary:
		p.next()
		temp = true
	case lex.KUnlogged:
		p.next()
		unlogged = true
	}
	if replace && p.kw() != lex.KView && p.kw() != lex.KRecursive {
		return p.otherObject("CREATE", begin)
	}
	switch {
	case p.accept(lex.KTable):
		return p.createTable(tree.CreateTable{Temp: temp, Unlogged: unlogged})
	case p.kw() == lex.KImmutable && p.peek(1).Keyword == lex.KTable:
		p.i += 2
		return p.createTable(tree.CreateTable{Immutable: true})
	case p.accept(lex.KView):
		return p.createView(tree.CreateView{OrReplace: replace, Temp: temp})
	case p.accept2(lex.KRecursive, lex.KView):
		return p.createView(tree.CreateView{OrReplace: replace, Temp: temp, Recursive: true})
	case p.accept2(lex.KMaterialized, lex.KView):
		c := tree.CreateTableAs{Materialized: true, Unlogged: unlogged, IfNotExists: p.ifNotExists(), Name: p.qualified()}
		if p.kind() == lex.LParen {
			c.Columns = p.colIDList()
		}
		return p.createTableAs(c)
	case p.accept(lex.KSequence):
		c := &tree.CreateSequence{Temp: temp, IfNotExists: p.ifNotExists(), Name: p.qualified()}
		c.Options = p.sequenceOptions()
		return c
	case p.atRole():
		return p.createRole()
	case p.accept(lex.KSchema):
		return p.createSchema()
	case p.accept2(lex.KUnique, lex.KIndex):
		return p.createIndex(tree.CreateIndex{Unique: true})
	case p.accept(lex.KIndex):
		return p.createIndex(tree.CreateIndex{})
	case p.accept2(lex.KLocal, lex.KIndex):
		return p.createIndex(tree.CreateIndex{Local: true})
	case p.word("uncovered") && p.peek(1).Keyword == lex.KIndex:
		p.i += 2
		return p.createIndex(tree.CreateIndex{Uncovered: true})
	}
	return p.otherObject("CREATE", begin)
}

// createSchema reads CREATE SCHEMA, with the statements it may hold.
func (p reader) createSchema() tree.Utility {
	c := &tree.CreateSchema{Pos: p.here(), IfNotExists: p.ifNotExists()}
	if p.kw() != lex.KAuthorization {
		c.Name = p.colID()
	}
	if p.accept(lex.KAuthorization) {
		r := p.roleSpec()
		c.Owner = &r
	}
	for p.kw() == lex.KCreate || p.kw() == lex.KGrant {
		if c.IfNotExists {
			p.unsupported(p.src(), "CREATE SCHEMA IF NOT EXISTS cannot include schema elements", "Send the CREATE statements after it.")
		}
		c.Elements = append(c.Elements, p.statement())
	}
	return c
}

// createView reads CREATE VIEW.
func (p reader) createView(v tree.CreateView) tree.Utility {
	v.IfNotExists = p.ifNotExists()
	v.Name = p.qualified()
	if p.kind() == lex.LParen {
		v.ColumnDefs = p.viewColumns()
		named := true
		for _, c := range v.ColumnDefs {
			named = named && c.Type == nil
		}
		if named {
			for _, c := range v.ColumnDefs {
				v.Columns = append(v.Columns, c.Name)
			}
			v.ColumnDefs = nil
		}
	}
	if p.kw() == lex.KWith {
		p.next()
		v.Options = p.optionList(false)
	}
	switch {
	case p.accept(lex.KAs):
		v.Query = p.nestedQuery()
	case v.ColumnDefs == nil:
		p.syntaxError()
	}
	v.Options = append(v.Options, p.phoenixOptions()...)
	if p.kw() == lex.KWith {
		p.next()
		v.CheckOption = "cascaded"
		if p.accept(lex.KLocal) {
			v.CheckOption = "local"
		} else {
			p.accept(lex.KCascaded)
		}
		p.expect(lex.KCheck)
		p.expect(lex.KOption)
	}
	return &v
}

// viewColumns reads ( name, … ), or Phoenix's column definitions.
func (p reader) viewColumns() []tree.ColumnDef {
	p.next()
	var t tree.CreateTable
	for {
		p.tableElement(&t, true)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	if t.Primary != nil || len(t.Checks)+len(t.Uniques)+len(t.ForeignKeys)+len(t.Like)+len(t.Excludes) > 0 {
		p.unsupported(p.src(), "constraints in CREATE VIEW are not supported", "Declare the key on the table under the view.")
	}
	return t.Columns
}

// sequenceOptions reads the options of a sequence.
func (p reader) sequenceOptions() []tree.SequenceOption {
	var list []tree.SequenceOption
	for {
		o := tree.SequenceOption{Pos: p.here()}
		value := func() {
			n, ok := p.signedNumber()
			if !ok {
				p.syntaxError()
			}
			o.Value, o.HasValue = n, true
		}
		switch {
		case p.accept(lex.KAs):
			o.Name, o.Type = "as", p.typeName()
		case p.accept(lex.KCache):
			o.Name = "cache"
			value()
		case p.accept(lex.KCycle):
			o.Name = "cycle"
		case p.kw() == lex.KNo:
			p.next()
			switch p.kw() {
			case lex.KCycle, lex.KMaxvalue, lex.KMinvalue:
				o.Name = "no " + p.kw().String()
				p.next()
			default:
				p.syntaxError()
			}
		case p.accept(lex.KIncrement):
			o.Name = "increment"
			p.accept(lex.KBy)
			value()
		case p.accept(lex.KMaxvalue):
			o.Name = "maxvalue"
			value()
		case p.accept(lex.KMinvalue):
			o.Name = "minvalue"
			value()
		case p.accept(lex.KStart):
			o.Name = "start"
			p.accept(lex.KWith)
			value()
		case p.accept(lex.KRestart):
			o.Name = "restart"
			if p.accept(lex.KWith) {
				value()
			} else if n, ok := p.signedNumber(); ok {
				o.Value, o.HasValue = n, true
			}
		case p.accept2(lex.KOwned, lex.KBy):
			o.Name = "owned by"
			p.ownedBy(&o)
		case p.accept2(lex.KSequence, lex.KName):
			o.Name = "sequence name"
			o.Owner = p.qualified()
		default:
			return list
		}
		list = append(list, o)
	}
}

// ownedBy reads NONE, table.column or schema.table.column.
func (p reader) ownedBy(o *tree.SequenceOption) {
	o.Owner.Pos = p.here()
	if p.kw() == lex.KNone && p.peek(1).Kind != lex.Dot {
		p.next()
		o.Value = "none"
		return
	}
	parts := []string{p.colID()}
	for p.acceptKind(lex.Dot) {
		parts = append(parts, p.label())
	}
	switch len(parts) {
	case 2:
		o.OwnerTable = tree.Name{Name: parts[0], Pos: o.Owner.Pos}
		o.Owner.Name = parts[1]
	case 3:
		o.OwnerTable = tree.Name{Schema: parts[0], Name: parts[1], Pos: o.Owner.Pos}
		o.Owner.Name = parts[2]
	default:
		p.fail(sqlerr.New(sqlerr.SyntaxError, "invalid OWNED BY option").
			WithHint("Specify OWNED BY table.column or OWNED BY NONE."))
	}
}

// createIndex reads CREATE INDEX after the word INDEX.
func (p reader) createIndex(c tree.CreateIndex) tree.Utility {
	c.Concurrently = p.accept(lex.KConcurrently)
	c.IfNotExists = p.ifNotExists()
	c.Pos = p.here()
	if p.kw() != lex.KOn {
		c.Name = p.colID()
	}
	p.expect(lex.KOn)
	c.Only = p.accept(lex.KOnly)
	c.Table = p.qualified()
	if p.accept(lex.KUsing) {
		c.Method = p.colID()
	}
	c.Columns = p.indexColumns()
	for {
		switch {
		case p.kw() == lex.KInclude:
			p.next()
			c.Include = p.includeList()
		case p.accept(lex.KNulls):
			c.NullsNotDistinct = p.accept(lex.KNot)
			p.expect(lex.KDistinct)
		case p.accept(lex.KWith):
			c.Options = append(c.Options, p.optionList(false)...)
		case p.accept(lex.KTablespace):
			c.Tablespace = p.colID()
		case p.accept(lex.KWhere):
			e := p.expression()
			c.Where = &e
		case p.word("split") && p.peek(1).Keyword == lex.KOn:
			c.SplitOn = p.splitOn()
		case p.atOption():
			c.Options = append(c.Options, p.phoenixOptions()...)
		case p.acceptWord("async"):
			c.Async = true
		default:
			return &c
		}
	}
}

// includeList reads ( name, … ), names of Phoenix with their family.
func (p reader) includeList() []string {
	p.expectKind(lex.LParen)
	var list []string
	for {
		n := p.colID()
		if p.acceptKind(lex.Dot) {
			n += "." + p.label()
		}
		list = append(list, n)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return list
}

// indexColumns reads ( element, … ): columns or expressions.
func (p reader) indexColumns() []tree.KeyCol {
	p.expectKind(lex.LParen)
	var list []tree.KeyCol
	for {
		list = append(list, p.indexColumn())
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return list
}

func (p reader) indexColumn() tree.KeyCol {
	k := tree.KeyCol{Pos: p.here()}
	n := 1
	if p.peek(1).Kind == lex.Dot && isLabel(p.peek(2)) {
		n = 3
	}
	after := p.peek(n)
	switch {
	case isColID(p.tok()) && (after.Kind == lex.Comma || after.Kind == lex.RParen || isLabel(after)):
		k.Name = p.colID()
		if p.acceptKind(lex.Dot) {
			k.Family, k.Name = k.Name, p.label()
		}
	default:
		e := p.expressionBy(func() ex {
			e := p.expr()
			if e.strong > 0 {
				k.Label = e.name
			}
			return e
		})
		k.Expr = &e
	}
	p.keyDirection(&k, true)
	return k
}

// keyDirection reads what may follow the column of a key or an index.
func (p reader) keyDirection(k *tree.KeyCol, index bool) {
	if p.accept(lex.KCollate) {
		k.Collation = p.anyName()
	}
	if index && isColID(p.tok()) && p.kw() != lex.KNulls && !p.word("row_timestamp") {
		k.OpClass = p.anyName()
		if p.kind() == lex.LParen {
			p.optionList(false)
		}
	}
	switch {
	case p.accept(lex.KAsc):
	case p.accept(lex.KDesc):
		k.Desc = true
	}
	if p.accept(lex.KNulls) {
		switch {
		case p.accept(lex.KFirst):
			k.NullsFirst = true
		case p.accept(lex.KLast):
			k.NullsLast = true
		default:
			p.syntaxError()
		}
	}
	if p.acceptWord("row_timestamp") {
		k.RowTimestamp = true
	}
}
