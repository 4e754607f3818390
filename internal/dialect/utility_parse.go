package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// reader reads the statements that the grammar never sees, and hands the queries and
// expressions in them to the translator.
type reader struct{ *translator }

// statement reads the statement at the current token, of any kind.
func statement(p *translator) *tree.Statement { return reader{p}.statement() }

// statement translates the statement at the current token.
func (p reader) statement() *tree.Statement {
	p.enter()
	defer p.leave()
	st := p.beginStatement()
	if p.startsDML() {
		st.DML = p.dmlTree(st)
	} else {
		st.Utility = p.utility()
	}
	st.NumParams = max(st.NumParams, p.nested)
	p.nested = max(p.nested, st.NumParams)
	p.endStatement(st)
	return st
}

// startsDML tells whether a query or DML begins here.
func (p reader) startsDML() bool {
	t := p.tok()
	if t.Kind == lex.LParen || startsQuery(t) {
		return true
	}
	switch t.Keyword {
	case lex.KUpdate, lex.KDelete:
		return !p.atPhoenix()
	case lex.KInsert, lex.KMerge:
		return true
	}
	return p.word("upsert")
}

// utility reads a statement that is neither a query nor DML. DDL and utility
// statements do not go through the TiDB grammar: their own structs are filled
// by hand, and only the expressions and queries inside are translated.
func (p reader) utility() tree.Utility {
	if p.atPhoenix() {
		return p.phoenix()
	}
	t := p.tok()
	switch t.Keyword {
	case lex.KSet:
		return p.set()
	case lex.KShow:
		return p.show()
	case lex.KReset:
		return p.resetParam()
	case lex.KBegin, lex.KStart, lex.KCommit, lex.KEnd, lex.KRollback, lex.KAbort, lex.KSavepoint, lex.KRelease:
		return p.transaction()
	case lex.KCopy:
		return p.copyStatement()
	case lex.KDeclare:
		return p.declare()
	case lex.KFetch, lex.KMove:
		return p.fetch()
	case lex.KClose:
		p.next()
		if p.accept(lex.KAll) {
			return &tree.CloseCursor{All: true}
		}
		return &tree.CloseCursor{Name: p.colID()}
	case lex.KPrepare:
		return p.prepare()
	case lex.KExecute:
		return p.execute()
	case lex.KDeallocate:
		p.next()
		if k := p.peek(1).Kind; k != lex.EOF && k != lex.Semicolon {
			p.accept(lex.KPrepare)
		}
		if p.accept(lex.KAll) {
			return &tree.Deallocate{All: true}
		}
		return &tree.Deallocate{Name: p.colID()}
	case lex.KExplain:
		return p.explain()
	case lex.KDiscard:
		return p.discard()
	case lex.KListen:
		p.next()
		return &tree.Listen{Channel: p.colID()}
	case lex.KUnlisten:
		p.next()
		if p.acceptOp(lex.OpMul) {
			return &tree.Unlisten{All: true}
		}
		return &tree.Unlisten{Channel: p.colID()}
	case lex.KNotify:
		p.next()
		n := &tree.Notify{Channel: p.colID()}
		if p.acceptKind(lex.Comma) {
			n.Payload = p.stringConst()
		}
		return n
	case lex.KLock:
		return p.lockTable()
	case lex.KGrant, lex.KRevoke:
		return p.grant()
	case lex.KAnalyze, lex.KAnalyse:
		return p.analyze()
	case lex.KVacuum:
		return p.vacuum()
	case lex.KCheck:
		return p.checkTable()
	case lex.KCheckpoint:
		p.next()
		return &tree.Checkpoint{}
	case lex.KCreate:
		return p.create()
	case lex.KAlter:
		return p.alter()
	case lex.KDrop:
		return p.drop()
	case lex.KAttach:
		return p.attach()
	case lex.KDetach:
		return p.detach()
	case lex.KTruncate:
		return p.truncate()
	case lex.KComment:
		return p.comment()
	case lex.KDo, lex.KCall, lex.KCluster, lex.KLoad:
		return p.notRead(1)
	case lex.KRefresh:
		return p.notRead(3)
	case lex.KReindex:
		return p.notRead(1)
	case lex.KReassign:
		return p.reassign()
	case lex.KSecurity:
		return p.notRead(2)
	case lex.KImport:
		if p.wordAt(1, "phoenix") {
			return p.importPhoenix()
		}
		return p.notRead(3)
	}
	switch {
	case p.word("use") && isColID(p.peek(1)):
		p.next()
		return &tree.UseSchema{Name: p.colID()}
	}
	p.syntaxError()
	return nil
}

// notRead names a statement by its first n words and skips the rest.
func (p reader) notRead(n int) tree.Utility {
	u := &tree.Unsupported{Pos: p.here()}
	var words []string
	for ; n > 0 && p.kind() == lex.Ident; n-- {
		words = append(words, upper(p.lx.Raw(*p.tok())))
		p.next()
	}
	u.Command = strings.Join(words, " ")
	u.Name = p.objectName()
	p.skipStatement()
	return u
}

// objectName gives the name that stands here, after IF [NOT] EXISTS, if one
// does.
func (p reader) objectName() string {
	if p.kw() == lex.KIf {
		p.next()
		p.accept(lex.KNot)
		p.accept(lex.KExists)
	}
	if !isColID(p.tok()) {
		return ""
	}
	name := p.colID()
	for p.kind() == lex.Dot && isLabel(p.peek(1)) {
		p.next()
		name += "." + p.label()
	}
	return name
}

// skipStatement goes to the end of the statement. A function's body BEGIN
// ATOMIC … END holds semicolons of its own.
func (p reader) skipStatement() {
	depth := 0
	for p.kind() != lex.EOF && (depth > 0 || p.kind() != lex.Semicolon) {
		switch k := p.kw(); {
		case k == lex.KBegin && p.peek(1).Keyword == lex.KAtomic, k == lex.KCase && depth > 0:
			depth++
		case k == lex.KEnd && depth > 0:
			depth--
		}
		p.next()
	}
	if depth > 0 {
		p.syntaxError()
	}
}

// ifExists reads IF EXISTS.
func (p reader) ifExists() bool { return p.accept2(lex.KIf, lex.KExists) }

// ifNotExists reads IF NOT EXISTS.
func (p reader) ifNotExists() bool {
	if p.kw() == lex.KIf && p.peek(1).Keyword == lex.KNot {
		p.i += 2
		p.expect(lex.KExists)
		return true
	}
	return false
}

// cascade reads CASCADE or RESTRICT.
func (p reader) cascade() bool {
	if p.accept(lex.KCascade) {
		return true
	}
	p.accept(lex.KRestrict)
	return false
}

// names reads a comma list of qualified names.
func (p reader) names() []tree.Name {
	var list []tree.Name
	for {
		list = append(list, p.qualified())
		if !p.acceptKind(lex.Comma) {
			return list
		}
	}
}

// nestedStatement translates a query or DML statement inside a utility.
func (p reader) nestedStatement() *tree.Statement {
	if !p.startsDML() {
		p.syntaxError()
	}
	return p.statement()
}

// nestedQuery translates a query inside a utility.
func (p reader) nestedQuery() *tree.Statement {
	if p.kind() != lex.LParen && !startsQuery(p.tok()) {
		p.syntaxError()
	}
	p.enter()
	defer p.leave()
	st := p.beginStatement()
	at := p.mark()
	p.fullQuery()
	st.DML = p.compile(at, st)
	p.nested = max(p.nested, st.NumParams)
	p.endStatement(st)
	return st
}

// textSince gives the text from token i to the last token read.
func (p reader) textSince(i int) string {
	if p.i <= i {
		return ""
	}
	return p.lx.Text[p.toks[i].Start:p.toks[p.i-1].End]
}

// number reads [+|-] number as text.
func (p reader) signedNumber() (string, bool) {
	sign := ""
	t := p.tok()
	if t.Kind == lex.Op && (t.Op == lex.OpAdd || t.Op == lex.OpSub) {
		if t.Op == lex.OpSub {
			sign = "-"
		}
		t = p.peek(1)
		if t.Kind != lex.Int && t.Kind != lex.Number {
			return "", false
		}
		p.next()
	}
	if t.Kind != lex.Int && t.Kind != lex.Number {
		return "", false
	}
	p.next()
	return sign + p.lx.Value(*t), true
}

// checkTable reads CHECK TABLE.
func (p reader) checkTable() tree.Utility {
	p.next()
	p.expect(lex.KTable)
	c := &tree.CheckTable{Table: p.qualified()}
	switch {
	case p.acceptWord("salt"):
		c.Salt = true
	case p.accept(lex.KIndex):
		c.Index = true
	default:
		p.accept(lex.KAll)
		c.Salt, c.Index = true, true
	}
	c.Repair = p.acceptWord("repair")
	return c
}

func upper(s string) string { return strings.ToUpper(s) }
