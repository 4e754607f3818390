package tree

// Delete is a DELETE. OrderBy and Limit are Phoenix's.
type Delete struct {
	With      *With
	Table     TableRef
	Using     []From
	Where     Expr
	CurrentOf string // WHERE CURRENT OF cursor
	OrderBy   []OrderItem
	Limit     Expr
	Returning []Item
}

func (*Delete) isDML() {}
