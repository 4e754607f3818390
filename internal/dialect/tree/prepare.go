package tree

// Prepare is PREPARE name (types) AS statement.
type Prepare struct {
	Name  string
	Types []*TypeName
	Stmt  *Statement
}

// Execute is EXECUTE name (args).
type Execute struct {
	Name string
	Args []SourceExpr
}

// Deallocate is DEALLOCATE.
type Deallocate struct {
	Name string
	All  bool
}

func (*Prepare) Tag() string { return "PREPARE" }
func (*Execute) Tag() string { return "EXECUTE" }

func (d *Deallocate) Tag() string {
	if d.All {
		return "DEALLOCATE ALL"
	}
	return "DEALLOCATE"
}
