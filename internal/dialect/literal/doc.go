// Package literal is the value-expression driver of the TiDB parser: it makes
// the nodes for constants and parameters, and keeps every constant exact.
//
// Importing it sets the parser's five hooks (they are process-global).
// internal/dialect imports it; package marker makes tree.Const and tree.Param of
// its nodes.
//
//	SQL                     Value
//	1, 007                  Int      "1", "7"
//	18446744073709551616    Int      any length
//	1.50, .5, 5.            Decimal  "1.50", ".5", "5."
//	1e10, 1.5E-3            Decimal  as written
//	'x', E'\n', $$x$$       String   decoded text
//	B'01', X'1F'            Bits     "b01", "x1F"
//	TRUE, FALSE             Bool     "t", "f"
//	NULL                    Null
//
// It never rounds, never fails on length, and has no SQL semantics.
package literal
