package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// endsSelectList tells whether no select list is written.
func (p *Translator) endsSelectList() bool {
	switch p.Kind() {
	case lex.EOF, lex.RParen, lex.Semicolon:
		return true
	}
	switch p.Keyword() {
	case lex.KFrom, lex.KWhere, lex.KGroup, lex.KHaving, lex.KWindow, lex.KUnion, lex.KIntersect,
		lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor, lex.KInto:
		return true
	}
	return false
}

// selectList emits the items and gives the first one's name.
func (p *Translator) selectList(h int32) (first Expr, height int32) {
	for n := 0; ; n++ {
		e := p.selectItem()
		if n == 0 {
			first = e
		}
		h = max(h, e.h)
		if !p.AcceptKind(lex.Comma) {
			return first, h
		}
		p.raw(", ")
	}
}

// selectItem emits one item with its column name.
func (p *Translator) selectItem() Expr {
	if n := p.wildcard(); n > 0 {
		for ; n > 1; n -= 2 {
			p.ident(p.Name(p.Token()), p.Offset())
			p.raw(".")
			p.At += 2
		}
		p.rawAt("*", p.Offset())
		p.Next()
		return Expr{Name: marker.NameFromStar, Strong: 2}
	}
	e := p.Expr()
	label := "?column?"
	if e.Strong > 0 {
		label = e.Name
	}
	switch {
	case p.Accept(lex.KAs), cursor.IsBareLabel(p.Token()):
		label = p.Label()
	case p.wantsAs():
		t := p.Token()
		p.Fail(sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, p.Lex.Raw(*t)).At(p.Pos(t.Start)).
			WithHint("Write AS before an alias that is such a word."))
	}
	p.raw(" AS ")
	p.ident(label, -1)
	// A scalar subquery is named after its first column, even if that has
	// the name of none.
	e.Name, e.Strong = label, 2
	return e
}

// wantsAs says that a word is an alias which needs AS here, as DAY does, which Phoenix takes without.
func (p *Translator) wantsAs() bool {
	t, after := p.Token(), p.Peek(1)
	if t.Kind != lex.Ident || t.Keyword == 0 || t.Keyword.Bare() || t.Keyword.Category() != lex.Unreserved {
		return false
	}
	return after.Kind == lex.Comma || after.Kind == lex.RParen || after.Kind == lex.EOF || after.Kind == lex.Semicolon || after.Keyword == lex.KFrom
}

// wildcard gives the number of tokens of *, t.* or s.t.* standing alone as an
// item, or 0. It goes past the database that d.s.t.* begins with.
func (p *Translator) wildcard() int {
	n := 0
	for n < 6 && p.Peek(n+1).Kind == lex.Dot && (n == 0 && cursor.IsColID(p.Peek(n)) || n > 0 && cursor.IsLabel(p.Peek(n))) {
		n += 2
	}
	if t := p.Peek(n); t.Kind != lex.Op || t.Op != lex.OpMul {
		return 0
	}
	if n == 0 {
		return 1
	}
	switch t := p.Peek(n + 1); t.Kind {
	case lex.Comma, lex.EOF, lex.RParen, lex.Semicolon:
	default:
		switch t.Keyword {
		case lex.KFrom, lex.KWhere, lex.KGroup, lex.KHaving, lex.KWindow, lex.KUnion, lex.KIntersect,
			lex.KExcept, lex.KOrder, lex.KLimit, lex.KOffset, lex.KFetch, lex.KFor, lex.KInto:
		default:
			return 0
		}
	}
	if n == 6 {
		p.InDatabase(p.Offset(), 2, []string{p.Name(p.Token()), p.Name(p.Peek(2)), p.Name(p.Peek(4))}, ".*")
		p.At += 2
		n -= 2
	}
	return n + 1
}
