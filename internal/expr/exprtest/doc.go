// Package exprtest helps tests of expressions: Parse binds an expression's text without a
// statement around it, ValuesOf gives values at the edges of each type. Only tests import
// it; it links no functions in: who parses a call imports builtin.
package exprtest
