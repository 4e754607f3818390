package dialect

import (
	"github.com/saltsql/saltsql/internal/dialect/lex"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// transaction reads BEGIN, COMMIT, ROLLBACK, SAVEPOINT and their like.
func (p reader) transaction() tree.Utility {
	k := p.kw()
	p.next()
	switch k {
	case lex.KBegin:
		p.workOrTransaction()
		return &tree.Begin{Modes: p.txModes(false)}
	case lex.KStart:
		p.expect(lex.KTransaction)
		return &tree.Begin{Start: true, Modes: p.txModes(false)}
	case lex.KCommit, lex.KEnd:
		if k == lex.KCommit && p.accept(lex.KPrepared) {
			return &tree.TwoPhase{Command: "COMMIT PREPARED", ID: p.stringConst()}
		}
		p.workOrTransaction()
		return &tree.Commit{Chain: p.chain()}
	case lex.KSavepoint:
		return &tree.Savepoint{Name: p.colID()}
	case lex.KRelease:
		return &tree.Release{Name: p.savepointName()}
	}
	if k == lex.KRollback && p.accept(lex.KPrepared) {
		return &tree.TwoPhase{Command: "ROLLBACK PREPARED", ID: p.stringConst()}
	}
	p.workOrTransaction()
	if k == lex.KRollback && p.accept(lex.KTo) {
		return &tree.RollbackTo{Name: p.savepointName()}
	}
	return &tree.Rollback{Chain: p.chain()}
}

// savepointName reads [SAVEPOINT] name.
func (p reader) savepointName() string {
	if p.kw() == lex.KSavepoint && isColID(p.peek(1)) {
		p.next()
	}
	return p.colID()
}

func (p reader) workOrTransaction() {
	if !p.accept(lex.KWork) {
		p.accept(lex.KTransaction)
	}
}

// chain reads AND [NO] CHAIN.
func (p reader) chain() bool {
	if !p.accept(lex.KAnd) {
		return false
	}
	no := p.accept(lex.KNo)
	p.expect(lex.KChain)
	return !no
}

// txModes reads transaction modes, separated by commas or space.
func (p reader) txModes(required bool) tree.TxModes {
	var m tree.TxModes
	truth := func(b bool) *bool { return &b }
	for n := 0; ; n++ {
		comma := n > 0 && p.acceptKind(lex.Comma)
		switch {
		case p.accept(lex.KIsolation):
			p.expect(lex.KLevel)
			m.Isolation = p.isolationLevel()
		case p.accept2(lex.KRead, lex.KOnly):
			m.ReadOnly = truth(true)
		case p.accept2(lex.KRead, lex.KWrite):
			m.ReadOnly = truth(false)
		case p.accept(lex.KDeferrable):
			m.Deferrable = truth(true)
		case p.accept2(lex.KNot, lex.KDeferrable):
			m.Deferrable = truth(false)
		default:
			if comma || required && n == 0 {
				p.syntaxError()
			}
			return m
		}
	}
}

func (p reader) isolationLevel() string {
	switch {
	case p.accept(lex.KSerializable):
		return "serializable"
	case p.accept2(lex.KRepeatable, lex.KRead):
		return "repeatable read"
	case p.accept2(lex.KRead, lex.KCommitted):
		return "read committed"
	case p.accept2(lex.KRead, lex.KUncommitted):
		return "read uncommitted"
	}
	p.syntaxError()
	return ""
}
