package saltsql

import (
	"context"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// textShape is what SELECTs have in common that differ in the integers they
// compare with. From the second one on such a text is neither parsed nor
// planned: it is a statement with parameters, of which these are the values.
//
//	SELECT v FROM t WHERE k = 17 AND n < 5
//	shape       SELECT v FROM t WHERE k = $1 AND n < $2     $1, $2 int4
//	values      17, 5
//
// An integer is cut out only between a comparison operator and what can only
// end its operand, where a parameter of its type means the same. It would mean
// something else in ORDER BY 1, in a type or in an interval. And only where the plan
// is the one that every such text has by itself, so that EXPLAIN shows what runs.
type textShape struct {
	st  atomic.Pointer[tree.Statement] // with parameters
	bad atomic.Bool                    // does not parse or plan with parameters
}

// shapeKey is a text with parameters, and their types by letter.
type shapeKey struct{ text, kinds string }

// maxLiterals bounds how many integers are cut out of one text.
const maxLiterals = 8

// shaped gives the statement that text is, if its shape was seen before; nil
// where it must be parsed.
func (c *planCache) shaped(text string) *Parsed {
	if c.shapes == nil || len(text) > maxCachedText {
		return nil
	}
	var l literals
	if !l.cut(text) {
		return nil
	}
	key := shapeKey{l.shape(text), string(l.kinds[:l.n])}
	sh, ok := c.shapes.Get(key)
	if !ok {
		c.shapes.Add(key, &textShape{}, weightOf(text, 0))
		return nil
	}
	if sh.bad.Load() {
		return nil
	}
	st := sh.st.Load()
	if st == nil {
		list, err := dialect.Parse(key.text)
		if err != nil || len(list) != 1 || list[0].Utility != nil || len(list[0].Side.Notices) > 0 {
			sh.bad.Store(true)
			return nil
		}
		st = list[0]
		sh.st.Store(st)
	}
	p := &Parsed{st: st, text: text, shape: sh, values: make([]types.Datum, l.n), types: make([]types.T, l.n)}
	for i := range l.n {
		p.values[i], p.types[i] = types.NewInt(l.values[i]), types.T{Kind: types.Int4}
		if l.kinds[i] == '8' {
			p.types[i].Kind = types.Int8
		}
	}
	return p
}

// maxShaped bounds a session's statements of known shapes.
const maxShaped = 64

// prepareShaped gives the statement of a text whose shape is known; nil where the
// text itself must be planned.
func (s *Session) prepareShaped(ctx context.Context, p *Parsed) *Stmt {
	if s.tx.status == TxFailed {
		return nil
	}
	base := s.shaped[p.shape]
	if base == nil || !s.planCurrent(base) {
		base = &Stmt{st: p.st, hints: p.types}
		if err := s.planStmt(ctx, base); err != nil {
			return nil
		}
		if !planner.ValueFree(base.plan) {
			p.shape.bad.Store(true) // its plan would be another than the text's own
			return nil
		}
		if s.shaped == nil || len(s.shaped) >= maxShaped {
			s.shaped = map[*textShape]*Stmt{}
		}
		s.shaped[p.shape] = base
	}
	return &Stmt{
		st: base.st, hints: base.hints, params: base.params, cols: base.cols, plan: base.plan, key: base.key, settings: base.settings,
		base: base, values: p.values, text: p.text,
	}
}

// literals are the integers of a text that can be cut out.
type literals struct {
	n      int
	at     [maxLiterals][2]int
	values [maxLiterals]int64
	kinds  [maxLiterals]byte // '4' or '8'
}

// cut finds them; false where there is none, or where the text has anything
// that is not plain: comments, dollars, escapes, several statements.
func (l *literals) cut(text string) bool {
	if len(text) < 6 || !strings.EqualFold(text[:6], "select") {
		return false
	}
	compared := false // the token before is a comparison operator
	for i := 6; i < len(text); {
		was := compared
		compared = false
		switch c := text[i]; {
		case c == ' ' || c == '\n' || c == '\t' || c == '\r':
			compared = was
			i++
		case c == '\'' || c == '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 || isWord(text[i-1]) && c == '\'' {
				return false
			}
			i += end + 2 // a doubled quote begins the next one
		case c == '$' || c == '\\' || c == '@' || c == ':' && i+1 < len(text) && text[i+1] != ':':
			return false
		case c == ';':
			return l.n > 0 && strings.TrimSpace(text[i+1:]) == ""
		case isOperator(c):
			end := i
			for end < len(text) && isOperator(text[end]) {
				end++
			}
			op := text[i:end]
			if strings.Contains(op, "--") || strings.Contains(op, "/*") || strings.Contains(op, "*/") {
				return false
			}
			switch op {
			case "=", "<", ">", "<=", ">=", "<>", "!=":
				compared = true
			}
			i = end
		case isWord(c):
			end := i
			for end < len(text) && isWord(text[end]) {
				end++
			}
			if was && c <= '9' && c >= '0' && !l.literal(text, i, end) {
				return false
			}
			i = end
		case c >= 0x80:
			return false
		default:
			i++
		}
	}
	return l.n > 0
}

// literal takes the integer at text[lo:hi] if nothing that follows could bind
// to it; false where there are too many.
func (l *literals) literal(text string, lo, hi int) bool {
	for i := lo; i < hi; i++ {
		if text[i] < '0' || text[i] > '9' {
			return true
		}
	}
	if !endsOperand(strings.TrimLeft(text[hi:], " \n\t\r")) {
		return true
	}
	v, err := strconv.ParseInt(text[lo:hi], 10, 64)
	if err != nil {
		return true
	}
	if l.n == maxLiterals {
		return false
	}
	l.at[l.n], l.values[l.n], l.kinds[l.n] = [2]int{lo, hi}, v, '4'
	if v > 1<<31-1 {
		l.kinds[l.n] = '8'
	}
	l.n++
	return true
}

// endsOperand says that rest begins with what cannot belong to an operand.
func endsOperand(rest string) bool {
	if rest == "" || rest[0] == ';' || rest[0] == ')' {
		return true
	}
	end := 0
	for end < len(rest) && isWord(rest[end]) {
		end++
	}
	switch word := rest[:end]; len(word) {
	case 2:
		return strings.EqualFold(word, "or")
	case 3:
		return strings.EqualFold(word, "and")
	case 5:
		return strings.EqualFold(word, "order") || strings.EqualFold(word, "limit")
	}
	return false
}

// shape is the text with parameters.
func (l *literals) shape(text string) string {
	b := make([]byte, 0, len(text)+2*l.n)
	from := 0
	for i := range l.n {
		b = append(b, text[from:l.at[i][0]]...)
		b = strconv.AppendInt(append(b, '$'), int64(i+1), 10)
		from = l.at[i][1]
	}
	return string(append(b, text[from:]...))
}

func isWord(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '.'
}

func isOperator(c byte) bool { return strings.IndexByte("+-*/<>=~!#%^&|`?", c) >= 0 }
