package regex

// lead is what is known of how every match begins.
type lead struct {
	anchored bool // at the text's start
	text     string
	whole    bool // the match is text and nothing else
	atEnd    bool // and ends where the text ends
}

// maxLead bounds the work of leading.
const maxLead = 1000

// leading reads the assertions and single characters an expression starts with,
// through parentheses.
func leading(root *node) lead {
	var l lead
	var text []rune
	done := false
	steps := 0
	var walk func(n *node)
	walk = func(n *node) {
		if steps++; done || steps > maxLead {
			done = true
			return
		}
		switch {
		case n.op == opEmpty:
		case n.op == opConcat || n.op == opCapture:
			for _, s := range n.subs {
				walk(s)
			}
		case n.op == opRepeat && n.min == n.max && n.min > 0:
			for i := 0; i < n.min && !done; i++ {
				walk(n.subs[0])
			}
		case n.op == opAssert && n.assert == atStart && len(text) == 0 && !l.atEnd:
			l.anchored = true
		case n.op == opAssert && n.assert == atEnd:
			l.atEnd = true
		case n.op == opSet && len(n.set) == 1 && n.set[0].lo == n.set[0].hi && n.set[0].lo != '\uFFFD' && !l.atEnd:
			text = append(text, n.set[0].lo)
		default:
			done = true
		}
	}
	walk(root)
	l.text = string(text)
	l.whole = !done
	if done {
		l.atEnd = false
	}
	return l
}

// Prefix gives the text that every string matching pattern begins with; exact
// says that the pattern matches that string only. "" if there is none, or if
// the pattern is not valid.
func Prefix(pattern string, flags Flags) (prefix string, exact bool) {
	re, err := Compile(pattern, flags)
	if err != nil {
		return "", false
	}
	l := leading(re.root)
	if !l.anchored {
		return "", false
	}
	return l.text, l.whole && l.atEnd
}
