// Package regex is Postgres's regular expressions: AREs as ~, regexp_replace
// and substring read them, and SIMILAR TO patterns.
//
//	text --parse--> tree --compile--> NFA --lazily--> DFA      (Match, span)
//	                 '------ dissect span top down ------'     (captures)
//
// Go's regexp cannot answer for it. Postgres prefers the longest or the
// shortest match of the whole expression, by the first quantifier that has a
// preference, and then divides that span among the parts, left to right, each
// by its own preference; it has \m, \M and \y over Unicode words, and searches
// go on from an offset with the text before it still seen by \y and ^. So the
// expression runs here, on automata built while they run: time is linear in
// the text for Match, and no input makes it backtrack exponentially.
//
// Characters are classified as in the locale C.UTF-8. Back references and
// lookaround are refused (0A000), as are the BRE and ERE dialects.
//
// Package expr calls it. It does no I/O; a Regex is immutable and may be used
// by many goroutines at once.
package regex
