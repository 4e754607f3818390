package catalog

// ForeignKey is a FOREIGN KEY constraint. It is kept for those who read the schema and is
// not enforced: no statement looks at the rows of another table for it, and ON DELETE and ON
// UPDATE do nothing.
type ForeignKey struct {
	Name    string `json:"name"`
	Columns []int  `json:"columns"` // IDs
	// Table and References are the ID of the table it names and of columns there.
	Table      uint32 `json:"table"`
	References []int  `json:"references"`
	// OnUpdate and OnDelete are as in pg_constraint: 'a' NO ACTION, 'r' RESTRICT, 'c'
	// CASCADE, 'n' SET NULL, 'd' SET DEFAULT. SetColumns are those of ON DELETE SET … (…).
	OnUpdate   byte   `json:"on_update"`
	OnDelete   byte   `json:"on_delete"`
	SetColumns []int  `json:"set_columns,omitempty"`
	Full       bool   `json:"full,omitempty"` // MATCH FULL
	Deferrable bool   `json:"deferrable,omitempty"`
	Deferred   bool   `json:"deferred,omitempty"` // INITIALLY DEFERRED
	Comment    string `json:"comment,omitempty"`
}

// ForeignKeyDef is a FOREIGN KEY to make: the names of what ForeignKey has the IDs of.
type ForeignKeyDef struct {
	ForeignKey // but for IDs
	Columns    []string
	Table      Name
	References []string // nil: the primary key's
	SetColumns []string
	// Quiet says that NOT ENFORCED is written.
	Quiet bool
	Pos   int
}
