// Package walk goes over plan trees: it makes nodes of nodes, with other inputs, other
// expressions or another scan below them, and never changes one in place.
//
//	Rewrite(n, fn)          every node, inputs first, becomes what fn makes of it
//	WithInputs, WithScan    a copy of one node over other nodes
//	MapExprs(n, fn)         a copy of one node with other expressions, which its EachExpr hands in
//	ScanUnder(n)            the scan that n is, or that it merges or gathers
//
// The rules of package planner call it, and what looks at plans beside them: estimates, orders,
// advice. It knows every node of planner/plan; a test holds that none is forgotten.
//
// It must never know what a rewrite is for.
package walk
