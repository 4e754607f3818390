package plpgsql

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// maxDepth is how deep blocks and IFs may nest.
//
//saltsql:limit statements: blocks and IFs of DO that nest (54001)
const maxDepth = 100

// Parse reads a body. 42601 where it is wrong, 22021 where it is no UTF-8, 0A000 where it needs variables,
// 42704 where a condition has no such name, 54001 where it nests too deep. No position is told: it would be one in the body.
func Parse(body string) (b *Block, err error) {
	p := parser{}
	if err := p.lex.Read(body); err != nil {
		return nil, unplaced(err)
	}
	defer func() {
		if f, ok := recover().(failure); ok {
			b, err = nil, f.err
		}
	}()
	if p.is("declare") || p.kind() == lex.Op {
		p.refuse("variables and labels in DO are not supported")
	}
	b = p.block()
	p.acceptKind(lex.Semicolon)
	if p.kind() != lex.EOF {
		p.wrong()
	}
	return b, nil
}

func unplaced(err error) error {
	if e := sqlerr.As(err); e != nil {
		e.Position = 0
	}
	return err
}

type parser struct {
	lex   lex.Tokens
	at    int
	depth int
}

// failure ends parsing from any depth.
type failure struct{ err *sqlerr.Error }

func (p *parser) fail(err *sqlerr.Error) { panic(failure{err}) }

func (p *parser) wrong() {
	t := p.token()
	if t.Kind == lex.EOF {
		p.fail(sqlerr.New(sqlerr.SyntaxError, "syntax error at end of input"))
	}
	p.fail(sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, p.lex.Raw(t)))
}

func (p *parser) refuse(what string) {
	p.fail(sqlerr.Unsupported(what, "DO takes SQL statements, IF, EXCEPTION, RAISE, PERFORM, EXECUTE and NULL: compute in the statements, or in the program."))
}

func (p *parser) token() lex.Token { return p.lex.Toks[p.at] }
func (p *parser) kind() lex.Kind   { return p.token().Kind }

func (p *parser) next() {
	if p.at < len(p.lex.Toks)-1 {
		p.at++
	}
}

// word is the unquoted word at a token, in lower case; "" for anything else.
func (p *parser) word(i int) string {
	if i >= len(p.lex.Toks) || p.lex.Toks[i].Kind != lex.Ident {
		return ""
	}
	return strings.ToLower(p.lex.Raw(p.lex.Toks[i]))
}

func (p *parser) is(w string) bool { return p.word(p.at) == w }

func (p *parser) accept(w string) bool {
	if p.is(w) {
		p.next()
		return true
	}
	return false
}

func (p *parser) expect(w string) {
	if !p.accept(w) {
		p.wrong()
	}
}

func (p *parser) acceptKind(k lex.Kind) bool {
	if p.kind() == k {
		p.next()
		return true
	}
	return false
}

func (p *parser) semicolon() {
	if !p.acceptKind(lex.Semicolon) {
		p.wrong()
	}
}

// line is that of the current token, from 1.
func (p *parser) line() int { return 1 + strings.Count(p.lex.Text[:p.token().Start], "\n") }

func (p *parser) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail(sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").WithHint("Blocks and IFs may nest %d deep.", maxDepth))
	}
}

// block reads BEGIN … END, without the semicolon.
func (p *parser) block() *Block {
	p.enter()
	defer func() { p.depth-- }()
	b := &Block{Line: p.line()}
	p.expect("begin")
	b.Do = p.statements()
	if p.accept("exception") {
		if !p.is("when") {
			p.wrong()
		}
		for p.accept("when") {
			h := Handler{When: []Condition{p.condition()}}
			for p.accept("or") {
				h.When = append(h.When, p.condition())
			}
			p.expect("then")
			h.Do = p.statements()
			b.Handlers = append(b.Handlers, h)
		}
	}
	p.expect("end")
	return b
}

// statements reads up to a word that ends a list of them.
func (p *parser) statements() (list []Statement) {
	for {
		switch p.word(p.at) {
		case "end", "exception", "when", "elsif", "elseif", "else":
			return list
		}
		if p.kind() == lex.EOF {
			p.wrong()
		}
		list = append(list, p.statement())
	}
}

func (p *parser) statement() Statement {
	line := p.line()
	if after := p.lex.Toks[min(p.at+1, len(p.lex.Toks)-1)]; p.kind() == lex.Op || after.Kind == lex.ColonEq || after.Kind == lex.Op && after.Op == lex.OpEQ {
		p.refuse("variables and labels in DO are not supported")
	}
	switch w := p.word(p.at); w {
	case "begin":
		b := p.block()
		p.semicolon()
		return b
	case "declare":
		p.refuse("variables and labels in DO are not supported")
	case "for", "foreach", "while", "loop", "case", "exit", "continue", "return", "get", "assert", "open", "fetch", "move", "close", "call", "do":
		p.refuse(strings.ToUpper(w) + " in DO is not supported")
	case "null":
		p.next()
		p.semicolon()
		return &Null{line}
	case "if":
		return p.ifs()
	case "raise":
		return p.raise()
	case "perform":
		p.next()
		text, _ := p.sql(";")
		p.semicolon()
		return &SQL{Text: "SELECT " + text, Perform: true, Line: line}
	case "execute":
		p.next()
		text, end := p.sql(";", "into", "using")
		if end != ";" {
			p.refuse("EXECUTE … " + strings.ToUpper(end) + " in DO is not supported")
		}
		p.semicolon()
		return &Execute{Text: text, Line: line}
	}
	text, _ := p.sql(";")
	p.semicolon()
	return &SQL{Text: text, Line: line}
}

func (p *parser) ifs() *If {
	p.enter()
	defer func() { p.depth-- }()
	f := &If{Line: p.line()}
	p.next()
	for {
		when, _ := p.sql("then")
		p.expect("then")
		f.Arms = append(f.Arms, Arm{when, p.statements()})
		if !p.accept("elsif") && !p.accept("elseif") {
			break
		}
	}
	if p.accept("else") {
		f.Else = p.statements()
	}
	p.expect("end")
	p.expect("if")
	p.semicolon()
	return f
}

// sql gives the text up to one of the words that end it, "," or ";", outside of parentheses, and which
// it was. THEN of a CASE ends it too, as in PostgreSQL, where none are around that.
func (p *parser) sql(ends ...string) (text, end string) {
	from, open := p.at, 0
	for ; ; p.at++ {
		t := p.token()
		switch t.Kind {
		case lex.EOF:
			p.wrong()
		case lex.LParen, lex.LBracket:
			open++
		case lex.RParen, lex.RBracket:
			open--
		}
		w := p.word(p.at)
		switch t.Kind {
		case lex.Semicolon:
			w = ";"
		case lex.Comma:
			w = ","
		}
		if open > 0 && w != ";" {
			continue
		}
		for _, e := range ends {
			if w != e {
				continue
			}
			if p.at == from {
				p.wrong()
			}
			return p.lex.Text[p.lex.Toks[from].Start:p.lex.Toks[p.at-1].End], e
		}
		if w == ";" {
			p.wrong()
		}
	}
}

// severities are RAISE's.
var severities = map[string]sqlerr.Severity{
	"debug": "", "log": "", "info": sqlerr.SeverityInfo, "notice": sqlerr.SeverityNotice,
	"warning": sqlerr.SeverityWarning, "exception": sqlerr.SeverityError,
}

func (p *parser) raise() *Raise {
	r := &Raise{Severity: sqlerr.SeverityError, Line: p.line()}
	p.next()
	if s, ok := severities[p.word(p.at)]; ok {
		r.Severity = s
		p.next()
	}
	switch {
	case p.kind() == lex.String:
		r.Format, r.Given = p.lex.Value(p.token()), true
		p.next()
		for p.acceptKind(lex.Comma) {
			arg, _ := p.sql(",", ";", "using")
			r.Args = append(r.Args, arg)
		}
		if n := placeholders(r.Format); len(r.Args) > n {
			p.fail(sqlerr.New(sqlerr.SyntaxError, "too many parameters specified for RAISE"))
		} else if len(r.Args) < n {
			p.fail(sqlerr.New(sqlerr.SyntaxError, "too few parameters specified for RAISE"))
		}
	case p.is("sqlstate"):
		p.next()
		r.Code = p.state()
		r.Name = r.Code.String()
	case p.word(p.at) != "" && !p.is("using"):
		r.Name = p.word(p.at)
		c, ok := codeOf(r.Name)
		if !ok {
			p.fail(unrecognized(r.Name))
		}
		r.Code = c
		p.next()
	}
	if p.accept("using") {
		for {
			name := p.word(p.at)
			if !options[name] {
				p.wrong()
			}
			p.next()
			if t := p.token(); t.Kind != lex.ColonEq && (t.Kind != lex.Op || t.Op != lex.OpEQ) {
				p.wrong()
			}
			p.next()
			value, _ := p.sql(",", ";")
			r.Using = append(r.Using, Option{name, value})
			if !p.acceptKind(lex.Comma) {
				break
			}
		}
	}
	p.semicolon()
	return r
}

// options are what USING may set.
var options = map[string]bool{
	"message": true, "detail": true, "hint": true, "errcode": true,
	"column": true, "constraint": true, "datatype": true, "table": true, "schema": true,
}

// placeholders counts the % of a format that stand for a value.
func placeholders(format string) int {
	return strings.Count(strings.ReplaceAll(format, "%%", ""), "%")
}

// Filled puts values in the place of the % of a format, of which there are as many.
func Filled(format string, values []string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		switch {
		case format[i] != '%':
			b.WriteByte(format[i])
		case strings.HasPrefix(format[i:], "%%"):
			b.WriteByte('%')
			i++
		default:
			b.WriteString(values[0])
			values = values[1:]
		}
	}
	return b.String()
}
