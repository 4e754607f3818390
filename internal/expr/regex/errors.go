package regex

import "github.com/saltsql/saltsql/internal/sqlerr"

// The reasons Postgres gives after "invalid regular expression: ".
const (
	errPattern  = "invalid regexp (reg version 0.8)"
	errCollate  = "invalid collating element"
	errClass    = "invalid character class"
	errEscape   = `invalid escape \ sequence`
	errBackref  = "invalid backreference number"
	errBracket  = "brackets [] not balanced"
	errParen    = "parentheses () not balanced"
	errBrace    = "braces {} not balanced"
	errCount    = "invalid repetition count(s)"
	errRange    = "invalid character range"
	errOperand  = "quantifier operand invalid"
	errArgument = "invalid argument to regex function"
	errOption   = "invalid embedded option"
	errTooBig   = "regular expression is too complex"
)

func invalid(reason string) error {
	return sqlerr.New(sqlerr.InvalidRegularExpression, "invalid regular expression: %s", reason)
}

func noBackref() error {
	return sqlerr.Unsupported("back references in regular expressions are not supported",
		"Capture the parts with regexp_match and compare them.")
}

func noLookaround() error {
	return sqlerr.Unsupported("lookahead and lookbehind in regular expressions are not supported",
		"Write the condition as a second match combined with AND or AND NOT.")
}

func noDialect(letter rune) error {
	name := "basic (BRE)"
	if letter == 'e' {
		name = "extended (ERE)"
	}
	return sqlerr.Unsupported(name+" regular expressions are not supported",
		"Write an advanced regular expression (ARE), the default.")
}
