package dialect

import (
	"encoding/hex"
	"math"
	"strconv"

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
	f := &tree.KeyFormat{Pos: p.here()}
	p.expectKind(lex.LParen)
	for {
		if p.word("salt") && p.peek(2).Kind == lex.LParen {
			f.Items = append(f.Items, p.keySalt())
		} else {
			f.Items = append(f.Items, p.keyItem())
		}
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	return f
}

// keySalt reads SALT hash(item, …) and what is made of the hash.
func (p reader) keySalt() tree.KeyItem {
	it := tree.KeyItem{Pos: p.here()}
	p.next()
	s := &tree.KeySalt{Hash: p.label()}
	p.expectKind(lex.LParen)
	for {
		s.Args = append(s.Args, p.keyItem())
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	p.expectKind(lex.RParen)
	if p.acceptOp(lex.OpMod) {
		s.Buckets = p.intConst()
	}
	s.Signed = p.acceptWord("signed")
	it.Salt = s
	p.keyForm(&it)
	return it
}

// keyItem reads a literal or a column.
func (p reader) keyItem() tree.KeyItem {
	it := tree.KeyItem{Pos: p.here()}
	switch t := p.tok(); {
	case t.Kind == lex.String:
		it.Literal = []byte(p.stringConst())
		return it
	case t.Kind == lex.HexString:
		b, err := hex.DecodeString(p.lx.Value(*t))
		if err != nil {
			p.syntaxError()
		}
		p.next()
		it.Literal = b
		return it
	case p.word("max") && p.peek(1).Op == lex.OpSub:
		p.i += 2
		it.Reversed = true
	case t.Kind == lex.Int:
		n, err := strconv.ParseInt(p.lx.Value(*t), 10, 64)
		if err != nil || n == 0 || n > math.MaxInt64 {
			p.syntaxError()
		}
		p.next()
		if !p.acceptOp(lex.OpSub) {
			p.syntaxError()
		}
		it.Reversed, it.Max = true, n
	}
	it.Column = p.colID()
	p.keyForm(&it)
	return it
}

// keyForm reads how a number or a value is written, its words in any order.
func (p reader) keyForm(it *tree.KeyItem) {
	for isLabel(p.tok()) {
		switch w := p.name(p.tok()); w {
		case "decimal", "hex", "text", "binary":
			p.next()
			it.Kind = w
		case "seconds", "millis", "micros":
			p.next()
			it.Unit = w
		case "width":
			p.next()
			it.Width = p.intConst()
		default:
			return
		}
	}
}
