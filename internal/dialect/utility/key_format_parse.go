package utility

import (
	"encoding/hex"
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// keyFormat reads KEY FORMAT's parenthesis:
//
//	( item, … )
//	item    'literal' | X'hex' | SALT hash(item, …) [% n] [SIGNED] form | part
//	part    column form | MAX - column form | n - column form
//	form    [TEXT | DECIMAL | HEX | BINARY] [SECONDS | MILLIS | MICROS] [WIDTH n]
func (p reader) keyFormat() *tree.KeyFormat {
	f := &tree.KeyFormat{Pos: p.Here()}
	p.ExpectKind(lex.LParen)
	for {
		if p.Word("salt") && p.Peek(2).Kind == lex.LParen {
			f.Items = append(f.Items, p.keySalt())
		} else {
			f.Items = append(f.Items, p.keyItem())
		}
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	return f
}

// keySalt reads SALT hash(item, …) and what is made of the hash.
func (p reader) keySalt() tree.KeyItem {
	it := tree.KeyItem{Pos: p.Here()}
	p.Next()
	s := &tree.KeySalt{Hash: p.Label()}
	p.ExpectKind(lex.LParen)
	for {
		s.Args = append(s.Args, p.keyItem())
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	p.ExpectKind(lex.RParen)
	if p.AcceptOp(lex.OpMod) {
		s.Buckets = p.IntConst()
	}
	s.Signed = p.AcceptWord("signed")
	it.Salt = s
	p.keyForm(&it)
	return it
}

// keyItem reads a literal or a column.
func (p reader) keyItem() tree.KeyItem {
	it := tree.KeyItem{Pos: p.Here()}
	switch t := p.Token(); {
	case t.Kind == lex.String:
		it.Literal = []byte(p.StringConst())
		return it
	case t.Kind == lex.HexString:
		b, err := hex.DecodeString(p.Lex.Value(*t))
		if err != nil {
			p.SyntaxError()
		}
		p.Next()
		it.Literal = b
		return it
	case p.Word("max") && p.Peek(1).Op == lex.OpSub:
		p.At += 2
		it.Reversed = true
	case t.Kind == lex.Int:
		n, err := strconv.ParseInt(p.Lex.Value(*t), 10, 64)
		if err != nil || n == 0 {
			p.SyntaxError()
		}
		p.Next()
		if !p.AcceptOp(lex.OpSub) {
			p.SyntaxError()
		}
		it.Reversed, it.Max = true, n
	}
	it.Column = p.ColID()
	p.keyForm(&it)
	return it
}

// keyForm reads how a number or a value is written, its words in any order.
func (p reader) keyForm(it *tree.KeyItem) {
	for cursor.IsLabel(p.Token()) {
		switch w := p.Name(p.Token()); w {
		case "decimal", "hex", "text", "binary":
			p.Next()
			it.Kind = w
		case "seconds", "millis", "micros":
			p.Next()
			it.Unit = w
		case "width":
			p.Next()
			it.Width = p.IntConst()
		default:
			return
		}
	}
}
