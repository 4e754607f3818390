package dialect

import (
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
)

// Askable gives a shape that Normalize made as a text that can be parsed, where it is one but for
// constants with their type before them, which no parameter takes the place of:
//
//	WHERE at > TIMESTAMP WITH TIME ZONE $1
//	WHERE at > $1::TIMESTAMP WITH TIME ZONE
func Askable(shape string) string {
	var t lex.Tokens
	if err := t.Read(shape); err != nil {
		return shape
	}
	var out strings.Builder
	done := int32(0)
	for i := 1; i < len(t.Toks); i++ {
		if t.Toks[i].Kind != lex.Param {
			continue
		}
		of := i - 1
		if of >= 3 && t.Toks[of].Keyword == lex.KZone && t.Toks[of-1].Keyword == lex.KTime {
			of -= 3 // TIMESTAMP WITH
		}
		if !namesType(&t.Toks[of]) {
			continue
		}
		out.WriteString(shape[done:t.Toks[of].Start])
		out.WriteString(t.Raw(t.Toks[i]) + "::" + shape[t.Toks[of].Start:t.Toks[i-1].End])
		done = t.Toks[i].End
	}
	return out.String() + shape[done:]
}

// namesType says that a word right before a constant is its type: no other word but a key word
// stands there.
func namesType(t *lex.Token) bool {
	switch t.Keyword {
	case lex.KTimestamp, lex.KTime, lex.KInterval, lex.KNumeric, lex.KDecimal, lex.KFloat, lex.KReal, lex.KBoolean, lex.KInt, lex.KInteger, lex.KBigint,
		lex.KSmallint, lex.KVarchar, lex.KChar:
		return true
	case 0:
		return t.Kind == lex.Ident
	}
	return false
}
