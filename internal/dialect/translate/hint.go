package translate

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// parseHints reads the text of a /*+ … */ comment: NAME and NAME(arg arg),
// separated by space or commas. What is neither is kept as a name, so that the
// planner can tell the user that it does not know it.
func parseHints(text string, pos int) []tree.Hint {
	var hints []tree.Hint
	for {
		text = strings.TrimLeft(text, " \t\r\n\f\v,")
		if text == "" {
			return hints
		}
		n := strings.IndexAny(text, " \t\r\n\f\v,(")
		if n == 0 {
			n = 1
		}
		if n < 0 {
			n = len(text)
		}
		h := tree.Hint{Name: strings.ToUpper(text[:n]), Pos: pos}
		text = strings.TrimLeft(text[n:], " \t\r\n\f\v")
		if strings.HasPrefix(text, "(") {
			args, rest, _ := strings.Cut(text[1:], ")")
			h.Args = strings.FieldsFunc(args, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' || r == '\n' || r == '\r' })
			text = rest
		}
		hints = append(hints, h)
	}
}
