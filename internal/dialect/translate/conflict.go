package translate

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// conflict emits ON CONFLICT … or ON DUPLICATE KEY ….
func (p *Translator) conflict() {
	src := p.Offset()
	p.Next()
	if p.AcceptWord("duplicate") {
		p.duplicateKey(src)
		return
	}
	p.Expect(lex.KConflict)
	at := p.Mark()
	constraint := ""
	switch {
	case p.Kind() == lex.LParen:
		p.Next()
		for {
			p.conflictTarget()
			if !p.AcceptKind(lex.Comma) {
				break
			}
			p.raw(", ")
		}
		p.ExpectKind(lex.RParen)
		if p.Accept(lex.KWhere) {
			p.raw(", ")
			p.open(marker.MTargetIf, marker.Nothing, -1)
			p.Expr()
			p.raw(")")
		}
	case p.Keyword() == lex.KOn:
		p.Next()
		p.Expect(lex.KConstraint)
		constraint = p.ColID()
	}
	p.Expect(lex.KDo)
	action := "nothing"
	if !p.Accept(lex.KNothing) {
		p.Expect(lex.KUpdate)
		p.Expect(lex.KSet)
		action = "update"
		p.comma(at)
		p.setList(false)
		if p.Accept(lex.KWhere) {
			p.raw(", ")
			p.open(marker.MWhere, marker.Nothing, -1)
			p.Expr()
			p.raw(")")
		}
	}
	p.wrapConflict(at, fields(action, constraint), src)
}

// wrapConflict makes the conflict marker around the pieces since the mark.
func (p *Translator) wrapConflict(at int, payload string, src int32) {
	args := p.cut(at)
	p.open(marker.MConflict, payload, src)
	p.paste(args)
	p.raw(")")
}

// conflictTarget emits one index expression of ON CONFLICT (…).
func (p *Translator) conflictTarget() {
	src := p.Offset()
	at := p.Mark()
	if p.Kind() == lex.LParen {
		p.Next()
		p.Expr()
		p.ExpectKind(lex.RParen)
	} else {
		p.primary()
	}
	collation, class := "", ""
	if p.Accept(lex.KCollate) {
		collation = p.AnyName().Name
	}
	if cursor.IsColID(p.Token()) {
		class = p.AnyName().Name
	}
	switch p.Keyword() {
	case lex.KAsc, lex.KDesc:
		p.Fail(sqlerr.New(sqlerr.InvalidColumnReference, "ASC/DESC is not allowed in ON CONFLICT clause").At(p.Pos(src)))
	case lex.KNulls:
		p.Fail(sqlerr.New(sqlerr.InvalidColumnReference, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause").At(p.Pos(src)))
	}
	p.wrapMarker(at, marker.MTarget, fields(collation, class), -1)
	p.raw(")")
}

// duplicateKey emits Phoenix's ON DUPLICATE KEY IGNORE | UPDATE … |
// UPDATE_ONLY ….
func (p *Translator) duplicateKey(src int32) {
	p.Expect(lex.KKey)
	at := p.Mark()
	action := "duplicate ignore"
	switch {
	case p.AcceptWord("ignore"):
	case p.Accept(lex.KUpdate):
		action = "duplicate update"
		p.setList(false)
	case p.AcceptWord("update_only"):
		action = "duplicate update only"
		p.setList(false)
	default:
		p.SyntaxError()
	}
	p.wrapConflict(at, action, src)
}
