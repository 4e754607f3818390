// Package traversal adds the columns of SEARCH and CYCLE to a recursive query.
//
//	WITH RECURSIVE w(a) AS (first UNION ALL second) SEARCH DEPTH FIRST BY a SET o CYCLE a SET m USING p
//
//	RecursiveUnion
//	  Start   first, and  o: ARRAY[ROW(a)]  m: false            p: ARRAY[ROW(a)]
//	  Step    second, and o: o || ROW(a)    m: ROW(a) = ANY (p) p: p || ROW(a)    of rows whose m is false
//
// Package query calls New once the first term is bound, names Columns while it binds the second,
// and calls Union for the whole. Through Binder it is asked for the values of a cycle's mark.
//
// It must never bind a query: both terms are trees when they come.
package traversal
