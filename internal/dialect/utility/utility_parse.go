package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// reader reads the statements that the grammar never sees, and hands the queries and
// expressions in them to the translator.
type reader struct{ *translate.Translator }

// Statement reads the statement at the current token, of any kind.
func Statement(p *translate.Translator) *tree.Statement { return reader{p}.statement() }

// KeyColumns reads the columns of a key, in parentheses or not.
func KeyColumns(p *translate.Translator) []tree.KeyCol {
	var k tree.KeyConstraint
	paren := p.AcceptKind(lex.LParen)
	reader{p}.keyColumns(&k)
	if paren {
		p.ExpectKind(lex.RParen)
	}
	return k.Columns
}

// statement translates the statement at the current token.
func (p reader) statement() *tree.Statement {
	p.Enter()
	defer p.Leave()
	st, begin := p.BeginStatement(), p.At
	if p.startsDML() {
		st.DML = p.DMLTree(st)
	} else if list, ok := p.list(); ok {
		st.DML = list
	} else {
		st.Utility = p.utility()
	}
	st.NumParams = max(st.NumParams, p.Nested)
	p.Nested = max(p.Nested, st.NumParams)
	p.EndStatement(st)
	st.Tokens = p.At - begin
	if into := p.TakeInto(); into != nil {
		query := *st
		st.DML, st.Utility = nil, &tree.CreateTableAs{Name: into.Name, Temp: into.Temp, Unlogged: into.Unlogged, SelectInto: true, Query: &query}
	}
	return st
}

// startsDML tells whether a query or DML begins here.
func (p reader) startsDML() bool {
	t := p.Token()
	if t.Kind == lex.LParen || translate.StartsQuery(t) {
		return true
	}
	switch t.Keyword {
	case lex.KUpdate, lex.KDelete:
		return !p.atPhoenix()
	case lex.KInsert, lex.KMerge:
		return true
	}
	return p.Word("upsert")
}

// utility reads a statement that is neither a query nor DML. DDL and utility
// statements do not go through the TiDB grammar: their own structs are filled
// by hand, and only the expressions and queries inside are translated.
func (p reader) utility() tree.Utility {
	if p.atPhoenix() {
		return p.phoenix()
	}
	t := p.Token()
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
		p.Next()
		if p.Accept(lex.KAll) {
			return &tree.CloseCursor{All: true}
		}
		return &tree.CloseCursor{Name: p.ColID()}
	case lex.KPrepare:
		return p.prepare()
	case lex.KExecute:
		return p.execute()
	case lex.KDeallocate:
		p.Next()
		if k := p.Peek(1).Kind; k != lex.EOF && k != lex.Semicolon {
			p.Accept(lex.KPrepare)
		}
		if p.Accept(lex.KAll) {
			return &tree.Deallocate{All: true}
		}
		return &tree.Deallocate{Name: p.ColID()}
	case lex.KExplain:
		return p.explain()
	case lex.KDiscard:
		return p.discard()
	case lex.KListen:
		p.Next()
		return &tree.Listen{Channel: p.ColID()}
	case lex.KUnlisten:
		p.Next()
		if p.AcceptOp(lex.OpMul) {
			return &tree.Unlisten{All: true}
		}
		return &tree.Unlisten{Channel: p.ColID()}
	case lex.KNotify:
		p.Next()
		n := &tree.Notify{Channel: p.ColID()}
		if p.AcceptKind(lex.Comma) {
			n.Payload = p.StringConst()
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
		p.Next()
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
	case lex.KDo:
		return p.do()
	case lex.KCall, lex.KCluster, lex.KLoad, lex.KSecurity:
		return p.refused(alone, p.At)
	case lex.KRefresh:
		return p.refresh()
	case lex.KReindex:
		return p.reindex()
	case lex.KReassign:
		return p.reassign()
	case lex.KImport:
		if p.WordAt(1, "phoenix") {
			return p.importPhoenix()
		}
		return p.refused(alone, p.At)
	}
	switch {
	case p.Word("use") && cursor.IsColID(p.Peek(1)):
		p.Next()
		return &tree.UseSchema{Name: p.ColID()}
	case p.Word("cancel"):
		p.Next()
		return &tree.Cancel{PID: int32(p.signedInt())}
	}
	p.SyntaxError()
	return nil
}

// skipStatement goes to the end of the statement. A function's body BEGIN
// ATOMIC … END holds semicolons of its own.
func (p reader) skipStatement() {
	depth := 0
	for p.Kind() != lex.EOF && (depth > 0 || p.Kind() != lex.Semicolon) {
		switch k := p.Keyword(); {
		case k == lex.KBegin && p.Peek(1).Keyword == lex.KAtomic, k == lex.KCase && depth > 0:
			depth++
		case k == lex.KEnd && depth > 0:
			depth--
		}
		p.Next()
	}
	if depth > 0 {
		p.SyntaxError()
	}
}

// ifExists reads IF EXISTS.
func (p reader) ifExists() bool { return p.Accept2(lex.KIf, lex.KExists) }

// ifNotExists reads IF NOT EXISTS.
func (p reader) ifNotExists() bool {
	if p.Keyword() == lex.KIf && p.Peek(1).Keyword == lex.KNot {
		p.At += 2
		p.Expect(lex.KExists)
		return true
	}
	return false
}

// cascade reads CASCADE or RESTRICT.
func (p reader) cascade() bool {
	if p.Accept(lex.KCascade) {
		return true
	}
	p.Accept(lex.KRestrict)
	return false
}

// names reads a comma list of qualified names.
func (p reader) names() []tree.Name {
	var list []tree.Name
	for {
		list = append(list, p.Qualified())
		if !p.AcceptKind(lex.Comma) {
			return list
		}
	}
}

// nestedStatement translates a query or DML statement inside a utility.
func (p reader) nestedStatement() *tree.Statement {
	if !p.startsDML() {
		p.SyntaxError()
	}
	return p.statement()
}

// nestedQuery translates a query inside a utility.
func (p reader) nestedQuery() *tree.Statement {
	if p.Kind() != lex.LParen && !translate.StartsQuery(p.Token()) {
		p.SyntaxError()
	}
	p.Enter()
	defer p.Leave()
	st := p.BeginStatement()
	at := p.Mark()
	p.FullQuery()
	st.DML = p.Compile(at, st)
	p.Nested = max(p.Nested, st.NumParams)
	p.EndStatement(st)
	return st
}

// textSince gives the text from token i to the last token read.
func (p reader) textSince(i int) string {
	if p.At <= i {
		return ""
	}
	return p.Lex.Text[p.Tokens[i].Start:p.Tokens[p.At-1].End]
}

// number reads [+|-] number as text.
func (p reader) signedNumber() (string, bool) {
	sign := ""
	t := p.Token()
	if t.Kind == lex.Op && (t.Op == lex.OpAdd || t.Op == lex.OpSub) {
		if t.Op == lex.OpSub {
			sign = "-"
		}
		t = p.Peek(1)
		if t.Kind != lex.Int && t.Kind != lex.Number {
			return "", false
		}
		p.Next()
	}
	if t.Kind != lex.Int && t.Kind != lex.Number {
		return "", false
	}
	p.Next()
	return sign + p.Lex.Value(*t), true
}

// refresh reads REFRESH MATERIALIZED VIEW.
func (p reader) refresh() tree.Utility {
	p.Next()
	p.Expect(lex.KMaterialized)
	p.Expect(lex.KView)
	r := &tree.Refresh{Concurrently: p.Accept(lex.KConcurrently), Name: p.Qualified()}
	r.NoData = p.withNoData()
	return r
}

// withNoData reads WITH [NO] DATA, and says whether it is NO.
func (p reader) withNoData() (no bool) {
	if p.Accept(lex.KWith) {
		no = p.Accept(lex.KNo)
		p.Expect(lex.KData)
	}
	return no
}

// checkTable reads CHECK TABLE.
func (p reader) checkTable() tree.Utility {
	p.Next()
	p.Expect(lex.KTable)
	c := &tree.CheckTable{Table: p.Qualified()}
	switch {
	case p.AcceptWord("salt"):
		c.Salt = true
	case p.Accept(lex.KIndex):
		c.Index = true
	default:
		p.Accept(lex.KAll)
		c.Salt, c.Index = true, true
	}
	c.Repair = p.AcceptWord("repair")
	return c
}

// reindex reads REINDEX.
func (p reader) reindex() tree.Utility {
	p.Next()
	r := &tree.Reindex{}
	if p.Kind() == lex.LParen {
		r.Options = p.optionList(true)
	}
	r.Pos = p.Here()
	named := false
	switch {
	case p.Accept(lex.KIndex):
		r.Object = "index"
	case p.Accept(lex.KTable):
		r.Object = "table"
	case p.Accept(lex.KSchema):
		r.Object, named = "schema", true
	case p.Accept(lex.KDatabase):
		r.Object, named = "database", true
	case p.Accept(lex.KSystem):
		r.Object, named = "system", true
	default:
		p.SyntaxError()
	}
	r.Concurrently = p.Accept(lex.KConcurrently)
	if named {
		r.Name.Pos = p.Here()
		r.Name.Name = p.ColID()
	} else {
		r.Name = p.Qualified()
	}
	return r
}

func upper(s string) string { return strings.ToUpper(s) }
