package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// set reads SET in all its forms.
func (p reader) set() tree.Utility {
	p.next()
	s := &tree.Set{Pos: p.here()}
	switch {
	case p.kw() == lex.KSession && p.peek(1).Keyword == lex.KCharacteristics:
		p.i += 2
		p.expect(lex.KAs)
		p.expect(lex.KTransaction)
		return &tree.SetTransaction{Session: true, Modes: p.txModes(true)}
	case p.kw() == lex.KSession && p.peek(1).Keyword != lex.KAuthorization && !p.assigns(1):
		p.next()
	case p.kw() == lex.KLocal && !p.assigns(1):
		p.next()
		s.Scope = tree.SetLocal
	}
	s.Pos = p.here()
	switch p.kw() {
	case lex.KTransaction:
		if p.assigns(1) {
			break
		}
		p.next()
		t := &tree.SetTransaction{Local: s.Scope == tree.SetLocal}
		if p.accept(lex.KSnapshot) {
			t.Snapshot = p.stringConst()
		} else {
			t.Modes = p.txModes(true)
		}
		return t
	case lex.KConstraints:
		return p.setConstraints()
	case lex.KTime:
		if p.peek(1).Keyword == lex.KZone {
			p.i += 2
			s.Name = "timezone"
			p.zoneValue(s)
			return s
		}
	case lex.KCatalog:
		if p.peek(1).Kind == lex.String {
			p.unsupported(p.src(), "current database cannot be changed", "Connect to the other database.")
		}
	case lex.KSchema:
		if p.peek(1).Kind == lex.String {
			p.next()
			s.Name = "search_path"
			s.Values = []tree.SetValue{{Text: p.stringConst(), Quoted: true}}
			return s
		}
	case lex.KNames:
		if !p.assigns(1) {
			p.next()
			s.Name = "client_encoding"
			if p.kind() == lex.String {
				s.Values = []tree.SetValue{{Text: p.stringConst(), Quoted: true}}
			} else {
				p.accept(lex.KDefault)
				s.Default = true
			}
			return s
		}
	case lex.KRole:
		if !p.assigns(1) {
			p.next()
			s.Name = "role"
			p.wordOrString(s)
			return s
		}
	case lex.KSession:
		if p.peek(1).Keyword == lex.KAuthorization {
			p.i += 2
			s.Name = "session_authorization"
			if p.accept(lex.KDefault) {
				s.Default = true
			} else {
				p.wordOrString(s)
			}
			return s
		}
	case lex.KXml:
		if p.accept2(lex.KXml, lex.KOption) {
			s.Name = "xmloption"
			p.wordOrString(s)
			return s
		}
	}
	s.Name = p.paramName()
	switch {
	case p.accept2(lex.KFrom, lex.KCurrent):
		s.FromCurrent = true
		return s
	case p.accept(lex.KTo), p.acceptOp(lex.OpEQ):
	default:
		p.syntaxError()
	}
	if p.accept(lex.KDefault) {
		s.Default = true
		return s
	}
	for {
		s.Values = append(s.Values, p.setValue())
		if !p.acceptKind(lex.Comma) {
			return s
		}
	}
}

// assigns tells whether TO or = stands n tokens on: the word before is then a
// parameter's name.
func (p reader) assigns(n int) bool {
	t := p.peek(n)
	return t.Keyword == lex.KTo || t.Kind == lex.Op && t.Op == lex.OpEQ || t.Kind == lex.Dot
}

func (p reader) paramName() string {
	name := strings.ToLower(p.colID())
	for p.acceptKind(lex.Dot) {
		name += "." + strings.ToLower(p.colID())
	}
	return name
}

func (p reader) setValue() tree.SetValue {
	if n, ok := p.signedNumber(); ok {
		return tree.SetValue{Text: n, Number: true}
	}
	t := p.tok()
	switch {
	case t.Kind == lex.String:
		p.next()
		return tree.SetValue{Text: p.lx.Value(*t), Quoted: true}
	case t.Kind == lex.QuotedID:
		p.next()
		return tree.SetValue{Text: p.lx.Value(*t)}
	case t.Kind == lex.Ident && (t.Keyword == 0 || t.Keyword.Category() != lex.Reserved ||
		t.Keyword == lex.KTrue || t.Keyword == lex.KFalse || t.Keyword == lex.KOn):
		p.next()
		return tree.SetValue{Text: p.name(t)}
	}
	p.syntaxError()
	return tree.SetValue{}
}

func (p reader) wordOrString(s *tree.Set) {
	if p.kind() == lex.String {
		s.Values = []tree.SetValue{{Text: p.stringConst(), Quoted: true}}
		return
	}
	t := p.tok()
	if !isLabel(t) || t.Kind == lex.Ident && t.Keyword != 0 && t.Keyword.Category() == lex.Reserved {
		p.syntaxError()
	}
	s.Values = []tree.SetValue{{Text: p.label()}}
}

// zoneValue reads the value of SET TIME ZONE.
func (p reader) zoneValue(s *tree.Set) {
	switch {
	case p.accept(lex.KDefault), p.accept(lex.KLocal):
		s.Default = true
	case p.kw() == lex.KInterval:
		at := p.src()
		e := p.expressionBy(func() ex {
			e, ok := p.intervalConst()
			if !ok {
				p.next()
				p.syntaxError()
			}
			return e
		})
		if t, err := typename.Parse(e.Text); err == nil && len(t.Mods) > 0 && t.Mods[0]&^(tree.IntervalHour|tree.IntervalMinute) != 0 {
			p.fail(sqlerr.New(sqlerr.SyntaxError, "time zone interval must be HOUR or HOUR TO MINUTE").At(p.pos(at)))
		}
		s.Interval = &e
	default:
		s.Values = []tree.SetValue{p.setValue()}
	}
}

func (p reader) setConstraints() tree.Utility {
	p.next()
	c := &tree.SetConstraints{}
	if p.accept(lex.KAll) {
		c.All = true
	} else {
		c.Names = p.names()
	}
	if p.accept(lex.KDeferred) {
		c.Deferred = true
	} else {
		p.expect(lex.KImmediate)
	}
	return c
}

// shownName reads the name of a parameter in SHOW and RESET.
func (p reader) shownName() (name string, all bool) {
	switch {
	case p.accept(lex.KAll):
		return "", true
	case p.accept2(lex.KTime, lex.KZone):
		return "timezone", false
	case p.accept2(lex.KSession, lex.KAuthorization):
		return "session_authorization", false
	case p.kw() == lex.KTransaction && p.peek(1).Keyword == lex.KIsolation:
		p.i += 2
		p.expect(lex.KLevel)
		return "transaction_isolation", false
	}
	return p.paramName(), false
}

func (p reader) show() tree.Utility {
	p.next()
	if p.kw() == lex.KCreate {
		p.next()
		p.expect(lex.KTable)
		return &tree.ShowCreateTable{Name: p.qualified()}
	}
	s := &tree.Show{Pos: p.here()}
	s.Name, s.All = p.shownName()
	return s
}

func (p reader) resetParam() tree.Utility {
	p.next()
	r := &tree.Reset{Pos: p.here()}
	r.Name, r.All = p.shownName()
	return r
}

func (p reader) discard() tree.Utility {
	p.next()
	switch p.kw() {
	case lex.KAll, lex.KPlans, lex.KSequences:
		d := &tree.Discard{What: p.kw().String()}
		p.next()
		return d
	case lex.KTemp, lex.KTemporary:
		p.next()
		return &tree.Discard{What: "temp"}
	}
	p.syntaxError()
	return nil
}
