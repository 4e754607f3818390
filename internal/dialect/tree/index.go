package tree

// CreateIndex is CREATE INDEX.
type CreateIndex struct {
	Name             string // "" lets the system choose
	Table            Name
	Only             bool
	IfNotExists      bool
	Unique           bool
	Concurrently     bool
	Local            bool // Phoenix's CREATE LOCAL INDEX
	Uncovered        bool // Phoenix's CREATE UNCOVERED INDEX
	Async            bool // Phoenix's ASYNC
	Hypothetical     bool // of the session's EXPLAIN alone
	Method           string
	Columns          []KeyCol
	Include          []KeyCol
	NullsNotDistinct bool
	Options          []Option
	SplitOn          [][]SourceExpr
	Tablespace       string
	Where            *SourceExpr
	Pos              int
}

func (*CreateIndex) Tag() string { return "CREATE INDEX" }
