package jsonpath

// Long because the grammar is one recursion, and read in one piece.

import (
	"math"
	"slices"
	"strconv"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// maxDepth bounds nesting, as PostgreSQL's stack depth check does.
//
//saltsql:limit types: steps that follow each other, and levels, of a jsonpath (54001)
const maxDepth = 6000

// TooDeep is the error of paths that nest too deep, or that go too deep into a document.
func TooDeep() error {
	return sqlerr.New(sqlerr.StatementTooComplex, "stack depth limit exceeded").
		WithHint("Paths may have %d steps and levels.", maxDepth)
}

// Parse reads a path: 42601 with PostgreSQL's words, 22P02 for an empty one.
func Parse(s string) (*Path, error) {
	p := &parser{lex: lexer{s: s}}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind == tEnd {
		return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, `invalid input syntax for type jsonpath: "%s"`, s)
	}
	path := &Path{Lax: true}
	if p.is("strict") || p.is("lax") {
		path.Lax = p.is("lax")
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	var err error
	if path.Root, err = p.or(); err != nil {
		return nil, err
	}
	if p.tok.kind != tEnd {
		return nil, p.fail()
	}
	return path, check(path.Root, 0, false)
}

type parser struct {
	lex   lexer
	tok   token
	depth int
}

func (p *parser) advance() (err error) {
	p.tok, err = p.lex.next()
	return err
}

func (p *parser) fail() error {
	if p.tok.kind == tEnd {
		return syntax("syntax error", "")
	}
	return syntax("syntax error", p.tok.near)
}

func (p *parser) is(word string) bool { return p.tok.kind == tKeyword && p.tok.word == word }
func (p *parser) op(text string) bool { return p.tok.kind == tOp && p.tok.text == text }

func (p *parser) opOf(ops map[string]Op) (Op, bool) {
	if p.tok.kind != tOp {
		return 0, false
	}
	o, ok := ops[p.tok.text]
	return o, ok
}

func (p *parser) expect(op string) error {
	if !p.op(op) {
		return p.fail()
	}
	return p.advance()
}

// value and condition refuse, where it ends, what is not of their kind.
func (p *parser) value(n *Node, err error) (*Node, error) {
	if err == nil && n.predicate() {
		err = p.fail()
	}
	return n, err
}

func (p *parser) condition(n *Node, err error) (*Node, error) {
	if err == nil && !n.predicate() {
		err = p.fail()
	}
	return n, err
}

// node makes one of its operands.
func node(op Op, left, right *Node) (*Node, error) {
	n := &Node{Op: op, Left: left, Right: right}
	for _, x := range []*Node{left, right} {
		if x != nil {
			n.height = max(n.height, x.height+1)
		}
	}
	if n.height > maxDepth {
		return nil, TooDeep()
	}
	return n, nil
}

// nested calls f one level deeper.
func (p *parser) nested(f func() (*Node, error)) (*Node, error) {
	if p.depth++; p.depth > maxDepth {
		return nil, TooDeep()
	}
	n, err := f()
	p.depth--
	return n, err
}

// chain reads operands with operators between them, the left ones first.
func (p *parser) chain(ops map[string]Op, operand func() (*Node, error), kind func(*Node, error) (*Node, error)) (*Node, error) {
	left, err := operand()
	for err == nil {
		o, ok := p.opOf(ops)
		if !ok {
			return left, nil
		}
		if _, err = kind(left, nil); err != nil {
			return nil, err
		}
		if err = p.advance(); err != nil {
			return nil, err
		}
		var right *Node
		if right, err = kind(operand()); err == nil {
			left, err = node(o, left, right)
		}
	}
	return nil, err
}

var (
	orOps   = map[string]Op{"||": Or}
	andOps  = map[string]Op{"&&": And}
	sumOps  = map[string]Op{"+": Add, "-": Sub}
	termOps = map[string]Op{"*": Mul, "/": Div, "%": Mod}
	signOps = map[string]Op{"+": Plus, "-": Minus}
	cmpOps  = map[string]Op{"==": Equal, "!=": NotEqual, "<": Less, ">": Greater, "<=": LessEqual, ">=": GreaterEqual}
)

func (p *parser) or() (*Node, error)   { return p.chain(orOps, p.and, p.condition) }
func (p *parser) and() (*Node, error)  { return p.chain(andOps, p.comparison, p.condition) }
func (p *parser) sum() (*Node, error)  { return p.chain(sumOps, p.term, p.value) }
func (p *parser) term() (*Node, error) { return p.chain(termOps, p.sign, p.value) }

// comparison reads a predicate without && and ||, or a value.
func (p *parser) comparison() (*Node, error) {
	switch {
	case p.op("!"):
		if err := p.advance(); err != nil {
			return nil, err
		}
		var x *Node
		var err error
		switch {
		case p.is("exists"):
			x, err = p.exists()
		case p.op("("):
			x, err = p.group(func() (*Node, error) { return p.condition(p.or()) })
		default:
			err = p.fail()
		}
		if err != nil {
			return nil, err
		}
		return node(Not, x, nil)
	case p.is("exists"):
		return p.exists()
	}
	left, err := p.sum()
	if err != nil {
		return nil, err
	}
	if left.predicate() {
		if !p.is("is") {
			return left, nil
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		if !p.is("unknown") {
			return nil, p.fail()
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
		return node(IsUnknown, left, nil)
	}
	if o, ok := p.opOf(cmpOps); ok {
		if err := p.advance(); err != nil {
			return nil, err
		}
		right, err := p.value(p.sum())
		if err != nil {
			return nil, err
		}
		return node(o, left, right)
	}
	switch {
	case p.is("starts"):
		return p.startsWith(left)
	case p.is("like_regex"):
		return p.likeRegex(left)
	}
	return left, nil
}

func (p *parser) exists() (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.op("(") {
		return nil, p.fail()
	}
	x, err := p.group(func() (*Node, error) { return p.value(p.sum()) })
	if err != nil {
		return nil, err
	}
	return node(Exists, x, nil)
}

// group reads f in parentheses.
func (p *parser) group(f func() (*Node, error)) (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.nested(f)
	if err != nil {
		return nil, err
	}
	return x, p.expect(")")
}

func (p *parser) startsWith(left *Node) (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.is("with") {
		return nil, p.fail()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	right := &Node{Op: String, Str: p.tok.text}
	switch p.tok.kind {
	case tString:
	case tVariable:
		right.Op = Variable
	default:
		return nil, p.fail()
	}
	n, err := node(StartsWith, left, right)
	if err != nil {
		return nil, err
	}
	return n, p.advance()
}

func (p *parser) likeRegex(left *Node) (*Node, error) {
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tString {
		return nil, p.fail()
	}
	n, err := node(LikeRegex, left, nil)
	if err != nil {
		return nil, err
	}
	n.Str = p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	if !p.is("flag") {
		return n, n.compile()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if p.tok.kind != tString {
		return nil, p.fail()
	}
	if n.Flags, err = flagsOf(p.tok.text); err != nil {
		return nil, err
	}
	if err := n.compile(); err != nil {
		return nil, err
	}
	return n, p.advance()
}

func flagsOf(s string) (f Flags, err error) {
	for _, c := range s {
		bit := slices.Index([]byte(flagLetters), byte(c))
		if c >= 0x80 || bit < 0 {
			return 0, sqlerr.New(sqlerr.SyntaxError, "invalid input syntax for type jsonpath").
				WithDetail(`Unrecognized flag character "%c" in LIKE_REGEX predicate.`, c)
		}
		f |= 1 << bit
	}
	return f, nil
}

// compile takes XQuery's flags for those of PostgreSQL's regular expressions.
func (n *Node) compile() (err error) {
	var f regex.Flags
	if n.Flags&FlagI != 0 {
		f |= regex.IgnoreCase
	}
	if n.Flags&FlagQ != 0 {
		f |= regex.Literal
	} else {
		if n.Flags&FlagS == 0 {
			f |= regex.NewlineStop
		}
		if n.Flags&FlagM != 0 {
			f |= regex.NewlineAnchor
		}
		if n.Flags&FlagX != 0 {
			return sqlerr.New(sqlerr.FeatureNotSupported, `XQuery "x" flag (expanded regular expressions) is not implemented`)
		}
	}
	n.Regex, err = regex.Compile(n.Str, f)
	return err
}

func (p *parser) sign() (*Node, error) {
	o, ok := p.opOf(signOps)
	if !ok {
		return p.accessor()
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	x, err := p.nested(func() (*Node, error) { return p.value(p.sign()) })
	if err != nil {
		return nil, err
	}
	if x.Op == Number && x.Next == nil {
		if o == Minus {
			numeric.Neg(x.Num, x.Num)
		}
		return x, nil
	}
	return node(o, x, nil)
}

// accessor reads what stands first in a path and what follows it.
func (p *parser) accessor() (*Node, error) {
	head, err := p.primary()
	if err != nil {
		return nil, err
	}
	tail := head
	for p.op(".") || p.op("[") || p.op("?") {
		step, err := p.step()
		if err != nil {
			return nil, err
		}
		for tail.Next != nil {
			tail = tail.Next
		}
		tail.Next = step
		if head.height = max(head.height, step.height) + 1; head.height > maxDepth {
			return nil, TooDeep()
		}
	}
	return head, nil
}

func (p *parser) primary() (*Node, error) {
	n := &Node{Str: p.tok.text}
	switch {
	case p.tok.kind == tString:
		n.Op = String
	case p.tok.kind == tVariable:
		n.Op = Variable
	case p.tok.kind == tInt, p.tok.kind == tNumeric:
		n.Op, n.Str, n.Num = Number, "", new(apd.Decimal)
		if err := numeric.Parse(n.Num, p.tok.text); err != nil {
			return nil, err
		}
	case p.op("("):
		return p.group(p.or)
	case p.op("$"):
		n.Op = Root
	case p.op("@"):
		n.Op = Current
	case p.is("last"):
		n.Op = Last
	case p.is("null"):
		n.Op = Null
	case p.is("true"):
		n.Op = True
	case p.is("false"):
		n.Op = False
	default:
		return nil, p.fail()
	}
	if n.Op != String && n.Op != Variable {
		n.Str = ""
	}
	return n, p.advance()
}

// step reads what begins with a dot, a bracket or a question mark.
func (p *parser) step() (*Node, error) {
	first := p.tok.text
	if err := p.advance(); err != nil {
		return nil, err
	}
	switch first {
	case "[":
		return p.nested(p.subscripts)
	case "?":
		if !p.op("(") {
			return nil, p.fail()
		}
		x, err := p.group(func() (*Node, error) { return p.condition(p.or()) })
		if err != nil {
			return nil, err
		}
		return node(Filter, x, nil)
	}
	return p.member()
}

var methods = map[string]Op{
	"type": Type, "size": Size, "double": Double, "ceiling": Ceiling, "floor": Floor, "abs": Abs, "keyvalue": KeyValue, "datetime": Datetime,
}

// member reads what follows a dot.
func (p *parser) member() (*Node, error) {
	switch {
	case p.op("*"):
		return &Node{Op: AnyKey}, p.advance()
	case p.op("**"):
		return p.levels()
	case p.tok.kind != tIdent && p.tok.kind != tString && p.tok.kind != tKeyword:
		return nil, p.fail()
	}
	n := &Node{Op: Key, Str: p.tok.text}
	method, ok := methods[p.tok.word]
	if err := p.advance(); err != nil || !ok || !p.op("(") {
		return n, err
	}
	n = &Node{Op: method}
	if err := p.advance(); err != nil {
		return nil, err
	}
	if method == Datetime && p.tok.kind == tString {
		n.Left = &Node{Op: String, Str: p.tok.text}
		n.height = 1
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
	return n, p.expect(")")
}

func (p *parser) levels() (*Node, error) {
	n := &Node{Op: AnyLevel, To: LastLevel}
	if err := p.advance(); err != nil || !p.op("{") {
		return n, err
	}
	if err := p.advance(); err != nil {
		return nil, err
	}
	var err error
	if n.From, err = p.level(); err != nil {
		return nil, err
	}
	n.To = n.From
	if p.is("to") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		if n.To, err = p.level(); err != nil {
			return nil, err
		}
	}
	return n, p.expect("}")
}

func (p *parser) level() (uint32, error) {
	if p.is("last") {
		return LastLevel, p.advance()
	}
	if p.tok.kind != tInt {
		return 0, p.fail()
	}
	v, err := strconv.ParseInt(p.tok.text, 10, 64)
	if err != nil || v > math.MaxInt32 {
		return 0, sqlerr.New(sqlerr.NumericValueOutOfRange, `value "%s" is out of range for type integer`, p.tok.text)
	}
	return uint32(v), p.advance()
}

func (p *parser) subscripts() (*Node, error) {
	if p.op("*") {
		if err := p.advance(); err != nil {
			return nil, err
		}
		return &Node{Op: AnyElement}, p.expect("]")
	}
	n := &Node{Op: Index}
	for {
		var s Subscript
		var err error
		if s.From, err = p.value(p.sum()); err != nil {
			return nil, err
		}
		n.height = max(n.height, s.From.height+1)
		if p.is("to") {
			if err := p.advance(); err != nil {
				return nil, err
			}
			if s.To, err = p.value(p.sum()); err != nil {
				return nil, err
			}
			n.height = max(n.height, s.To.height+1)
		}
		n.Subs = append(n.Subs, s)
		if !p.op(",") {
			return n, p.expect("]")
		}
		if err := p.advance(); err != nil {
			return nil, err
		}
	}
}

// check refuses @ outside of filters and last outside of subscripts, whichever comes first.
func check(n *Node, filters int, subscript bool) error {
	for ; n != nil; n = n.Next {
		switch {
		case n.Op == Current && filters == 0:
			return sqlerr.New(sqlerr.SyntaxError, "@ is not allowed in root expressions")
		case n.Op == Last && !subscript:
			return sqlerr.New(sqlerr.SyntaxError, "LAST is allowed only in array subscripts")
		}
		inside := filters
		if n.Op == Filter {
			inside++
		}
		if err := check(n.Left, inside, subscript); err != nil {
			return err
		}
		if err := check(n.Right, inside, subscript); err != nil {
			return err
		}
		for _, s := range n.Subs {
			if err := check(s.From, filters, true); err != nil {
				return err
			}
			if err := check(s.To, filters, true); err != nil {
				return err
			}
		}
	}
	return nil
}
