package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// create reads CREATE of anything.
func (p reader) create() tree.Utility {
	begin := p.At
	p.Next()
	orReplace := p.Accept2(lex.KOr, lex.KReplace)
	temp, unlogged := false, false
	switch p.Keyword() {
	case lex.KGlobal, lex.KLocal:
		if k := p.Peek(1).Keyword; k == lex.KTemp || k == lex.KTemporary {
			p.At += 2
			temp = true
		}
	case lex.KTemp, lex.KTemporary:
		p.Next()
		temp = true
	case lex.KUnlogged:
		p.Next()
		unlogged = true
	}
	if orReplace && p.Keyword() != lex.KView && p.Keyword() != lex.KRecursive {
		return p.refused(replace, begin)
	}
	switch {
	case p.Accept(lex.KTable):
		return p.createTable(tree.CreateTable{Temp: temp, Unlogged: unlogged})
	case p.Keyword() == lex.KImmutable && p.Peek(1).Keyword == lex.KTable:
		p.At += 2
		return p.createTable(tree.CreateTable{Immutable: true})
	case p.Accept(lex.KView):
		return p.createView(tree.CreateView{OrReplace: orReplace, Temp: temp})
	case p.Accept2(lex.KRecursive, lex.KView):
		return p.createView(tree.CreateView{OrReplace: orReplace, Temp: temp, Recursive: true})
	case p.Accept2(lex.KMaterialized, lex.KView):
		c := tree.CreateTableAs{Materialized: true, Unlogged: unlogged, IfNotExists: p.ifNotExists(), Name: p.Qualified()}
		if p.Kind() == lex.LParen {
			c.Columns = p.ColIDList()
		}
		return p.createTableAs(c)
	case p.Accept(lex.KSequence):
		c := &tree.CreateSequence{Temp: temp, IfNotExists: p.ifNotExists(), Name: p.Qualified()}
		c.Options = p.sequenceOptions()
		return c
	case p.Keyword() == lex.KType:
		return p.createType(begin)
	case p.Accept(lex.KDomain):
		return p.createDomain()
	case p.atRole():
		return p.createRole()
	case p.Accept(lex.KSchema):
		return p.createSchema()
	case p.Accept(lex.KExtension):
		return p.createExtension()
	case p.Accept2(lex.KUnique, lex.KIndex):
		return p.createIndex(tree.CreateIndex{Unique: true})
	case p.Accept(lex.KIndex):
		return p.createIndex(tree.CreateIndex{})
	case p.Accept2(lex.KLocal, lex.KIndex):
		return p.createIndex(tree.CreateIndex{Local: true})
	case p.Word("uncovered") && p.Peek(1).Keyword == lex.KIndex:
		p.At += 2
		return p.createIndex(tree.CreateIndex{Uncovered: true})
	}
	if temp || unlogged {
		p.SyntaxError()
	}
	return p.refused(create, begin)
}

// createSchema reads CREATE SCHEMA, with the statements it may hold.
func (p reader) createSchema() tree.Utility {
	c := &tree.CreateSchema{Pos: p.Here(), IfNotExists: p.ifNotExists()}
	if p.Keyword() != lex.KAuthorization {
		c.Name = p.ColID()
	}
	if p.Accept(lex.KAuthorization) {
		r := p.roleSpec()
		c.Owner = &r
	}
	for p.Keyword() == lex.KCreate || p.Keyword() == lex.KGrant {
		if c.IfNotExists {
			p.Unsupported(p.Offset(), "CREATE SCHEMA IF NOT EXISTS cannot include schema elements", "Send the CREATE statements after it.")
		}
		c.Elements = append(c.Elements, p.statement())
	}
	return c
}

// createExtension reads CREATE EXTENSION. Where it goes and which version it has is for what
// there is to say.
func (p reader) createExtension() tree.Utility {
	c := &tree.CreateExtension{IfNotExists: p.ifNotExists(), Pos: p.Here(), Name: p.ColID()}
	p.Accept(lex.KWith)
	for {
		switch {
		case p.Accept(lex.KSchema):
			p.ColID()
		case p.Accept(lex.KVersion):
			if p.Kind() == lex.String {
				p.StringConst()
			} else {
				p.ColID()
			}
		case p.Accept(lex.KCascade):
		default:
			return c
		}
	}
}

// sequenceOptions reads the options of a sequence.
func (p reader) sequenceOptions() []tree.SequenceOption {
	var list []tree.SequenceOption
	for {
		o := tree.SequenceOption{Pos: p.Here()}
		value := func() {
			n, ok := p.signedNumber()
			if !ok {
				p.SyntaxError()
			}
			o.Value, o.HasValue = n, true
		}
		switch {
		case p.Accept(lex.KAs):
			o.Name, o.Type = "as", p.TypeName()
		case p.Accept(lex.KCache):
			o.Name = "cache"
			value()
		case p.Accept(lex.KCycle):
			o.Name = "cycle"
		case p.Keyword() == lex.KNo:
			p.Next()
			switch p.Keyword() {
			case lex.KCycle, lex.KMaxvalue, lex.KMinvalue:
				o.Name = "no " + p.Keyword().String()
				p.Next()
			default:
				p.SyntaxError()
			}
		case p.Accept(lex.KIncrement):
			o.Name = "increment"
			p.Accept(lex.KBy)
			value()
		case p.Accept(lex.KMaxvalue):
			o.Name = "maxvalue"
			value()
		case p.Accept(lex.KMinvalue):
			o.Name = "minvalue"
			value()
		case p.Accept(lex.KStart):
			o.Name = "start"
			p.Accept(lex.KWith)
			value()
		case p.Accept(lex.KRestart):
			o.Name = "restart"
			if p.Accept(lex.KWith) {
				value()
			} else if n, ok := p.signedNumber(); ok {
				o.Value, o.HasValue = n, true
			}
		case p.Accept2(lex.KOwned, lex.KBy):
			o.Name = "owned by"
			p.ownedBy(&o)
		case p.Accept2(lex.KSequence, lex.KName):
			o.Name = "sequence name"
			o.Owner = p.Qualified()
		default:
			return list
		}
		list = append(list, o)
	}
}

// ownedBy reads NONE, table.column or schema.table.column.
func (p reader) ownedBy(o *tree.SequenceOption) {
	o.Owner.Pos = p.Here()
	if p.Keyword() == lex.KNone && p.Peek(1).Kind != lex.Dot {
		p.Next()
		o.Value = "none"
		return
	}
	parts := []string{p.ColID()}
	for p.AcceptKind(lex.Dot) {
		parts = append(parts, p.Label())
	}
	switch len(parts) {
	case 2:
		o.OwnerTable = tree.Name{Name: parts[0], Pos: o.Owner.Pos}
		o.Owner.Name = parts[1]
	case 3:
		o.OwnerTable = tree.Name{Schema: parts[0], Name: parts[1], Pos: o.Owner.Pos}
		o.Owner.Name = parts[2]
	default:
		p.Fail(sqlerr.New(sqlerr.SyntaxError, "invalid OWNED BY option").
			WithHint("Specify OWNED BY table.column or OWNED BY NONE."))
	}
}

// createIndex reads CREATE INDEX after the word INDEX.
func (p reader) createIndex(c tree.CreateIndex) tree.Utility {
	c.Concurrently = p.Accept(lex.KConcurrently)
	c.IfNotExists = p.ifNotExists()
	c.Pos = p.Here()
	if p.Keyword() != lex.KOn {
		c.Name = p.ColID()
	}
	p.Expect(lex.KOn)
	c.Only = p.Accept(lex.KOnly)
	c.Table = p.Qualified()
	if p.Accept(lex.KUsing) {
		c.Method = p.ColID()
	}
	c.Columns = p.indexColumns()
	for {
		switch {
		case p.Keyword() == lex.KInclude:
			p.Next()
			c.Include = p.includeList()
		case p.Accept(lex.KNulls):
			c.NullsNotDistinct = p.Accept(lex.KNot)
			p.Expect(lex.KDistinct)
		case p.Accept(lex.KWith):
			c.Options = append(c.Options, p.optionList(false)...)
		case p.Accept(lex.KTablespace):
			c.Tablespace = p.ColID()
		case p.Accept(lex.KWhere):
			e := p.Expression()
			c.Where = &e
		case p.Word("split") && p.Peek(1).Keyword == lex.KOn:
			c.SplitOn = p.splitOn()
		case p.atOption():
			c.Options = append(c.Options, p.phoenixOptions()...)
		case p.AcceptWord("async"):
			c.Async = true
		case p.AcceptWord("hypothetical"):
			c.Hypothetical = true
		default:
			return &c
		}
	}
}

// includeList reads ( name, … ), names of Phoenix with their family.
func (p reader) includeList() []tree.KeyCol {
	p.ExpectKind(lex.LParen)
	var list []tree.KeyCol
	for {
		list = append(list, p.keyColumn())
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return list
}

// indexColumns reads ( element, … ): columns or expressions.
func (p reader) indexColumns() []tree.KeyCol {
	p.ExpectKind(lex.LParen)
	var list []tree.KeyCol
	for {
		list = append(list, p.indexColumn())
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return list
}

func (p reader) indexColumn() tree.KeyCol {
	k := tree.KeyCol{Pos: p.Here()}
	n := 1
	if p.Peek(1).Kind == lex.Dot && cursor.IsLabel(p.Peek(2)) {
		n = 3
	}
	after := p.Peek(n)
	switch {
	case cursor.IsColID(p.Token()) && (after.Kind == lex.Comma || after.Kind == lex.RParen || cursor.IsLabel(after)):
		k = p.keyColumn()
	default:
		e := p.ExpressionBy(func() translate.Expr {
			e := p.Expr()
			if e.Strong > 0 {
				k.Label = e.Name
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
	if p.Accept(lex.KCollate) {
		k.Collation = p.AnyName()
	}
	if index && cursor.IsColID(p.Token()) && p.Keyword() != lex.KNulls && !p.Word("row_timestamp") {
		k.OpClass = p.AnyName()
		if p.Kind() == lex.LParen {
			p.optionList(false)
		}
	}
	switch {
	case p.Accept(lex.KAsc):
	case p.Accept(lex.KDesc):
		k.Desc = true
	}
	if p.Accept(lex.KNulls) {
		switch {
		case p.Accept(lex.KFirst):
			k.NullsFirst = true
		case p.Accept(lex.KLast):
			k.NullsLast = true
		default:
			p.SyntaxError()
		}
	}
	if p.AcceptWord("row_timestamp") {
		k.RowTimestamp = true
	}
}
