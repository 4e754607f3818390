package live

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// AlterAction is one action of ALTER TABLE: a value of one of the types below.
type AlterAction interface{ alterAction() }

// AddColumn is ADD COLUMN. Rows of before have no cell: they have the value of a DEFAULT
// that is the same for all of them (ColumnDef.Settled), and NULL without one. Any other
// DEFAULT is written to them by AlterWritten, and taken on an empty table only by AlterTable
// (0A000), as NOT NULL without one is.
type AddColumn struct {
	Column      catalog.ColumnDef
	IfNotExists bool
	Table       uint32 // ID of the table that Column.Generated was bound for
	drawn       uint32 // the sequence that the rows which are there have their numbers of
}

// storesAnew says why rows are written, for messages.
func (act *AddColumn) storesAnew() string {
	if act.Column.Generated != "" {
		return "adding a generated column to"
	}
	return "adding a column with such a DEFAULT to"
}

// DropColumn is DROP COLUMN. Cells stay in the store until their rows are
// rewritten or removed; their qualifier is never used again.
type DropColumn struct {
	Name     string
	IfExists bool
	Cascade  bool
	Pos      int
}

// RenameColumn is RENAME COLUMN. A CHECK that is kept as text and names the column
// keeps it from being renamed (0A000).
type RenameColumn struct {
	From, To string
	Pos      int
}

// RenameTable is RENAME TO.
type RenameTable struct {
	To  string
	Pos int
}

// SetSchema is SET SCHEMA; owned sequences move too.
type SetSchema struct {
	Schema string
	Pos    int
}

// SetDefault is SET DEFAULT, or DROP DEFAULT where no Default is given.
type SetDefault struct {
	Column  string
	Default catalog.ColumnDefault
	// Bind makes Default, for the column as the actions before leave it.
	Bind func(*catalog.Column) (catalog.ColumnDefault, error)
	Pos  int
}

// ValidateConstraint is VALIDATE CONSTRAINT. A CHECK has been held against all rows when it was
// added, or with NOT VALID is now; a foreign key, which is not enforced, cannot be validated (0A000).
type ValidateConstraint struct {
	Name string
	Pos  int
}

// SetNotNull is SET NOT NULL. The rows are read first; 23502 if one has NULL.
type SetNotNull struct {
	Column string
	Pos    int
}

// DropNotNull is DROP NOT NULL.
type DropNotNull struct {
	Column string
	Pos    int
}

// AlterType is ALTER COLUMN … TYPE: as an action, what leaves every stored value as it
// is (varchar(n) to a longer one or to text, numeric to more digits); Retype does the rest.
type AlterType struct {
	Column string
	Type   types.T
	Store  rowcodec.Column // zero: Type decides
	Using  bool            // by an expression, which the caller has
	Pos    int
}

// SetOptions is SET (…): TTL and VERSIONS may change, the rest is 0A000. A first
// TTL reads all rows, and writes those whose cells have several timestamps.
type SetOptions struct{ Options []catalog.OptionDef }

// ResetOptions is RESET (…), which gives TTL and VERSIONS their defaults.
type ResetOptions struct{ Names []catalog.OptionDef }

// AddCheck is ADD CONSTRAINT … CHECK. An empty name is chosen as Postgres
// does. The caller has tested the rows, or passes Hooks.ValidateCheck.
type AddCheck struct {
	Check catalog.Check
	// Bind completes Check, for the table as the actions before leave it.
	Bind func(*catalog.Table, *catalog.Check) error
	Pos  int
}

// AddPrimaryKey is ADD CONSTRAINT … PRIMARY KEY: as an action, of a table whose rows are
// stored by this key already (see primary_key.go); AddKey does it for other tables.
type AddPrimaryKey struct {
	Name string // empty: as it is
	Key  []catalog.KeyDef
	Pos  int
}

// DropConstraint is DROP CONSTRAINT.
type DropConstraint struct {
	Name     string
	IfExists bool
	Cascade  bool
	Pos      int
}

// RenameConstraint is RENAME CONSTRAINT, of a CHECK or of the primary key.
type RenameConstraint struct {
	From, To string
	Pos      int
}

// AddIdentity is ALTER COLUMN … ADD GENERATED … AS IDENTITY. Rows keep their values.
type AddIdentity struct {
	Column   string
	Identity byte // 'a' or 'd'
	Sequence catalog.SequenceOptions
	Pos      int
}

// SetIdentity is ALTER COLUMN … SET GENERATED ALWAYS or BY DEFAULT.
type SetIdentity struct {
	Column   string
	Identity byte // 'a' or 'd'
	Pos      int
}

// DropIdentity is ALTER COLUMN … DROP IDENTITY; the owned sequence goes with it.
type DropIdentity struct {
	Column   string
	IfExists bool
	Pos      int
}

// DropExpression is ALTER COLUMN … DROP EXPRESSION: rows keep the values.
type DropExpression struct {
	Column   string
	IfExists bool
	Pos      int
}

// OfNone is an action about a thing that no table has, by its name: 42704.
type OfNone struct {
	What string // "trigger", "rule"
	Name string
}

func (OfNone) alterAction()             {}
func (DropExpression) alterAction()     {}
func (AddColumn) alterAction()          {}
func (DropColumn) alterAction()         {}
func (RenameColumn) alterAction()       {}
func (RenameTable) alterAction()        {}
func (SetSchema) alterAction()          {}
func (SetDefault) alterAction()         {}
func (SetNotNull) alterAction()         {}
func (DropNotNull) alterAction()        {}
func (AlterType) alterAction()          {}
func (SetOptions) alterAction()         {}
func (ResetOptions) alterAction()       {}
func (AddCheck) alterAction()           {}
func (AddPrimaryKey) alterAction()      {}
func (DropConstraint) alterAction()     {}
func (RenameConstraint) alterAction()   {}
func (ValidateConstraint) alterAction() {}
func (AddIdentity) alterAction()        {}
func (SetIdentity) alterAction()        {}
func (DropIdentity) alterAction()       {}

// AddForeignKey is ADD CONSTRAINT … FOREIGN KEY.
type AddForeignKey struct{ Def catalog.ForeignKeyDef }

func (AddForeignKey) alterAction() {}

// needsFreeze says that writes under the old and the new descriptor must not
// meet. An old one would delete a new column's value when it replaces a row
// whole, or write a NULL where there may be none any more; what only renames,
// loosens or takes away does no harm.
func needsFreeze(actions []AlterAction) bool {
	for _, act := range actions {
		switch act.(type) {
		case AddColumn, DropExpression, SetNotNull, AlterType, SetOptions, ResetOptions, AddCheck:
			return true
		}
	}
	return false
}

// tightens says that a row which passed under the old descriptor may not under the
// new one. That matters where nothing is frozen: rows that a transaction still
// holds are not among those tested.
func tightens(actions []AlterAction) bool {
	for _, act := range actions {
		switch act := act.(type) {
		case SetNotNull, AddCheck:
			return true
		case AddColumn:
			if act.Column.NotNull || act.Column.Default.Given() || act.Column.Generated != "" || act.Column.Type.Domain() != nil {
				return true
			}
		}
	}
	return false
}
