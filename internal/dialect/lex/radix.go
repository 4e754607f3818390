package lex

import (
	"math/big"
	"strings"
)

// maxRadixDigits bounds the quadratic conversion of a long 0x… constant; a
// decimal constant has no such conversion.
const maxRadixDigits = 4096

// parseRadix turns digits of a base, with single underscores before or between
// them, into decimal digits.
func parseRadix(s string, base int) (string, bool) {
	if s == "" || len(s) > maxRadixDigits || strings.HasSuffix(s, "_") || strings.Contains(s, "__") {
		return "", false
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(s, "_", ""), base)
	if !ok {
		return "", false
	}
	return n.String(), true
}
