package utility

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// declare reads DECLARE name [options] CURSOR [WITH HOLD] FOR query.
func (p reader) declare() tree.Utility {
	p.Next()
	d := &tree.DeclareCursor{Name: p.ColID()}
	for !p.Accept(lex.KCursor) {
		switch {
		case p.Accept(lex.KBinary):
			d.Binary = true
		case p.Accept(lex.KInsensitive):
			d.Insensitive = true
		case p.Accept(lex.KAsensitive):
			d.Asensitive = true
		case p.Accept(lex.KScroll):
			d.Scroll = true
		case p.Accept2(lex.KNo, lex.KScroll):
			d.NoScroll = true
		default:
			p.SyntaxError()
		}
	}
	switch {
	case p.Accept2(lex.KWith, lex.KHold):
		d.Hold = true
	case p.Accept2(lex.KWithout, lex.KHold):
	}
	p.Expect(lex.KFor)
	d.Query = p.nestedQuery()
	return d
}

// fetch reads FETCH and MOVE.
func (p reader) fetch() tree.Utility {
	f := &tree.Fetch{Move: p.Keyword() == lex.KMove, Count: 1}
	p.Next()
	// A direction word followed by nothing is the cursor's name.
	alone := func() bool {
		k := p.Peek(1).Kind
		return k == lex.EOF || k == lex.Semicolon
	}
	if !alone() {
		p.fetchDirection(f)
	}
	if !p.Accept(lex.KFrom) {
		p.Accept(lex.KIn)
	}
	f.Cursor = p.ColID()
	return f
}

func (p reader) fetchDirection(f *tree.Fetch) {
	switch {
	case p.Keyword() == lex.KNext && p.Peek(1).Kind == lex.Int: // Phoenix's FETCH NEXT n ROWS
		p.Next()
		f.Count = p.signedInt()
		if !p.AcceptWord("rows") {
			p.AcceptWord("row")
		}
	case p.Accept(lex.KNext):
	case p.Accept(lex.KPrior):
		f.Direction = tree.FetchBackward
	case p.Accept(lex.KFirst):
		f.Direction = tree.FetchAbsolute
	case p.Accept(lex.KLast):
		f.Direction, f.Count = tree.FetchAbsolute, -1
	case p.Accept(lex.KAbsolute):
		f.Direction, f.Count = tree.FetchAbsolute, p.signedInt()
	case p.Accept(lex.KRelative):
		f.Direction, f.Count = tree.FetchRelative, p.signedInt()
	case p.Accept(lex.KAll):
		f.All = true
	case p.Accept(lex.KForward):
		p.fetchCountOrAll(f)
	case p.Accept(lex.KBackward):
		f.Direction = tree.FetchBackward
		p.fetchCountOrAll(f)
	case p.Keyword() == lex.KFrom || p.Keyword() == lex.KIn || cursor.IsColID(p.Token()):
	default:
		f.Count = p.signedInt()
	}
}

func (p reader) fetchCountOrAll(f *tree.Fetch) {
	if p.Accept(lex.KAll) {
		f.All = true
	} else if t := p.Token(); t.Kind == lex.Int || t.Kind == lex.Op {
		f.Count = p.signedInt()
	}
}

// signedInt reads an integer of 32 bits with an optional sign.
func (p reader) signedInt() int64 {
	i := p.At
	if s, ok := p.signedNumber(); ok {
		if n, err := strconv.ParseInt(s, 10, 32); err == nil {
			return n
		}
	}
	p.SyntaxErrorAt(i)
	return 0
}

// prepare reads PREPARE name [(types)] AS statement, and PREPARE TRANSACTION.
func (p reader) prepare() tree.Utility {
	if p.Peek(1).Keyword == lex.KTransaction && p.Peek(2).Kind == lex.String {
		return p.refused(alone, p.At)
	}
	p.Next()
	s := &tree.Prepare{Name: p.ColID()}
	if p.AcceptKind(lex.LParen) {
		for {
			s.Types = append(s.Types, p.TypeName())
			if !p.AcceptKind(lex.Comma) {
				break
			}
		}
		p.ExpectKind(lex.RParen)
	}
	p.Expect(lex.KAs)
	outer := p.Nested
	s.Stmt = p.nestedStatement()
	// Its parameters are bound by EXECUTE, not by the client.
	p.Nested = outer
	return s
}

func (p reader) execute() tree.Utility {
	p.Next()
	e := &tree.Execute{Name: p.ColID()}
	if p.AcceptKind(lex.LParen) {
		for {
			e.Args = append(e.Args, p.Expression())
			if !p.AcceptKind(lex.Comma) {
				break
			}
		}
		p.ExpectKind(lex.RParen)
	}
	return e
}

// explain reads EXPLAIN in the present and the old spellings.
func (p reader) explain() tree.Utility {
	p.Next()
	e := &tree.Explain{}
	if p.Kind() == lex.LParen && !p.IsSubquery() {
		e.Options = p.optionList(true)
	} else {
		if k := p.Keyword(); k == lex.KAnalyze || k == lex.KAnalyse {
			e.Options = append(e.Options, tree.Option{Name: "analyze", Pos: p.Here()})
			p.Next()
		}
		if p.Keyword() == lex.KVerbose {
			e.Options = append(e.Options, tree.Option{Name: "verbose", Pos: p.Here()})
			p.Next()
		}
		e.Advise = p.AcceptWord("advise")
		e.Salt = !e.Advise && p.AcceptWord("salt")
		if p.Keyword() == lex.KWith && p.WordAt(1, "regions") && p.Peek(2).Keyword != lex.KAs {
			p.At += 2 // Phoenix's: what it adds, ANALYZE says
		}
	}
	e.Stmt = p.explainable()
	return e
}

// explainable translates a statement that EXPLAIN takes.
func (p reader) explainable() *tree.Statement {
	switch p.Keyword() {
	case lex.KExecute, lex.KDeclare, lex.KCreate, lex.KRefresh:
	default:
		if !p.startsDML() {
			p.SyntaxError()
		}
	}
	return p.statement()
}

func (p reader) lockTable() tree.Utility {
	p.Next()
	p.Accept(lex.KTable)
	l := &tree.LockTable{Mode: "access exclusive"}
	for {
		p.Accept(lex.KOnly)
		l.Tables = append(l.Tables, p.Qualified())
		p.AcceptOp(lex.OpMul)
		if !p.AcceptKind(lex.Comma) {
			break
		}
	}
	if p.Accept(lex.KIn) {
		l.Mode = p.lockMode()
		p.Expect(lex.KMode)
	}
	l.NoWait = p.Accept(lex.KNowait)
	return l
}

// lockMode reads one of lockModes.
func (p reader) lockMode() string {
	for _, m := range lockModes {
		n := 0
		for _, w := range strings.Fields(m) {
			if !p.WordAt(n, w) {
				n = -1
				break
			}
			n++
		}
		if n > 0 {
			p.At += n
			return m
		}
	}
	p.SyntaxError()
	return ""
}

// analyze reads ANALYZE.
func (p reader) analyze() tree.Utility {
	p.Next()
	a := &tree.Analyze{}
	if p.Kind() == lex.LParen {
		a.Options = p.optionList(true)
	} else if p.Keyword() == lex.KVerbose {
		a.Options = append(a.Options, tree.Option{Name: "verbose", Pos: p.Here()})
		p.Next()
	}
	a.Tables, a.Columns = p.maintained()
	return a
}

// vacuum reads VACUUM.
func (p reader) vacuum() tree.Utility {
	p.Next()
	v := &tree.Vacuum{}
	if p.Kind() == lex.LParen {
		v.Options = p.optionList(true)
	} else {
		for _, k := range []lex.Keyword{lex.KFull, lex.KFreeze, lex.KVerbose, lex.KAnalyze} {
			if p.Keyword() == k {
				v.Options = append(v.Options, tree.Option{Name: k.String(), Pos: p.Here()})
				p.Next()
			}
		}
	}
	v.Tables, v.Columns = p.maintained()
	return v
}

// maintained reads table [(columns)], …, which may be empty.
func (p reader) maintained() (tables []tree.Name, columns [][]string) {
	if !cursor.IsColID(p.Token()) {
		return nil, nil
	}
	for {
		tables = append(tables, p.Qualified())
		var cols []string
		if p.Kind() == lex.LParen {
			cols = p.ColIDList()
		}
		columns = append(columns, cols)
		if !p.AcceptKind(lex.Comma) {
			return tables, columns
		}
	}
}
