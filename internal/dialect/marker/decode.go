package marker

import "github.com/pingcap/tidb/pkg/parser/ast"

// DecodeQuery decodes a query: the AST of a statement, of a subquery
// (SubqueryExpr.Query), of a CTE, a Derived. It returns nil for anything that
// is not a query.
func DecodeQuery(n ast.Node) Query { return nil }

// Decode decodes an expression that is not native; ok is false for native
// nodes (see the table in package dialect's doc).
func Decode(e ast.ExprNode) (c Call, ok bool) { return Call{}, false }

// Insert decodes an INSERT or UPSERT.
func Insert(n *ast.InsertStmt) *InsertView { return nil }

// Update decodes an UPDATE.
func Update(n *ast.UpdateStmt) *UpdateView { return nil }

// Delete decodes a DELETE.
func Delete(n *ast.DeleteStmt) *DeleteView { return nil }
