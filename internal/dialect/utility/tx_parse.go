package utility

import (
	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// transaction reads BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their like.
func (p reader) transaction() tree.Utility {
	k := p.Keyword()
	if (k == lex.KCommit || k == lex.KRollback) && p.Peek(1).Keyword == lex.KPrepared {
		return p.refused(alone, p.At)
	}
	p.Next()
	switch k {
	case lex.KBegin:
		p.workOrTransaction()
		return &tree.Begin{Modes: p.txModes(false)}
	case lex.KStart:
		p.Expect(lex.KTransaction)
		return &tree.Begin{Start: true, Modes: p.txModes(false)}
	case lex.KCommit, lex.KEnd:
		p.workOrTransaction()
		return &tree.Commit{Chain: p.chain()}
	case lex.KSavepoint:
		return &tree.Savepoint{Name: p.ColID()}
	case lex.KRelease:
		return &tree.Release{Name: p.savepointName()}
	}
	p.workOrTransaction()
	if k == lex.KRollback && p.Accept(lex.KTo) {
		return &tree.RollbackTo{Name: p.savepointName()}
	}
	return &tree.Rollback{Chain: p.chain()}
}

// savepointName reads [SAVEPOINT] name.
func (p reader) savepointName() string {
	if p.Keyword() == lex.KSavepoint && cursor.IsColID(p.Peek(1)) {
		p.Next()
	}
	return p.ColID()
}

func (p reader) workOrTransaction() {
	if !p.Accept(lex.KWork) {
		p.Accept(lex.KTransaction)
	}
}

// chain reads AND [NO] CHAIN.
func (p reader) chain() bool {
	if !p.Accept(lex.KAnd) {
		return false
	}
	no := p.Accept(lex.KNo)
	p.Expect(lex.KChain)
	return !no
}

// txModes reads transaction modes, separated by commas or space.
func (p reader) txModes(required bool) tree.TxModes {
	var m tree.TxModes
	truth := func(b bool) *bool { return &b }
	for n := 0; ; n++ {
		comma := n > 0 && p.AcceptKind(lex.Comma)
		switch {
		case p.Accept(lex.KIsolation):
			p.Expect(lex.KLevel)
			m.Isolation = p.isolationLevel()
		case p.Accept2(lex.KRead, lex.KOnly):
			m.ReadOnly = truth(true)
		case p.Accept2(lex.KRead, lex.KWrite):
			m.ReadOnly = truth(false)
		case p.Accept(lex.KDeferrable):
			m.Deferrable = truth(true)
		case p.Accept2(lex.KNot, lex.KDeferrable):
			m.Deferrable = truth(false)
		default:
			if comma || required && n == 0 {
				p.SyntaxError()
			}
			return m
		}
	}
}

func (p reader) isolationLevel() string {
	switch {
	case p.Accept(lex.KSerializable):
		return "serializable"
	case p.Accept2(lex.KRepeatable, lex.KRead):
		return "repeatable read"
	case p.Accept2(lex.KRead, lex.KCommitted):
		return "read committed"
	case p.Accept2(lex.KRead, lex.KUncommitted):
		return "read uncommitted"
	}
	p.SyntaxError()
	return ""
}
