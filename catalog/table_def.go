package catalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Name is the name of an object as a statement gives it. Where Schema is empty
// the schemas of Path are tried in order; an empty Path is public alone.
type Name struct {
	Schema string
	Name   string
	Path   []string
	Pos    int // of the name in the user's text, 1-based; 0 is unknown
}

// OfPhoenix says that the statement is read as Phoenix means it, which the search path tells.
func (n Name) OfPhoenix() bool { return slices.Contains(n.Path, expr.PhoenixSchema) }

// Notices are what a statement has to say beside its result.
type Notices []*sqlerr.Error

func (n *Notices) Add(e *sqlerr.Error) { *n = append(*n, e) }

// TableDef is a table to create. The caller has resolved types and bound the
// expressions; CreateTable checks everything else.
type TableDef struct {
	Name    Name
	Columns []ColumnDef
	// PrimaryKey lists the key's columns in key order. A column's own PRIMARY KEY
	// mark is a list of one.
	PrimaryKey     []KeyDef
	PrimaryKeyName string // empty: <table>_pkey
	// KeyByOption says that the option PRIMARY_KEY gave the key: see primary_key.go.
	KeyByOption bool
	// KeyIndexComment is of the key's index.
	KeyIndexComment string
	Checks          []Check
	ForeignKeys     []ForeignKeyDef
	Uniques         []IndexDef // UNIQUE constraints, and of LIKE the source's other indexes
	Options         []OptionDef
	// Materialized is the query of a materialized view.
	Materialized *Materialized
	// Splits are the points of SPLIT ON: values of the leading key columns,
	// at least one each, of those columns' types.
	Splits [][]types.Datum
	// Maps are the families of a table to attach whose qualifiers are data; their names are *.
	Maps []ColumnDef
	// KeyFormat is the keys' format of a table to attach where it is not Phoenix's, its
	// parts in key order.
	KeyFormat *keyform.Format
}

// ColumnDef is a column to create.
type ColumnDef struct {
	Family string // Phoenix's family.column; empty is the default family
	Name   string
	Type   types.T
	// Store is given for type names that do not follow from Type (tinyint,
	// unsigned_int, binary(n): see StorageTypeFromName); the zero Column lets
	// Type decide.
	Store   rowcodec.Column
	NotNull bool
	Default ColumnDefault
	// Identity is 'a' for GENERATED ALWAYS, 'd' for BY DEFAULT, 's' for
	// serial, 0 for none. Sequence then says how the owned sequence counts.
	Identity byte
	Sequence SequenceOptions
	// Generated and GeneratedFrom are the column's: see Column.
	Generated     expr.Stored
	GeneratedFrom []int
	Comment       string
	Pos           int

	// Of a table to attach: where the cell is, by qualifier or number, if not where the
	// column's place among the others says; the qualifier where those are names; and what
	// rows without the cell hold.
	Qualifier      []byte
	Number         int
	PlainQualifier []byte
	Missing        types.Datum
	// Settled says, of a column to add, that Missing is what the rows that are there get.
	Settled bool
	// Fault, of a column to add, is what the rows that are there fail with: a constraint of the
	// column's domain.
	Fault *sqlerr.Error
}

// DomainDef is CREATE DOMAIN.
type DomainDef struct {
	Name    Name
	Base    types.T
	NotNull bool
	Default expr.Stored
	Checks  []DomainCheckDef
}

// DomainCheckDef is a CHECK of a domain; one without a name gets one.
type DomainCheckDef struct {
	Name     string
	Cond     expr.Stored // over column types.DomainValue
	NotValid bool
	Pos      int
}

// ColumnDefault is a DEFAULT to keep: the fields of Column that are called so. At
// most one of Expr, Text and Sequence is given; none is no DEFAULT.
type ColumnDefault struct {
	Expr     expr.Stored
	Text     string
	Sequence uint32
	Uses     []uint32
}

func (d *ColumnDefault) Given() bool { return d.Expr != "" || d.Text != "" || d.Sequence != 0 }

// AttachDef is a storage table that others made, to be used as a table.
type AttachDef struct {
	TableDef
	Physical string
	Pos      int // of Physical in the user's text
}

// KeyDef is a column of the primary key.
type KeyDef struct {
	Name string
	Desc bool
	Pos  int
}

// OptionDef is a table option as written, in either spelling.
type OptionDef struct {
	Namespace string // what stands before a dot in the name
	Name      string // any case
	Value     string // the text: a string's content, a number or a word
	HasValue  bool   // false for a bare name, which means true
	List      []string
	Pos       int
}

// SequenceDef is a sequence to create.
type SequenceDef struct {
	Name    Name
	Options SequenceOptions
}

// SequenceOptions say how a sequence counts. A nil bound is Postgres's default
// for the direction and type.
type SequenceOptions struct {
	Type      types.Kind // Int2, Int4 or Int8; Unknown is Int8
	Start     *int64
	Increment *int64
	Min, Max  *int64
	Cycle     bool
	Cache     int64 // 0 means 1
	Owner     *SequenceOwner
	// Name is that of a sequence that a column owns; empty follows from the column.
	Name Name
}

// ViewDef is a view to create.
type ViewDef struct {
	Name    Name
	Query   ViewQuery
	Columns []ViewColumn // of the query's result, in order
	// DependsOn are the IDs of the relations the query names.
	DependsOn []uint32
	Uses      []ViewColumnUse
	Check     string // of WITH CHECK OPTION: "", "local" or "cascaded"
	OrReplace bool
}

// ViewColumn is one column of a view.
type ViewColumn struct {
	Name    string
	Type    types.T
	Comment string
}

// TypeOf gives the type of the column of that name; ok is false if there is
// none.
func (d *TableDef) TypeOf(name string) (t types.T, ok bool) {
	for i := range d.Columns {
		if d.Columns[i].Name == name {
			return d.Columns[i].Type, true
		}
	}
	return types.T{}, false
}

// SequenceOwner is OWNED BY; an empty Column is NONE.
type SequenceOwner struct {
	Table  Name
	Column string
}
