package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// createTable reads CREATE TABLE after the word TABLE, and CREATE TABLE AS.
func (p reader) createTable(c tree.CreateTable) tree.Utility {
	c.IfNotExists = p.ifNotExists()
	c.Name = p.qualified()
	untyped := -1 // the token where a column's type was missing
	switch {
	case p.accept2(lex.KPartition, lex.KOf):
		n := p.qualified()
		c.PartitionOf = &n
		p.unsupported(p.here32(n), "PARTITION OF is not supported", "Salt the table with SALT_BUCKETS: it spreads rows without partitions.")
	case p.accept(lex.KOf):
		n := p.qualified()
		c.OfType = &n
		p.unsupported(p.here32(n), "typed tables are not supported", "Name the columns in CREATE TABLE.")
	case p.kind() == lex.LParen:
		untyped = p.tableElements(&c)
	case p.kw() == lex.KAs || p.kw() == lex.KWith || p.kw() == lex.KUsing || p.kw() == lex.KOn || p.kw() == lex.KTablespace:
	default:
		p.syntaxError()
	}
	paren := p.toks[p.i-1].Kind == lex.RParen
	p.tableTail(&c)
	if p.kw() == lex.KAs {
		return p.tableAs(c, untyped)
	}
	if untyped >= 0 {
		p.syntaxErrorAt(untyped)
	}
	if !paren {
		p.syntaxError()
	}
	return &c
}

// here32 is the offset of a name, for an error on it: the token just read.
func (p reader) here32(tree.Name) int32 { return p.toks[p.i-1].Start }

// tableAs turns what was read of CREATE TABLE into CREATE TABLE AS.
func (p reader) tableAs(c tree.CreateTable, untyped int) tree.Utility {
	a := tree.CreateTableAs{
		Name: c.Name, IfNotExists: c.IfNotExists, Temp: c.Temp, Unlogged: c.Unlogged,
		Options: c.Options, OnCommit: c.OnCommit, Tablespace: c.Tablespace, Using: c.Using,
	}
	if len(c.Columns) > 0 && untyped < 0 {
		p.syntaxError()
	}
	for _, col := range c.Columns {
		if col.Type != nil {
			p.syntaxErrorAt(untyped)
		}
		a.Columns = append(a.Columns, col.Name)
	}
	return p.createTableAs(a)
}

// createTableAs reads [options] AS query [WITH [NO] DATA].
func (p reader) createTableAs(a tree.CreateTableAs) tree.Utility {
	var c tree.CreateTable
	p.tableTail(&c)
	if a.Options == nil {
		a.Options = c.Options
	}
	if c.Using != "" {
		a.Using = c.Using
	}
	if c.Tablespace != "" {
		a.Tablespace = c.Tablespace
	}
	p.expect(lex.KAs)
	if p.kw() == lex.KExecute {
		a.Query = p.statement()
	} else {
		a.Query = p.nestedQuery()
	}
	if p.accept(lex.KWith) {
		a.NoData = p.accept(lex.KNo)
		p.expect(lex.KData)
	}
	return &a
}

// tableElements reads ( columns and constraints ). It gives the token where
// the first missing type was expected, or -1.
func (p reader) tableElements(c *tree.CreateTable) int {
	p.next()
	untyped := -1
	if p.acceptKind(lex.RParen) {
		return untyped
	}
	for {
		n := len(c.Columns)
		p.tableElement(c, true)
		if len(c.Columns) > n && c.Columns[len(c.Columns)-1].Type == nil && untyped < 0 {
			untyped = p.i
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return untyped
}

// tableElement reads a column or a constraint.
func (p reader) tableElement(c *tree.CreateTable, untyped bool) {
	if p.kw() == lex.KLike {
		c.Like = append(c.Like, p.likeClause())
		return
	}
	if p.atTableConstraint() {
		p.addConstraint(c, p.tableConstraint())
		return
	}
	col := p.columnDef(untyped)
	c.Columns = append(c.Columns, col)
	// Phoenix lets the key's constraint follow the last column directly.
	if p.atTableConstraint() {
		p.addConstraint(c, p.tableConstraint())
	}
}

func (p reader) addConstraint(c *tree.CreateTable, t *tree.TableConstraint) {
	switch {
	case t.Primary != nil:
		if c.Primary != nil {
			p.errorAt(p.src(), `multiple primary keys for table "%s" are not allowed`, c.Name.Name)
		}
		c.Primary = t.Primary
	case t.Unique != nil:
		c.Uniques = append(c.Uniques, *t.Unique)
	case t.Check != nil:
		c.Checks = append(c.Checks, *t.Check)
	case t.ForeignKey != nil:
		c.ForeignKeys = append(c.ForeignKeys, *t.ForeignKey)
	case t.Exclude != nil:
		c.Excludes = append(c.Excludes, *t.Exclude)
	}
}

func (p reader) likeClause() tree.LikeClause {
	p.next()
	l := tree.LikeClause{Table: p.qualified()}
	for p.kw() == lex.KIncluding || p.kw() == lex.KExcluding {
		w := p.kw().String()
		p.next()
		l.Options = append(l.Options, w+" "+p.label())
	}
	return l
}

// tableTail reads the clauses after a table's parenthesis, in any order: those
// of Postgres, Phoenix's options and SPLIT ON.
func (p reader) tableTail(c *tree.CreateTable) {
	for {
		switch {
		case p.kw() == lex.KInherits:
			p.next()
			p.expectKind(lex.LParen)
			c.Inherits = p.names()
			p.expectKind(lex.RParen)
		case p.accept2(lex.KPartition, lex.KBy):
			i := p.i
			p.label()
			if p.kind() != lex.LParen || p.tok().Match < 0 {
				p.syntaxError()
			}
			p.i = int(p.tok().Match) + 1
			c.PartitionBy = p.textSince(i)
		case p.accept(lex.KUsing):
			c.Using = p.colID()
		case p.kw() == lex.KWith && p.peek(1).Kind == lex.LParen:
			p.next()
			c.Options = append(c.Options, p.optionList(false)...)
		case p.accept2(lex.KWithout, lex.KOids):
		case p.accept2(lex.KOn, lex.KCommit):
			switch {
			case p.accept(lex.KDrop):
				c.OnCommit = "drop"
			case p.accept2(lex.KDelete, lex.KRows):
				c.OnCommit = "delete rows"
			case p.accept2(lex.KPreserve, lex.KRows):
				c.OnCommit = "preserve rows"
			default:
				p.syntaxError()
			}
		case p.accept(lex.KTablespace):
			c.Tablespace = p.colID()
		case p.word("split") && p.peek(1).Keyword == lex.KOn:
			c.SplitOn = append(c.SplitOn, p.splitOn()...)
		case p.atOption():
			c.Options = append(c.Options, p.phoenixOptions()...)
		default:
			return
		}
	}
}
