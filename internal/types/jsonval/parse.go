package jsonval

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Kind is a JSON value's type, in jsonb's order.
type Kind uint8

// The kinds.
const (
	Null Kind = iota
	String
	Number
	Bool
	Array
	Object
)

// Value is a JSON value. Object keys are in jsonb's order, each once.
type Value struct {
	Kind  Kind
	Bool  bool
	Str   string
	Num   *apd.Decimal
	Elems []*Value
	Keys  []string // objects: Keys[i] names Elems[i]
	// Source is the text v was read from, where ParseSource read it.
	Source string
}

// maxDepth bounds nesting, as Postgres's stack depth check does.
//
//saltsql:limit types: nested arrays and objects of a JSON value (54001)
const maxDepth = 6000

// ParseSource is Parse for values that keep the text they were written as.
func ParseSource(s string) (*Value, error) {
	return (&parser{lexer: lexer{s: s, decode: true}, tree: true, source: true}).document()
}

// ParseOrdered is ParseSource for values whose members stay as they are written,
// repeated ones too; Field does not work on them.
func ParseOrdered(s string) (*Value, error) {
	return (&parser{lexer: lexer{s: s, decode: true}, tree: true, source: true, ordered: true}).document()
}

// Validate checks JSON text, as json does: 22P02. What escapes stand for is not looked at.
func Validate(s string) error {
	_, err := (&parser{lexer: lexer{s: s}}).document()
	return err
}

// Parse reads JSON text into a tree, as jsonb does: the last of repeated keys
// wins. 22P02; 22P05 for \u0000.
func Parse(s string) (*Value, error) {
	return (&parser{lexer: lexer{s: s, decode: true}, tree: true}).document()
}

// parser is the grammar: each function begins at its first token, and ends at the one behind
// its last.
type parser struct {
	lexer
	tree    bool // build Values; otherwise only validate
	source  bool // and keep their text
	ordered bool // and leave the members of objects in the order of the text
	depth   int
}

func (p *parser) document() (*Value, error) {
	if err := p.next(); err != nil {
		return nil, err
	}
	v, err := p.value()
	if err != nil {
		return nil, err
	}
	if p.tok != end {
		return nil, p.expected("end of input")
	}
	return v, nil
}

// expected refuses the token, in whose place something else should be.
func (p *parser) expected(what string) error {
	if p.tok == end {
		return p.fail("The input string ended unexpectedly.")
	}
	return p.fail(`Expected %s, but found "%s".`, what, p.token())
}

func (p *parser) value() (*Value, error) {
	start := p.start
	v, err := p.bare()
	if err == nil && p.source {
		v.Source = p.s[start:p.before]
	}
	return v, err
}

func (p *parser) bare() (*Value, error) {
	switch {
	case p.at('{'):
		return p.nested(p.object)
	case p.at('['):
		return p.nested(p.array)
	case p.tok == end || p.tok == punct:
		return nil, p.expected("JSON value")
	}
	tok, start, s := p.tok, p.token(), p.str
	if err := p.next(); err != nil || !p.tree {
		return nil, err
	}
	switch {
	case tok == text:
		return &Value{Kind: String, Str: s}, nil
	case tok == word && start == "null":
		return &Value{Kind: Null}, nil
	case tok == word:
		return &Value{Kind: Bool, Bool: start == "true"}, nil
	}
	v := &Value{Kind: Number, Num: new(apd.Decimal)}
	return v, numeric.Parse(v.Num, start)
}

// nested reads an array or an object, behind its opening bracket.
func (p *parser) nested(f func() (*Value, error)) (*Value, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
			WithHint("JSON may nest %d levels deep.", maxDepth)
	}
	if err := p.next(); err != nil {
		return nil, err
	}
	v, err := f()
	if err != nil {
		return nil, err
	}
	p.depth--
	return v, p.next()
}

func (p *parser) array() (*Value, error) {
	v := &Value{Kind: Array}
	if p.at(']') {
		return v, nil
	}
	for {
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.tree {
			v.Elems = append(v.Elems, e)
		}
		switch {
		case p.at(']'):
			return v, nil
		case !p.at(','):
			return nil, p.expected(`"," or "]"`)
		}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) object() (*Value, error) {
	v := &Value{Kind: Object}
	if p.at('}') {
		return v, nil
	}
	if p.tok != text {
		return nil, p.expected(`string or "}"`)
	}
	for {
		if p.tok != text {
			return nil, p.expected("string")
		}
		key := p.str
		if err := p.next(); err != nil {
			return nil, err
		}
		if !p.at(':') {
			return nil, p.expected(`":"`)
		}
		if err := p.next(); err != nil {
			return nil, err
		}
		e, err := p.value()
		if err != nil {
			return nil, err
		}
		if p.tree {
			v.Keys = append(v.Keys, key)
			v.Elems = append(v.Elems, e)
		}
		switch {
		case p.at('}'):
			if p.tree && !p.ordered {
				v.sortKeys()
			}
			return v, nil
		case !p.at(','):
			return nil, p.expected(`"," or "}"`)
		}
		if err := p.next(); err != nil {
			return nil, err
		}
	}
}
