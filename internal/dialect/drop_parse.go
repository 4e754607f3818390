package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// dropObjects are what DROP takes by name; other objects are not read further.
var dropObjects = []struct {
	words [2]lex.Keyword
	name  string
}{
	{[2]lex.Keyword{lex.KTable}, "table"},
	{[2]lex.Keyword{lex.KView}, "view"},
	{[2]lex.Keyword{lex.KMaterialized, lex.KView}, "materialized view"},
	{[2]lex.Keyword{lex.KForeign, lex.KTable}, "foreign table"},
	{[2]lex.Keyword{lex.KIndex}, "index"},
	{[2]lex.Keyword{lex.KSequence}, "sequence"},
	{[2]lex.Keyword{lex.KSchema}, "schema"},
	{[2]lex.Keyword{lex.KType}, "type"},
	{[2]lex.Keyword{lex.KDomain}, "domain"},
}

// drop reads DROP of anything.
func (p reader) drop() tree.Utility {
	begin := p.i
	p.next()
	for _, o := range dropObjects {
		if p.kw() != o.words[0] || o.words[1] != 0 && p.peek(1).Keyword != o.words[1] {
			continue
		}
		p.next()
		if o.words[1] != 0 {
			p.next()
		}
		d := &tree.Drop{Object: o.name}
		if o.name == "index" {
			d.Concurrently = p.accept(lex.KConcurrently)
		}
		d.IfExists = p.ifExists()
		d.Names = p.names()
		if o.name == "index" && p.accept(lex.KOn) {
			n := p.qualified()
			d.OnTable = &n
		}
		d.Cascade = p.cascade()
		return d
	}
	if p.atRole() {
		return p.dropRole()
	}
	return p.otherObject("DROP", begin)
}

// truncate reads TRUNCATE.
func (p reader) truncate() tree.Utility {
	p.next()
	p.accept(lex.KTable)
	t := &tree.Truncate{}
	for {
		p.accept(lex.KOnly)
		t.Tables = append(t.Tables, p.qualified())
		p.acceptOp(lex.OpMul)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	switch {
	case p.accept2(lex.KRestart, lex.KIdentity):
		t.RestartIdentity = true
	case p.accept2(lex.KContinue, lex.KIdentity):
	case p.word("preserve") && p.wordAt(1, "splits"): // Phoenix's, and what is done anyway
		p.i += 2
	}
	t.Cascade = p.cascade()
	return t
}
