package dialect

import (
	"encoding/hex"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// attach reads ATTACH TABLE: CREATE TABLE's columns and options, then where the rows
// already are.
func (p reader) attach() tree.Utility {
	p.next()
	p.expect(lex.KTable)
	a := &tree.AttachTable{}
	a.IfNotExists = p.ifNotExists()
	a.Name = p.qualified()
	if p.kind() != lex.LParen {
		p.syntaxError()
	}
	if untyped := p.tableElements(&a.CreateTable); untyped >= 0 {
		p.syntaxErrorAt(untyped)
	}
	p.tableTail(&a.CreateTable)
	if p.kw() == lex.KKey && p.wordOrKey(1, "format") {
		p.i += 2
		a.KeyFormat = p.keyFormat()
		p.tableTail(&a.CreateTable)
	}
	p.expect(lex.KFrom)
	a.FromPos = p.here()
	a.From = p.stringConst()
	return a
}

// detach reads DETACH TABLE.
func (p reader) detach() tree.Utility {
	p.next()
	p.expect(lex.KTable)
	d := &tree.DetachTable{IfExists: p.ifExists(), Names: p.names()}
	d.Cascade = p.cascade()
	return d
}

// qualifier reads ENCODED_QUALIFIER n, or QUALIFIER and a string, or one of
// hexadecimal digits.
func (p reader) qualifier(c *tree.ColumnDef) {
	if p.wordOrKey(0, "format") {
		p.next()
		if c.Format = p.label(); c.Format != "text" && c.Format != "binary" {
			p.syntaxErrorAt(p.i - 1)
		}
		return
	}
	if p.acceptWord("encoded_qualifier") {
		c.Number = p.intConst()
		return
	}
	p.next()
	if p.word("hex") {
		p.next()
		at := p.i
		b, err := hex.DecodeString(p.stringConst())
		if err != nil {
			p.syntaxErrorAt(at)
		}
		c.Qualifier, c.HasQualifier = b, true
		return
	}
	c.Qualifier, c.HasQualifier = []byte(p.stringConst()), true
}

// wordOrKey tells whether the n-th token from here is this word, be it a key word or not.
func (p reader) wordOrKey(n int, w string) bool {
	t := p.peek(n)
	return t.Kind == lex.Ident && p.name(t) == w
}

// importPhoenix reads IMPORT PHOENIX SCHEMA [schema] [LIMIT TO (table, …)] [FROM 'storage table'].
func (p reader) importPhoenix() tree.Utility {
	p.i += 2
	u := &tree.ImportPhoenix{Pos: p.here()}
	p.expect(lex.KSchema)
	if isColID(p.tok()) {
		u.Schema = p.colID()
	}
	if p.accept2(lex.KLimit, lex.KTo) {
		u.Tables = p.colIDList()
	}
	if p.accept(lex.KFrom) {
		u.Pos, u.From = p.here(), p.stringConst()
	}
	return u
}
