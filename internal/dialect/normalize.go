package dialect

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/dialect/lex"
)

// Normalize gives a statement's text without its constants, comments and line ends, and a
// number that texts have in common which differ only in those, in the case of words, and in
// which constants are parameters.
// Constants become parameters after those that the text has; a list of constants behind IN,
// and further rows of constants behind the first, are written once. "" where the text cannot
// be read.
//
//	SELECT a FROM t WHERE b IN (1, 2) AND c = 'x'
//	SELECT a FROM t WHERE b IN ($1 /*, ... */) AND c = $2
func Normalize(text string) (shape string, id int64) {
	var t lex.Tokens
	if err := t.Read(text); err != nil {
		return "", 0
	}
	n := normalizer{t: &t, hash: fnv.New64a()}
	for _, tok := range t.Toks {
		if tok.Kind == lex.Param {
			if p, err := strconv.Atoi(strings.TrimPrefix(t.Raw(tok), "$")); err == nil {
				n.params = max(n.params, p)
			}
		}
	}
	toks := t.Toks[:len(t.Toks)-1] // EOF
	for len(toks) > 0 && toks[len(toks)-1].Kind == lex.Semicolon {
		toks = toks[:len(toks)-1]
	}
	for i := 0; i < len(toks); i++ {
		i = n.token(toks, i)
	}
	return n.out.String(), int64(n.hash.Sum64())
}

type normalizer struct {
	t    *lex.Tokens
	out  strings.Builder
	hash interface {
		Write([]byte) (int, error)
		Sum64() uint64
	}
	params int
	end    int32 // of the token before
}

// token writes toks[i], and gives the index of the last token that is done with.
func (n *normalizer) token(toks []lex.Token, i int) int {
	tok := toks[i]
	if !constant(tok.Kind) {
		raw := n.t.Raw(tok)
		n.write(tok.Start, raw)
		switch tok.Kind {
		case lex.Ident:
			raw = lex.Fold(raw)
		case lex.Param: // a text with constants may run as one with parameters
			raw = "?"
		}
		n.count(raw)
		n.end = tok.End
		if tok.Kind == lex.RParen {
			return n.rows(toks, i)
		}
		return i
	}
	n.params++
	n.write(tok.Start, "$"+strconv.Itoa(n.params))
	n.count("?")
	n.end = tok.End
	if i < 2 || toks[i-1].Kind != lex.LParen || toks[i-2].Keyword != lex.KIn {
		return i
	}
	last := i
	for last+2 < len(toks) && toks[last+1].Kind == lex.Comma && constant(toks[last+2].Kind) {
		last += 2
	}
	if last+1 < len(toks) && toks[last+1].Kind == lex.RParen && last > i {
		n.out.WriteString(" /*, ... */")
		n.end = toks[last].End
		return last
	}
	return i
}

// rows passes over lists of constants that follow one which ends at toks[i].
func (n *normalizer) rows(toks []lex.Token, i int) int {
	if !constants(toks, int(toks[i].Match), i) {
		return i
	}
	last := i
	for last+2 < len(toks) && toks[last+1].Kind == lex.Comma && toks[last+2].Kind == lex.LParen {
		end := int(toks[last+2].Match)
		if end < 0 || !constants(toks, last+2, end) {
			break
		}
		last = end
	}
	if last > i {
		n.out.WriteString(" /*, ... */")
		n.end = toks[last].End
	}
	return last
}

// constants says that between two parentheses there are only constants and commas.
func constants(toks []lex.Token, from, to int) bool {
	if from < 0 || to-from < 2 {
		return false
	}
	for _, tok := range toks[from+1 : to] {
		if !constant(tok.Kind) && tok.Kind != lex.Comma {
			return false
		}
	}
	return true
}

func constant(k lex.Kind) bool {
	switch k {
	case lex.String, lex.BitString, lex.HexString, lex.Int, lex.Number:
		return true
	}
	return false
}

// write puts a space where the text has something between two tokens.
func (n *normalizer) write(start int32, s string) {
	if start > n.end && n.out.Len() > 0 {
		n.out.WriteByte(' ')
	}
	n.out.WriteString(s)
}

func (n *normalizer) count(s string) {
	_, _ = n.hash.Write([]byte(s))
	_, _ = n.hash.Write([]byte{0})
}
