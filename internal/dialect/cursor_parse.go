package dialect

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// declare reads DECLARE name [options] CURSOR [WITH HOLD] FOR query.
func (p reader) declare() tree.Utility {
	p.next()
	d := &tree.DeclareCursor{Name: p.colID()}
	for !p.accept(lex.KCursor) {
		switch {
		case p.accept(lex.KBinary):
			d.Binary = true
		case p.accept(lex.KInsensitive):
			d.Insensitive = true
		case p.accept(lex.KAsensitive):
			d.Asensitive = true
		case p.accept(lex.KScroll):
			d.Scroll = true
		case p.accept2(lex.KNo, lex.KScroll):
			d.NoScroll = true
		default:
			p.syntaxError()
		}
	}
	switch {
	case p.accept2(lex.KWith, lex.KHold):
		d.Hold = true
	case p.accept2(lex.KWithout, lex.KHold):
	}
	p.expect(lex.KFor)
	d.Query = p.nestedQuery()
	return d
}

// fetch reads FETCH and MOVE.
func (p reader) fetch() tree.Utility {
	f := &tree.Fetch{Move: p.kw() == lex.KMove, Count: 1}
	p.next()
	// A direction word followed by nothing is the cursor's name.
	alone := func() bool {
		k := p.peek(1).Kind
		return k == lex.EOF || k == lex.Semicolon
	}
	if !alone() {
		p.fetchDirection(f)
	}
	if !p.accept(lex.KFrom) {
		p.accept(lex.KIn)
	}
	f.Cursor = p.colID()
	return f
}

func (p reader) fetchDirection(f *tree.Fetch) {
	switch {
	case p.kw() == lex.KNext && p.peek(1).Kind == lex.Int: // Phoenix's FETCH NEXT n ROWS
		p.next()
		f.Count = p.signedInt()
		if !p.acceptWord("rows") {
			p.acceptWord("row")
		}
	case p.accept(lex.KNext):
	case p.accept(lex.KPrior):
		f.Direction = tree.FetchBackward
	case p.accept(lex.KFirst):
		f.Direction = tree.FetchAbsolute
	case p.accept(lex.KLast):
		f.Direction, f.Count = tree.FetchAbsolute, -1
	case p.accept(lex.KAbsolute):
		f.Direction, f.Count = tree.FetchAbsolute, p.signedInt()
	case p.accept(lex.KRelative):
		f.Direction, f.Count = tree.FetchRelative, p.signedInt()
	case p.accept(lex.KAll):
		f.All = true
	case p.accept(lex.KForward):
		p.fetchCountOrAll(f)
	case p.accept(lex.KBackward):
		f.Direction = tree.FetchBackward
		p.fetchCountOrAll(f)
	case p.kw() == lex.KFrom || p.kw() == lex.KIn || isColID(p.tok()):
	default:
		f.Count = p.signedInt()
	}
}

func (p reader) fetchCountOrAll(f *tree.Fetch) {
	if p.accept(lex.KAll) {
		f.All = true
	} else if t := p.tok(); t.Kind == lex.Int || t.Kind == lex.Op {
		f.Count = p.signedInt()
	}
}

// signedInt reads an integer of 32 bits with an optional sign.
func (p reader) signedInt() int64 {
	i := p.i
	if s, ok := p.signedNumber(); ok {
		if n, err := strconv.ParseInt(s, 10, 32); err == nil {
			return n
		}
	}
	p.syntaxErrorAt(i)
	return 0
}

// prepare reads PREPARE name [(types)] AS statement, and PREPARE TRANSACTION.
func (p reader) prepare() tree.Utility {
	p.next()
	if p.kw() == lex.KTransaction && p.peek(1).Kind == lex.String {
		p.next()
		return &tree.TwoPhase{Command: "PREPARE TRANSACTION", ID: p.stringConst()}
	}
	s := &tree.Prepare{Name: p.colID()}
	if p.acceptKind(lex.LParen) {
		for {
			s.Types = append(s.Types, p.typeName())
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
		p.expectKind(lex.RParen)
	}
	p.expect(lex.KAs)
	outer := p.nested
	s.Stmt = p.nestedStatement()
	// Its parameters are bound by EXECUTE, not by the client.
	p.nested = outer
	return s
}

func (p reader) execute() tree.Utility {
	p.next()
	e := &tree.Execute{Name: p.colID()}
	if p.acceptKind(lex.LParen) {
		for {
			e.Args = append(e.Args, p.expression())
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
		p.expectKind(lex.RParen)
	}
	return e
}

// explain reads EXPLAIN in the present and the old spellings.
func (p reader) explain() tree.Utility {
	p.next()
	e := &tree.Explain{}
	if p.kind() == lex.LParen && !p.isSubquery() {
		e.Options = p.optionList(true)
	} else {
		if k := p.kw(); k == lex.KAnalyze || k == lex.KAnalyse {
			e.Options = append(e.Options, tree.Option{Name: "analyze", Pos: p.here()})
			p.next()
		}
		if p.kw() == lex.KVerbose {
			e.Options = append(e.Options, tree.Option{Name: "verbose", Pos: p.here()})
			p.next()
		}
		e.Advise = p.acceptWord("advise")
		if p.kw() == lex.KWith && p.wordAt(1, "regions") && p.peek(2).Keyword != lex.KAs {
			p.i += 2 // Phoenix's: what it adds, ANALYZE says
		}
	}
	e.Stmt = p.explainable()
	return e
}

// explainable translates a statement that EXPLAIN takes.
func (p reader) explainable() *tree.Statement {
	switch p.kw() {
	case lex.KExecute, lex.KDeclare, lex.KCreate:
	default:
		if !p.startsDML() {
			p.syntaxError()
		}
	}
	return p.statement()
}

func (p reader) lockTable() tree.Utility {
	p.next()
	p.accept(lex.KTable)
	l := &tree.LockTable{Mode: "access exclusive"}
	for {
		p.accept(lex.KOnly)
		l.Tables = append(l.Tables, p.qualified())
		p.acceptOp(lex.OpMul)
		if !p.acceptKind(lex.Comma) {
			break
		}
	}
	if p.accept(lex.KIn) {
		l.Mode = p.lockMode()
		p.expect(lex.KMode)
	}
	l.NoWait = p.accept(lex.KNowait)
	return l
}

// lockMode reads one of lockModes.
func (p reader) lockMode() string {
	for _, m := range lockModes {
		n := 0
		for _, w := range strings.Fields(m) {
			if !p.wordAt(n, w) {
				n = -1
				break
			}
			n++
		}
		if n > 0 {
			p.i += n
			return m
		}
	}
	p.syntaxError()
	return ""
}

// analyze reads ANALYZE.
func (p reader) analyze() tree.Utility {
	p.next()
	a := &tree.Analyze{}
	if p.kind() == lex.LParen {
		a.Options = p.optionList(true)
	} else if p.kw() == lex.KVerbose {
		a.Options = append(a.Options, tree.Option{Name: "verbose", Pos: p.here()})
		p.next()
	}
	a.Tables, a.Columns = p.maintained()
	return a
}

// vacuum reads VACUUM.
func (p reader) vacuum() tree.Utility {
	p.next()
	v := &tree.Vacuum{}
	if p.kind() == lex.LParen {
		v.Options = p.optionList(true)
	} else {
		for _, k := range []lex.Keyword{lex.KFull, lex.KFreeze, lex.KVerbose, lex.KAnalyze} {
			if p.kw() == k {
				v.Options = append(v.Options, tree.Option{Name: k.String(), Pos: p.here()})
				p.next()
			}
		}
	}
	v.Tables, v.Columns = p.maintained()
	return v
}

// maintained reads table [(columns)], …, which may be empty.
func (p reader) maintained() (tables []tree.Name, columns [][]string) {
	if !isColID(p.tok()) {
		return nil, nil
	}
	for {
		tables = append(tables, p.qualified())
		var cols []string
		if p.kind() == lex.LParen {
			cols = p.colIDList()
		}
		columns = append(columns, cols)
		if !p.acceptKind(lex.Comma) {
			return tables, columns
		}
	}
}
