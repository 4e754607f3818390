package tree

import "strings"

// AlterTable is ALTER TABLE, and ALTER VIEW/INDEX/SEQUENCE/MATERIALIZED VIEW
// where they take the same actions.
type AlterTable struct {
	Object   string // "table", "view", "index", "sequence", "materialized view", "foreign table"
	Name     Name
	IfExists bool
	Only     bool
	Actions  []AlterAction
}

// AlterAction is one action of ALTER TABLE. Which fields are set follows from
// Kind.
type AlterAction struct {
	Kind        AlterKind
	IfExists    bool
	IfNotExists bool
	Cascade     bool
	Column      string // the column, constraint, trigger or rule concerned
	Family      string
	NewName     string
	Owner       RoleSpec // OWNER TO
	// Columns are those of AddColumn (Phoenix adds several at once) and, by
	// name, those of DropColumn.
	Columns    []ColumnDef
	Type       *TypeName
	Using      *SourceExpr
	Default    *SourceExpr
	Constraint *TableConstraint
	Identity   string
	Sequence   []SequenceOption
	Options    []Option
	Forward    *Forward // SET (options) FORWARD
	Text       string
	Pos        int
}

// Forward is FORWARD [FROM (value)] [ON (column)]: the options are for new rows alone.
type Forward struct {
	From *SourceExpr // nil: from now on
	On   string      // "": the only column that can be meant
	Pos  int
}

func (a *AlterTable) Tag() string { return "ALTER " + strings.ToUpper(a.Object) }
