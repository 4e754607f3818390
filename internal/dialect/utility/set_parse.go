package utility

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/cursor"
	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/translate"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/typename"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// set reads SET in all its forms.
func (p reader) set() tree.Utility {
	p.Next()
	s := &tree.Set{Pos: p.Here()}
	switch {
	case p.Keyword() == lex.KSession && p.Peek(1).Keyword == lex.KCharacteristics:
		p.At += 2
		p.Expect(lex.KAs)
		p.Expect(lex.KTransaction)
		return &tree.SetTransaction{Session: true, Modes: p.txModes(true)}
	case p.Keyword() == lex.KSession && p.Peek(1).Keyword != lex.KAuthorization && !p.assigns(1):
		p.Next()
	case p.Keyword() == lex.KLocal && !p.assigns(1):
		p.Next()
		s.Scope = tree.SetLocal
	}
	s.Pos = p.Here()
	switch p.Keyword() {
	case lex.KTransaction:
		if p.assigns(1) {
			break
		}
		p.Next()
		t := &tree.SetTransaction{Local: s.Scope == tree.SetLocal}
		if p.Accept(lex.KSnapshot) {
			t.Snapshot = p.StringConst()
		} else {
			t.Modes = p.txModes(true)
		}
		return t
	case lex.KConstraints:
		return p.setConstraints()
	case lex.KTime:
		if p.Peek(1).Keyword == lex.KZone {
			p.At += 2
			s.Name = "timezone"
			p.zoneValue(s)
			return s
		}
	case lex.KCatalog:
		if p.Peek(1).Kind == lex.String {
			p.Unsupported(p.Offset(), "current database cannot be changed", "Connect to the other database.")
		}
	case lex.KSchema:
		if p.Peek(1).Kind == lex.String {
			p.Next()
			s.Name = "search_path"
			s.Values = []tree.SetValue{{Text: p.StringConst(), Quoted: true}}
			return s
		}
	case lex.KNames:
		if !p.assigns(1) {
			p.Next()
			s.Name = "client_encoding"
			if p.Kind() == lex.String {
				s.Values = []tree.SetValue{{Text: p.StringConst(), Quoted: true}}
			} else {
				p.Accept(lex.KDefault)
				s.Default = true
			}
			return s
		}
	case lex.KRole:
		if !p.assigns(1) {
			p.Next()
			s.Name = "role"
			p.wordOrString(s)
			return s
		}
	case lex.KSession:
		if p.Peek(1).Keyword == lex.KAuthorization {
			p.At += 2
			s.Name = "session_authorization"
			if p.Accept(lex.KDefault) {
				s.Default = true
			} else {
				p.wordOrString(s)
			}
			return s
		}
	case lex.KXml:
		if p.Accept2(lex.KXml, lex.KOption) {
			s.Name = "xmloption"
			p.wordOrString(s)
			return s
		}
	}
	s.Name = p.paramName()
	switch {
	case p.Accept2(lex.KFrom, lex.KCurrent):
		s.FromCurrent = true
		return s
	case p.Accept(lex.KTo), p.AcceptOp(lex.OpEQ):
	default:
		p.SyntaxError()
	}
	if p.Accept(lex.KDefault) {
		s.Default = true
		return s
	}
	for {
		s.Values = append(s.Values, p.setValue())
		if !p.AcceptKind(lex.Comma) {
			return s
		}
	}
}

// assigns tells whether TO or = stands n tokens on: the word before is then a
// parameter's name.
func (p reader) assigns(n int) bool {
	t := p.Peek(n)
	return t.Keyword == lex.KTo || t.Kind == lex.Op && t.Op == lex.OpEQ || t.Kind == lex.Dot
}

func (p reader) paramName() string {
	name := strings.ToLower(p.ColID())
	for p.AcceptKind(lex.Dot) {
		name += "." + strings.ToLower(p.ColID())
	}
	return name
}

func (p reader) setValue() tree.SetValue {
	if n, ok := p.signedNumber(); ok {
		return tree.SetValue{Text: n, Number: true}
	}
	t := p.Token()
	switch {
	case t.Kind == lex.String:
		p.Next()
		return tree.SetValue{Text: p.Lex.Value(*t), Quoted: true}
	case t.Kind == lex.QuotedID:
		p.Next()
		return tree.SetValue{Text: p.Lex.Value(*t)}
	case t.Kind == lex.Ident && (t.Keyword == 0 || t.Keyword.Category() != lex.Reserved ||
		t.Keyword == lex.KTrue || t.Keyword == lex.KFalse || t.Keyword == lex.KOn):
		p.Next()
		return tree.SetValue{Text: p.Name(t)}
	}
	p.SyntaxError()
	return tree.SetValue{}
}

func (p reader) wordOrString(s *tree.Set) {
	if p.Kind() == lex.String {
		s.Values = []tree.SetValue{{Text: p.StringConst(), Quoted: true}}
		return
	}
	t := p.Token()
	if !cursor.IsLabel(t) || t.Kind == lex.Ident && t.Keyword != 0 && t.Keyword.Category() == lex.Reserved {
		p.SyntaxError()
	}
	s.Values = []tree.SetValue{{Text: p.Label()}}
}

// zoneValue reads the value of SET TIME ZONE.
func (p reader) zoneValue(s *tree.Set) {
	switch {
	case p.Accept(lex.KDefault), p.Accept(lex.KLocal):
		s.Default = true
	case p.Keyword() == lex.KInterval:
		at := p.Offset()
		e := p.ExpressionBy(func() translate.Expr {
			e, ok := p.IntervalConst()
			if !ok {
				p.Next()
				p.SyntaxError()
			}
			return e
		})
		if t, err := typename.Parse(e.Text); err == nil && len(t.Mods) > 0 && t.Mods[0]&^(tree.IntervalHour|tree.IntervalMinute) != 0 {
			p.Fail(sqlerr.New(sqlerr.SyntaxError, "time zone interval must be HOUR or HOUR TO MINUTE").At(p.Pos(at)))
		}
		s.Interval = &e
	default:
		s.Values = []tree.SetValue{p.setValue()}
	}
}

func (p reader) setConstraints() tree.Utility {
	p.Next()
	c := &tree.SetConstraints{}
	if p.Accept(lex.KAll) {
		c.All = true
	} else {
		c.Names = p.names()
	}
	if p.Accept(lex.KDeferred) {
		c.Deferred = true
	} else {
		p.Expect(lex.KImmediate)
	}
	return c
}

// shownName reads the name of a parameter in SHOW and RESET.
func (p reader) shownName() (name string, all bool) {
	switch {
	case p.Accept(lex.KAll):
		return "", true
	case p.Accept2(lex.KTime, lex.KZone):
		return "timezone", false
	case p.Accept2(lex.KSession, lex.KAuthorization):
		return "session_authorization", false
	case p.Keyword() == lex.KTransaction && p.Peek(1).Keyword == lex.KIsolation:
		p.At += 2
		p.Expect(lex.KLevel)
		return "transaction_isolation", false
	}
	return p.paramName(), false
}

func (p reader) show() tree.Utility {
	p.Next()
	if p.Keyword() == lex.KCreate {
		p.Next()
		p.Expect(lex.KTable)
		return &tree.ShowCreateTable{Name: p.Qualified()}
	}
	s := &tree.Show{Pos: p.Here()}
	s.Name, s.All = p.shownName()
	return s
}

func (p reader) resetParam() tree.Utility {
	p.Next()
	r := &tree.Reset{Pos: p.Here()}
	r.Name, r.All = p.shownName()
	return r
}

func (p reader) discard() tree.Utility {
	p.Next()
	switch p.Keyword() {
	case lex.KAll, lex.KPlans, lex.KSequences:
		d := &tree.Discard{What: p.Keyword().String()}
		p.Next()
		return d
	case lex.KTemp, lex.KTemporary:
		p.Next()
		return &tree.Discard{What: "temp"}
	}
	p.SyntaxError()
	return nil
}
