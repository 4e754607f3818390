// Package jsonpath reads SQL/JSON paths as PostgreSQL's type jsonpath does, and prints
// them.
//
//	'lax $.a[*] ? (@ > 1).size()'  ──Parse──▶  Path{Lax, Root}
//	    $ ─Next▶ .a ─Next▶ [*] ─Next▶ ?(…) ─Next▶ size()
//	                                   └Left▶ >  (Left @, Right 1)
//
// A path that is kept has the text of AppendStored, which reads back as the same tree;
// clients see Append, which is PostgreSQL's and does not always. What a path finds is
// computed in internal/expr/jsonpath. Nothing here knows documents.
package jsonpath
