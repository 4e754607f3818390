package utility

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
	{[2]lex.Keyword{lex.KExtension}, "extension"},
}

// drop reads DROP of anything.
func (p reader) drop() tree.Utility {
	begin := p.At
	p.Next()
	for _, o := range dropObjects {
		if p.Keyword() != o.words[0] || o.words[1] != 0 && p.Peek(1).Keyword != o.words[1] {
			continue
		}
		p.Next()
		if o.words[1] != 0 {
			p.Next()
		}
		d := &tree.Drop{Object: o.name}
		if o.name == "index" {
			d.Concurrently = p.Accept(lex.KConcurrently)
		}
		d.IfExists = p.ifExists()
		d.Names = p.names()
		if o.name == "index" && p.Accept(lex.KOn) {
			n := p.Qualified()
			d.OnTable = &n
		}
		d.Cascade = p.cascade()
		return d
	}
	switch {
	case p.atRole():
		return p.dropRole()
	case p.Accept(lex.KOwned):
		p.Expect(lex.KBy)
		return &tree.DropOwned{Roles: p.roleSpecs(false), Cascade: p.cascade()}
	}
	return p.refused(drop, begin)
}

// truncate reads TRUNCATE.
func (p reader) truncate() tree.Utility {
	p.Next()
	p.Accept(lex.KTable)
	t := &tree.Truncate{}
	for {
		p.Accept(lex.KOnly)
		t.Tables = append(t.Tables, p.Qualified())
		p.AcceptOp(lex.OpMul)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	switch {
	case p.Accept2(lex.KRestart, lex.KIdentity):
		t.RestartIdentity = true
	case p.Accept2(lex.KContinue, lex.KIdentity):
	case p.Word("preserve") && p.WordAt(1, "splits"): // Phoenix's, and what is done anyway
		p.At += 2
	case p.Keyword() == lex.KDrop && p.WordAt(1, "splits"):
		p.Unsupported(p.Offset(), "TRUNCATE … DROP SPLITS is not supported", "Leave it out: split points are kept, and the store moves them with the load.")
	}
	t.Cascade = p.cascade()
	return t
}
