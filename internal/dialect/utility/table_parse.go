package utility

import (
	"slices"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// createTable reads CREATE TABLE after the word TABLE, and CREATE TABLE AS.
func (p reader) createTable(c tree.CreateTable) tree.Utility {
	c.IfNotExists = p.ifNotExists()
	c.Name = p.Qualified()
	untyped := -1 // the token where a column's type was missing
	switch {
	case p.Accept2(lex.KPartition, lex.KOf):
		n := p.Qualified()
		c.PartitionOf = &n
		p.Unsupported(p.here32(n), "PARTITION OF is not supported", "Salt the table with SALT_BUCKETS: it spreads rows without partitions.")
	case p.Accept(lex.KOf):
		n := p.Qualified()
		c.OfType = &n
		p.Unsupported(p.here32(n), "typed tables are not supported", "Name the columns in CREATE TABLE.")
	case p.Kind() == lex.LParen:
		untyped = p.tableElements(&c)
	case p.Keyword() == lex.KAs || p.Keyword() == lex.KWith || p.Keyword() == lex.KUsing || p.Keyword() == lex.KOn || p.Keyword() == lex.KTablespace:
	default:
		p.SyntaxError()
	}
	paren := p.Tokens[p.At-1].Kind == lex.RParen
	p.tableTail(&c)
	if p.Keyword() == lex.KAs {
		return p.tableAs(c, untyped)
	}
	if untyped >= 0 {
		p.SyntaxErrorAt(untyped)
	}
	if !paren {
		p.SyntaxError()
	}
	return &c
}

// here32 is the offset of a name, for an error on it: the token just read.
func (p reader) here32(tree.Name) int32 { return p.Tokens[p.At-1].Start }

// tableAs turns what was read of CREATE TABLE into CREATE TABLE AS.
func (p reader) tableAs(c tree.CreateTable, untyped int) tree.Utility {
	a := tree.CreateTableAs{
		Name: c.Name, IfNotExists: c.IfNotExists, Temp: c.Temp, Unlogged: c.Unlogged,
		Options: c.Options, OnCommit: c.OnCommit, Tablespace: c.Tablespace, Using: c.Using,
	}
	if len(c.Columns) > 0 && untyped < 0 {
		p.SyntaxError()
	}
	for _, col := range c.Columns {
		if col.Type != nil {
			p.SyntaxErrorAt(untyped)
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
	p.Expect(lex.KAs)
	if p.Keyword() == lex.KExecute && !a.Materialized {
		a.Query = p.statement()
	} else {
		a.Query = p.nestedQuery()
	}
	a.NoData = p.withNoData()
	return &a
}

// tableElements reads ( columns and constraints ). It gives the token where
// the first missing type was expected, or -1.
func (p reader) tableElements(c *tree.CreateTable) int {
	p.Next()
	untyped := -1
	if p.AcceptKind(lex.RParen) {
		return untyped
	}
	for {
		n := len(c.Columns)
		p.tableElement(c, true)
		if len(c.Columns) > n && c.Columns[len(c.Columns)-1].Type == nil && untyped < 0 {
			untyped = p.At
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return untyped
}

// tableElement reads a column or a constraint.
func (p reader) tableElement(c *tree.CreateTable, untyped bool) {
	if p.Keyword() == lex.KLike {
		l := p.likeClause()
		l.At = len(c.Columns)
		c.Like = append(c.Like, l)
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
			p.ErrorAt(p.Offset(), `multiple primary keys for table "%s" are not allowed`, c.Name.Name)
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
	p.Next()
	l := tree.LikeClause{Table: p.Qualified()}
	for p.Keyword() == lex.KIncluding || p.Keyword() == lex.KExcluding {
		w := p.Keyword().String()
		p.Next()
		if o := p.Keyword().String(); o == "all" || slices.Contains(tree.LikeOptions, o) {
			p.Next()
			l.Options = append(l.Options, w+" "+o)
			continue
		}
		p.SyntaxError()
	}
	return l
}

// tableTail reads the clauses after a table's parenthesis, in any order: those
// of Postgres, Phoenix's options and SPLIT ON.
func (p reader) tableTail(c *tree.CreateTable) {
	for {
		switch {
		case p.Keyword() == lex.KInherits:
			p.Next()
			p.ExpectKind(lex.LParen)
			c.Inherits = p.names()
			p.ExpectKind(lex.RParen)
		case p.Accept2(lex.KPartition, lex.KBy):
			i := p.At
			p.Label()
			if p.Kind() != lex.LParen || p.Token().Match < 0 {
				p.SyntaxError()
			}
			p.At = int(p.Token().Match) + 1
			c.PartitionBy = p.textSince(i)
		case p.Accept(lex.KUsing):
			c.Using = p.ColID()
		case p.Keyword() == lex.KWith && p.Peek(1).Kind == lex.LParen:
			p.Next()
			c.Options = append(c.Options, p.optionList(false)...)
		case p.Accept2(lex.KWithout, lex.KOids):
		case p.Accept2(lex.KOn, lex.KCommit):
			switch {
			case p.Accept(lex.KDrop):
				c.OnCommit = "drop"
			case p.Accept2(lex.KDelete, lex.KRows):
				c.OnCommit = "delete rows"
			case p.Accept2(lex.KPreserve, lex.KRows):
				c.OnCommit = "preserve rows"
			default:
				p.SyntaxError()
			}
		case p.Accept(lex.KTablespace):
			c.Tablespace = p.ColID()
		case p.Word("split") && p.Peek(1).Keyword == lex.KOn:
			c.SplitOn = append(c.SplitOn, p.splitOn()...)
		case p.atOption():
			c.Options = append(c.Options, p.phoenixOptions()...)
		default:
			return
		}
	}
}
