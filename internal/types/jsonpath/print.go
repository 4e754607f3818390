package jsonpath

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/types/jsonval"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Append prints p as PostgreSQL does, whose text of (1 + 2).abs() in a filter lacks the
// parentheses.
func (p *Path) Append(dst []byte) []byte { return p.append(dst, false) }

// AppendStored prints p so that it reads back as it is.
func (p *Path) AppendStored(dst []byte) []byte { return p.append(dst, true) }

func (p *Path) append(dst []byte, stored bool) []byte {
	if !p.Lax {
		dst = append(dst, "strict "...)
	}
	w := printer{dst, stored}
	w.chain(p.Root, false, true)
	return w.b
}

type printer struct {
	b      []byte
	stored bool
}

func (w *printer) text(s string) { w.b = append(w.b, s...) }

// priority is how tight an operation binds.
func (o Op) priority() int {
	switch o {
	case Or:
		return 0
	case And:
		return 1
	case Equal, NotEqual, Less, Greater, LessEqual, GreaterEqual, StartsWith:
		return 2
	case Add, Sub:
		return 3
	case Mul, Div, Mod:
		return 4
	case Plus, Minus:
		return 5
	}
	return 6
}

// chain prints n and what follows it; brackets puts an operation into parentheses.
func (w *printer) chain(n *Node, inKey, brackets bool) {
	for ; n != nil; n = n.Next {
		if w.stored && n.Next != nil && n.Op <= Minus {
			// What follows an operation needs it in parentheses, and one pair is enough.
			w.text("(")
			w.one(n, inKey, false)
			w.text(")")
		} else {
			w.one(n, inKey, brackets)
		}
		inKey, brackets = true, true
	}
}

func (w *printer) operand(parent, n *Node) {
	w.chain(n, false, n.Op.priority() <= parent.Op.priority())
}

func (w *printer) level(v uint32) {
	if v == LastLevel {
		w.text("last")
		return
	}
	w.b = strconv.AppendUint(w.b, uint64(v), 10)
}

func (w *printer) one(n *Node, inKey, brackets bool) {
	if n.Op <= Minus && n.Op != Not && n.Op != IsUnknown && n.Op != Exists && brackets {
		w.text("(")
		defer w.text(")")
	}
	if inKey && (n.Op == Key || n.Op == AnyKey || n.Op == AnyLevel) {
		w.text(".")
	}
	switch n.Op {
	case Plus, Minus:
		w.text(n.Op.Name())
		w.operand(n, n.Left)
	case Not:
		w.wrapped("!(", n.Left, ")")
	case IsUnknown:
		w.wrapped("(", n.Left, ") is unknown")
	case Exists:
		w.wrapped("exists (", n.Left, ")")
	case Filter:
		w.wrapped("?(", n.Left, ")")
	case LikeRegex:
		w.likeRegex(n)
	case Null:
		w.text("null")
	case True:
		w.text("true")
	case False:
		w.text("false")
	case Number:
		if n.Next != nil {
			w.text("(")
		}
		w.b = numeric.Append(w.b, n.Num)
		if n.Next != nil {
			w.text(")")
		}
	case String, Key:
		w.b = jsonval.AppendString(w.b, n.Str)
	case Variable:
		w.b = jsonval.AppendString(append(w.b, '$'), n.Str)
	case Root:
		w.text("$")
	case Current:
		w.text("@")
	case Last:
		w.text("last")
	case AnyKey:
		w.text("*")
	case AnyElement:
		w.text("[*]")
	case AnyLevel:
		w.levels(n)
	case Index:
		w.subscripts(n)
	case Type, Size, Double, Ceiling, Floor, Abs, KeyValue:
		w.text("." + n.Op.Name() + "()")
	case Datetime:
		w.wrapped(".datetime(", n.Left, ")")
	default:
		w.operand(n, n.Left)
		w.text(" " + n.Op.Name() + " ")
		w.operand(n, n.Right)
	}
}

func (w *printer) wrapped(before string, n *Node, after string) {
	w.text(before)
	w.chain(n, false, false)
	w.text(after)
}

func (w *printer) likeRegex(n *Node) {
	w.operand(n, n.Left)
	w.text(" like_regex ")
	w.b = jsonval.AppendString(w.b, n.Str)
	if n.Flags == 0 {
		return
	}
	w.text(` flag "`)
	for i := range len(flagLetters) {
		if n.Flags&(1<<i) != 0 {
			w.text(flagLetters[i : i+1])
		}
	}
	w.text(`"`)
}

func (w *printer) levels(n *Node) {
	w.text("**")
	switch {
	case n.From == 0 && n.To == LastLevel:
	case n.From == n.To:
		w.text("{")
		w.level(n.From)
		w.text("}")
	default:
		w.text("{")
		w.level(n.From)
		w.text(" to ")
		w.level(n.To)
		w.text("}")
	}
}

func (w *printer) subscripts(n *Node) {
	for i, s := range n.Subs {
		if i == 0 {
			w.text("[")
		} else {
			w.text(",")
		}
		w.chain(s.From, false, false)
		if s.To != nil {
			w.text(" to ")
			w.chain(s.To, false, false)
		}
	}
	w.text("]")
}
