// Package keyorder says in which order a node's rows can come because of a table's key, and which
// expressions are runs of that key, so that nothing has to be sorted or hashed.
//
//	key (a, b, c)       WHERE a = 1 ORDER BY b DESC      a reverse scan: InOrder gives it
//	                    GROUP BY a, b                    rows of a group are side by side
//	                    ORDER BY c                       nil: the key does not serve it
//
// The rules of package planner, its estimates and its advice call it; it calls keycond for what a
// scan's key condition binds, and walk for the nodes that pass an order on.
//
// It must never look at costs: what an order is worth is for its callers.
package keyorder
