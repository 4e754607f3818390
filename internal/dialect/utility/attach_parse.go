package utility

import (
	"encoding/hex"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// attach reads ATTACH TABLE: CREATE TABLE's columns and options, then where the rows
// already are.
func (p reader) attach() tree.Utility {
	p.Next()
	p.Expect(lex.KTable)
	a := &tree.AttachTable{}
	a.IfNotExists = p.ifNotExists()
	a.Name = p.Qualified()
	if p.Kind() != lex.LParen {
		p.SyntaxError()
	}
	if untyped := p.tableElements(&a.CreateTable); untyped >= 0 {
		p.SyntaxErrorAt(untyped)
	}
	p.tableTail(&a.CreateTable)
	if p.Keyword() == lex.KKey && p.wordOrKey(1, "format") {
		p.At += 2
		a.KeyFormat = p.keyFormat()
		p.tableTail(&a.CreateTable)
	}
	p.Expect(lex.KFrom)
	a.FromPos = p.Here()
	a.From = p.StringConst()
	return a
}

// detach reads DETACH TABLE.
func (p reader) detach() tree.Utility {
	p.Next()
	p.Expect(lex.KTable)
	d := &tree.DetachTable{IfExists: p.ifExists(), Names: p.names()}
	d.Cascade = p.cascade()
	return d
}

// qualifier reads ENCODED_QUALIFIER n, or QUALIFIER and a string, or one of
// hexadecimal digits.
func (p reader) qualifier(c *tree.ColumnDef) {
	if p.wordOrKey(0, "format") {
		p.Next()
		if c.Format = p.Label(); c.Format != "text" && c.Format != "binary" {
			p.SyntaxErrorAt(p.At - 1)
		}
		return
	}
	if p.AcceptWord("encoded_qualifier") {
		c.Number = p.IntConst()
		return
	}
	p.Next()
	if p.Word("hex") {
		p.Next()
		at := p.At
		b, err := hex.DecodeString(p.StringConst())
		if err != nil {
			p.SyntaxErrorAt(at)
		}
		c.Qualifier, c.HasQualifier = b, true
		return
	}
	c.Qualifier, c.HasQualifier = []byte(p.StringConst()), true
}

// wordOrKey tells whether the n-th token from here is this word, be it a key word or not.
func (p reader) wordOrKey(n int, w string) bool {
	t := p.Peek(n)
	return t.Kind == lex.Ident && p.Name(t) == w
}

// importPhoenix reads IMPORT PHOENIX SCHEMA [schema] [LIMIT TO (table, …)] [FROM 'storage table'].
func (p reader) importPhoenix() tree.Utility {
	p.At += 2
	u := &tree.ImportPhoenix{Pos: p.Here()}
	p.Expect(lex.KSchema)
	if cursor.IsColID(p.Token()) {
		u.Schema = p.ColID()
	}
	if p.Accept2(lex.KLimit, lex.KTo) {
		u.Tables = p.ColIDList()
	}
	if p.Accept(lex.KFrom) {
		u.Pos, u.From = p.Here(), p.StringConst()
	}
	return u
}
