package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// merge translates MERGE, for which MySQL has no form: its parts are read by themselves, as
// parts of statements that have them.
func (p *translator) merge(with []piece, st *tree.Statement) *tree.Merge {
	m := &tree.Merge{}
	if with != nil {
		sel, _ := p.part(st, func() {
			p.paste(with)
			p.raw(" SELECT 1")
		}).(*tree.Select)
		m.With = sel.With
	}
	p.next()
	p.takeHint()
	p.expect(lex.KInto)
	target, _ := p.part(st, func() {
		p.raw("DELETE FROM ")
		p.targetTable(false)
	}).(*tree.Delete)
	m.Table = target.Table
	p.expect(lex.KUsing)
	source, _ := p.part(st, func() {
		p.raw("SELECT 1 FROM ")
		p.tableRef()
		p.expect(lex.KOn)
		p.raw(" WHERE ")
		p.expr()
	}).(*tree.Select)
	m.Source, m.On = source.From[0], source.Where
	if p.kw() != lex.KWhen {
		p.syntaxError()
	}
	for p.kw() == lex.KWhen {
		m.Whens = append(m.Whens, p.mergeWhen(st))
	}
	return m
}

// part translates a part of a statement as the statement that emit makes of it.
func (p *translator) part(st *tree.Statement, emit func()) tree.DML {
	at := p.mark()
	emit()
	return p.compile(at, st)
}

func (p *translator) mergeWhen(st *tree.Statement) tree.MergeWhen {
	w := tree.MergeWhen{Pos: tree.Pos(p.here()), Matched: true}
	p.next()
	w.Matched = !p.accept(lex.KNot)
	p.expect(lex.KMatched)
	if p.accept(lex.KAnd) {
		sel, _ := p.part(st, func() {
			p.raw("SELECT ")
			p.expr()
		}).(*tree.Select)
		w.Cond = sel.Items[0].Expr
	}
	p.expect(lex.KThen)
	switch {
	case p.accept(lex.KDo):
		p.expect(lex.KNothing)
	case w.Matched && p.accept(lex.KDelete):
		w.Action = tree.MergeDelete
	case w.Matched && p.accept(lex.KUpdate):
		p.expect(lex.KSet)
		u, _ := p.part(st, func() {
			p.raw("UPDATE ")
			p.ident("t", -1)
			p.raw(" AS ")
			p.emitAlias(alias{})
			p.raw(" SET ")
			p.setList(true)
		}).(*tree.Update)
		w.Action, w.Set = tree.MergeUpdate, u.Set
	case !w.Matched && p.kw() == lex.KInsert:
		w.Action = tree.MergeInsert
		w.Insert, _ = p.part(st, p.mergeInsert).(*tree.Insert)
	default:
		p.syntaxError()
	}
	return w
}

// mergeInsert emits the INSERT of a WHEN clause, of one row into the target.
func (p *translator) mergeInsert() {
	p.rawAt("INSERT INTO ", p.src())
	pos := p.here()
	p.next()
	p.ident("t", -1)
	targets := p.insertRows("", pos, nil, func() {
		if p.kw() != lex.KValues {
			p.syntaxError()
		}
		p.rawAt("VALUES ", p.src())
		p.next()
		p.valuesRow()
	})
	p.insertExt(nil, targets)
}
