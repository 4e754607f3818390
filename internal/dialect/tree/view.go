package tree

// CreateView is CREATE VIEW. Phoenix's view over a table may add columns.
type CreateView struct {
	Name        Name
	OrReplace   bool
	IfNotExists bool
	Temp        bool
	Recursive   bool
	Columns     []string
	ColumnDefs  []ColumnDef // Phoenix's CREATE VIEW v (c TYPE, …)
	Options     []Option
	Query       *Statement
	CheckOption string // "", "local" or "cascaded"
}

func (*CreateView) Tag() string { return "CREATE VIEW" }
