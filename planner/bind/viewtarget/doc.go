// Package viewtarget finds the table that writing a view writes, and what the view's columns and
// conditions are over that table's, as PostgreSQL's automatically updatable views have it.
//
//	INSERT INTO v     v: SELECT a, b + 1 AS c FROM w WHERE b > 0     w: SELECT * FROM t
//	  |
//	Target            Table t; Columns a = t.a, c = t.b + 1, which cannot be written
//	                  Conds t.b > 0; Checked those of WITH CHECK OPTION
//
// Package bind calls it for the target of a statement that writes, and this package calls
// bind/query to bind the text of each view on the way, with the rights of its owner.
//
// It must never write: what a statement does with the target is the business of package bind.
package viewtarget
