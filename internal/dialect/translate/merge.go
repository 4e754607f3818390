package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// merge translates MERGE, for which MySQL has no form: its parts are read by themselves, as
// parts of statements that have them.
func (p *Translator) merge(with []piece, st *tree.Statement) *tree.Merge {
	m := &tree.Merge{}
	if with != nil {
		sel, _ := p.part(st, func() {
			p.paste(with)
			p.raw(" SELECT 1")
		}).(*tree.Select)
		m.With = sel.With
	}
	p.Next()
	p.takeHint()
	p.Expect(lex.KInto)
	target, _ := p.part(st, func() {
		p.raw("DELETE FROM ")
		p.targetTable(false)
	}).(*tree.Delete)
	m.Table = target.Table
	p.Expect(lex.KUsing)
	source, _ := p.part(st, func() {
		p.raw("SELECT 1 FROM ")
		p.tableRef()
		p.Expect(lex.KOn)
		p.raw(" WHERE ")
		p.Expr()
	}).(*tree.Select)
	m.Source, m.On = source.From[0], source.Where
	if p.Keyword() != lex.KWhen {
		p.SyntaxError()
	}
	for p.Keyword() == lex.KWhen {
		m.Whens = append(m.Whens, p.mergeWhen(st))
	}
	return m
}

// part translates a part of a statement as the statement that emit makes of it.
func (p *Translator) part(st *tree.Statement, emit func()) tree.DML {
	at := p.Mark()
	emit()
	return p.Compile(at, st)
}

func (p *Translator) mergeWhen(st *tree.Statement) tree.MergeWhen {
	w := tree.MergeWhen{Pos: tree.Pos(p.Here()), Matched: true}
	p.Next()
	w.Matched = !p.Accept(lex.KNot)
	p.Expect(lex.KMatched)
	if p.Accept(lex.KAnd) {
		sel, _ := p.part(st, func() {
			p.raw("SELECT ")
			p.Expr()
		}).(*tree.Select)
		w.Cond = sel.Items[0].Expr
	}
	p.Expect(lex.KThen)
	switch {
	case p.Accept(lex.KDo):
		p.Expect(lex.KNothing)
	case w.Matched && p.Accept(lex.KDelete):
		w.Action = tree.MergeDelete
	case w.Matched && p.Accept(lex.KUpdate):
		p.Expect(lex.KSet)
		u, _ := p.part(st, func() {
			p.raw("UPDATE ")
			p.ident("t", -1)
			p.raw(" AS ")
			p.emitAlias(alias{})
			p.raw(" SET ")
			p.setList(true)
		}).(*tree.Update)
		w.Action, w.Set = tree.MergeUpdate, u.Set
	case !w.Matched && p.Keyword() == lex.KInsert:
		w.Action = tree.MergeInsert
		w.Insert, _ = p.part(st, p.mergeInsert).(*tree.Insert)
	default:
		p.SyntaxError()
	}
	return w
}

// mergeInsert emits the INSERT of a WHEN clause, of one row into the target.
func (p *Translator) mergeInsert() {
	p.rawAt("INSERT INTO ", p.Offset())
	pos := p.Here()
	p.Next()
	p.ident("t", -1)
	targets := p.insertRows("", pos, nil, func() {
		if p.Keyword() != lex.KValues {
			p.SyntaxError()
		}
		p.rawAt("VALUES ", p.Offset())
		p.Next()
		p.valuesRow()
	})
	p.insertExt(nil, targets)
}
