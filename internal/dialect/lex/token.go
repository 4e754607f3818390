package lex

// Kind is the kind of a token.
type Kind uint8

// The kinds of tokens.
const (
	EOF       Kind = iota
	Ident          // unquoted word; Keyword is set if it is a key word
	QuotedID       // "x" or U&"x"
	String         // '…', E'…', U&'…', $$…$$, N'…'
	BitString      // B'…'
	HexString      // X'…'
	Int            // digits, or 0x…, 0o…, 0b…, with _ between digits
	Number         // with a point or an exponent
	Param          // $1
	Op             // an operator; Op tells which
	TypeCast       // ::
	ColonEq        // :=
	Arrow          // =>
	DotDot         // ..
	LParen
	RParen
	LBracket
	RBracket
	Comma
	Semicolon
	Colon
	Dot
	Other // a character that begins no token
)

// OpCode tells the operators the grammar knows apart.
type OpCode uint8

// The operators with a precedence of their own.
const (
	OpOther OpCode = iota
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpMod
	OpPow
	OpLT
	OpGT
	OpEQ
	OpLE
	OpGE
	OpNE // <> and !=
)

// Token is one token. Start and End are byte offsets into the text.
type Token struct {
	Start, End int32
	// Match is the index of the partner of a parenthesis or bracket, or -1.
	Match int32
	// Val is 1 + the index in Tokens.Values of a string's or quoted
	// identifier's value, or 0 when that is the text between the quotes.
	Val     int32
	Keyword Keyword
	Kind    Kind
	Op      OpCode
	// National tells N'…' strings apart.
	National bool
	// Upper is true when an unquoted word has upper-case letters.
	Upper bool
}

// Hint is a /*+ … */ comment that stands before token Next.
type Hint struct {
	Next       int
	Start, End int32 // of the text between /*+ and */
}

// Tokens is a text that has been read.
type Tokens struct {
	Text   string
	Toks   []Token // ends with an EOF token
	Values []string
	Hints  []Hint

	open []int32 // brackets without a partner yet, while reading
}

// Category gives the category of a key word.
func (k Keyword) Category() Category { return keywords[k].cat }

// Bare tells whether a key word may be a column label without AS.
func (k Keyword) Bare() bool { return keywords[k].bare }

// String gives the key word in lower case.
func (k Keyword) String() string { return keywords[k].word }

var keywordByWord = func() map[string]Keyword {
	m := make(map[string]Keyword, numKeywords)
	for k := Keyword(1); k < numKeywords; k++ {
		m[keywords[k].word] = k
	}
	return m
}()

// keywordLengths has, for the low bits of a first letter, a bit for each length that a
// key word with it has: most names are told apart by these.
var keywordLengths = func() (t [32]uint32) {
	for k := Keyword(1); k < numKeywords; k++ {
		w := keywords[k].word
		t[w[0]&31] |= 1 << len(w)
	}
	return t
}()

// longestKeyword is the length of "current_timestamp".
const longestKeyword = 17

// Raw gives the token's own text.
func (t *Tokens) Raw(tok Token) string { return t.Text[tok.Start:tok.End] }

// Value gives the content of a string, a quoted identifier (not truncated) or
// a bit string.
func (t *Tokens) Value(tok Token) string {
	if tok.Val > 0 {
		return t.Values[tok.Val-1]
	}
	s := t.Text[tok.Start:tok.End]
	switch tok.Kind {
	case String, QuotedID:
		return s[1 : len(s)-1]
	case BitString, HexString:
		return s[2 : len(s)-1]
	}
	return s
}
