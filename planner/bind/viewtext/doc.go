// Package viewtext prints a bound query with every name resolved, as views keep it.
//
//	tree.Statement -> query.Capture -> viewPrinter -> text with marks, and a pretty one
//
// CREATE VIEW calls View. The marks stand where a name may change later, and catalog puts
// in what it is then. What is printed is bound and printed again, and has to come out as
// it is: otherwise the query is refused, not kept with another meaning.
//
// It must never print a name of the user's text that was not resolved.
package viewtext
