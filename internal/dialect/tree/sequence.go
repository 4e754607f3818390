package tree

// SequenceOption is one option of a sequence.
type SequenceOption struct {
	// Name is "as", "cache", "cycle", "no cycle", "increment", "maxvalue",
	// "no maxvalue", "minvalue", "no minvalue", "owned by", "start",
	// "restart", "sequence name".
	Name  string
	Value string // a number's text, or a name
	Type  *TypeName
	// Owner is, for OWNED BY, the column, with OwnerTable its table (Value is
	// "none" for OWNED BY NONE); for SEQUENCE NAME the sequence.
	Owner, OwnerTable Name
	// HasValue is false for RESTART without a value.
	HasValue bool
	Pos      int
}

// CreateSequence is CREATE SEQUENCE.
type CreateSequence struct {
	Name        Name
	IfNotExists bool
	Temp        bool
	Options     []SequenceOption
}

func (*CreateSequence) Tag() string { return "CREATE SEQUENCE" }
