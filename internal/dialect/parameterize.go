package dialect

import (
	"strconv"
	"strings"
	"sync"

	"github.com/saltsql/saltsql/internal/dialect/lex"
)

// MaxLiterals bounds how many integers are cut out of one text.
const MaxLiterals = 16

// Literals are the integers of a SELECT that parameters can stand for.
//
//	SELECT v FROM t WHERE k = 17 AND n < 5
//	shape       SELECT v FROM t WHERE k = $1 AND n < $2
//	values      17, 5
//
// An integer is cut out only between a comparison operator and what can only end its
// operand, and of IN lists that hold nothing else, where a parameter of its type means the
// same. It would mean something else in ORDER BY 1, in a type or in an interval.
type Literals struct {
	N      int
	Values [MaxLiterals]int64
	Kinds  [MaxLiterals]byte // '4' or '8', the bytes of the type that it has
	at     [MaxLiterals][2]int32
}

var tokens = sync.Pool{New: func() any { return new(lex.Tokens) }}

// Cut finds the literals of a text; false where there is none, or too many, or where the
// text is not one SELECT without parameters and hints.
func (l *Literals) Cut(text string) bool {
	l.N = 0
	if len(text) < 6 || !strings.EqualFold(text[:6], "select") {
		return false
	}
	lx := tokens.Get().(*lex.Tokens)
	defer tokens.Put(lx)
	if err := lx.Read(text); err != nil || len(lx.Hints) > 0 || lx.Toks[0].Keyword != lex.KSelect {
		return false
	}
	toks := lx.Toks
	listed := 0 // where the IN list ends that is being cut
	for i := 1; i < len(toks); i++ {
		if toks[i].Keyword == lex.KInto {
			return false // it makes a table
		}
		switch t := &toks[i]; t.Kind {
		case lex.Param:
			return false
		case lex.Semicolon:
			if toks[i+1].Kind != lex.EOF {
				return false
			}
		case lex.Int:
			if i < listed {
			} else if listed = intList(toks, i); listed == 0 && (!compares(&toks[i-1]) || !endsOperand(&toks[i+1])) {
				continue
			}
			v, err := strconv.ParseInt(lx.Raw(*t), 10, 64)
			if err != nil {
				continue // it is longer, or in another base
			}
			if l.N == MaxLiterals {
				return false
			}
			l.at[l.N], l.Values[l.N], l.Kinds[l.N] = [2]int32{t.Start, t.End}, v, '4'
			if v > 1<<31-1 {
				l.Kinds[l.N] = '8'
			}
			l.N++
		}
	}
	return l.N > 0
}

// intList gives the end of the IN list of integers whose first is toks[i]; 0 where it is none.
func intList(toks []lex.Token, i int) int {
	if i < 2 || toks[i-1].Kind != lex.LParen || toks[i-2].Keyword != lex.KIn {
		return 0
	}
	for ; toks[i].Kind == lex.Int; i += 2 {
		switch toks[i+1].Kind {
		case lex.RParen:
			return i + 1
		case lex.Comma:
		default:
			return 0
		}
	}
	return 0
}

func compares(t *lex.Token) bool {
	switch t.Op {
	case lex.OpEQ, lex.OpNE, lex.OpLT, lex.OpGT, lex.OpLE, lex.OpGE:
		return t.Kind == lex.Op
	}
	return false
}

// endsOperand says that a token cannot belong to the operand before it.
func endsOperand(t *lex.Token) bool {
	switch t.Kind {
	case lex.EOF, lex.Semicolon, lex.RParen:
		return true
	}
	switch t.Keyword {
	case lex.KAnd, lex.KOr, lex.KOrder, lex.KLimit:
		return true
	}
	return false
}

// Shape is the text with parameters in the place of the literals that Cut found.
func (l *Literals) Shape(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2*l.N) // one that is cut out has a digit at least
	from := int32(0)
	for i := range l.N {
		b.WriteString(text[from:l.at[i][0]])
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(i + 1))
		from = l.at[i][1]
	}
	b.WriteString(text[from:])
	return b.String()
}
