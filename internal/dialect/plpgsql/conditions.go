package plpgsql

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// conditionsText has a line for each error of PostgreSQL 15 that has a condition name: its SQLSTATE and the
// name, as src/backend/utils/errcodes.txt lists them (Appendix A of the manual). A name may stand for
// several codes.
//
//go:embed conditions.txt
var conditionsText string

// codes are those of each condition name.
var codes = sync.OnceValue(func() map[string][]sqlerr.Code {
	m := map[string][]sqlerr.Code{}
	for line := range strings.Lines(conditionsText) {
		state, name, _ := strings.Cut(strings.TrimSpace(line), " ")
		c, ok := sqlerr.State(state)
		if ok {
			m[name] = append(m[name], c)
		}
	}
	return m
})

// codeOf gives the code that RAISE of a condition has.
func codeOf(name string) (sqlerr.Code, bool) {
	if l := codes()[name]; len(l) > 0 {
		return l[0], true
	}
	return sqlerr.Code{}, false
}

// CodeOf reads ERRCODE's value: a condition's name or a SQLSTATE. 42704 where it is neither.
func CodeOf(text string) (sqlerr.Code, error) {
	if c, ok := sqlerr.State(text); ok {
		return c, nil
	}
	if c, ok := codeOf(text); ok {
		return c, nil
	}
	return sqlerr.Code{}, unrecognized(text)
}

func unrecognized(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedObject, `unrecognized exception condition "%s"`, name)
}

// Condition is what a handler catches: errors of some codes, or all but those that end a statement from
// outside.
type Condition struct {
	codes  []sqlerr.Code
	others bool
}

// Catches says whether an error of a code is the handler's. A code of a class, as 23000, is of all
// that begin as it does.
func (c Condition) Catches(code sqlerr.Code) bool {
	if c.others {
		return code != sqlerr.QueryCanceled && code != sqlerr.AdminShutdown
	}
	for _, own := range c.codes {
		if class, ok := strings.CutSuffix(own.String(), "000"); own == code || ok && strings.HasPrefix(code.String(), class) {
			return true
		}
	}
	return false
}

// Catches says whether one of the handler's conditions does.
func (h *Handler) Catches(code sqlerr.Code) bool {
	for _, c := range h.When {
		if c.Catches(code) {
			return true
		}
	}
	return false
}

// condition reads one of WHEN's.
func (p *parser) condition() Condition {
	name := p.word(p.at)
	switch name {
	case "":
		p.wrong()
	case "others":
		p.next()
		return Condition{others: true}
	case "sqlstate":
		p.next()
		return Condition{codes: []sqlerr.Code{p.state()}}
	}
	if len(codes()[name]) == 0 {
		p.fail(unrecognized(name))
	}
	p.next()
	return Condition{codes: codes()[name]}
}

// state reads a SQLSTATE in quotes.
func (p *parser) state() sqlerr.Code {
	if p.kind() != lex.String {
		p.wrong()
	}
	c, ok := sqlerr.State(p.lex.Value(p.token()))
	if !ok {
		p.fail(sqlerr.New(sqlerr.SyntaxError, "invalid SQLSTATE code"))
	}
	p.next()
	return c
}
