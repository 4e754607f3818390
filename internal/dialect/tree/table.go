package tree

import (
	"slices"
	"strings"
)

// ColumnDef defines a column in CREATE TABLE or ALTER TABLE ADD.
type ColumnDef struct {
	Family                 string // Phoenix's family.column
	Name                   string
	Type                   *TypeName // nil when the statement gives none (a Phoenix view's column)
	Null                   bool      // NULL said aloud
	NotNull                bool
	Default                *SourceExpr
	PrimaryKey             bool
	Desc                   bool // PRIMARY KEY DESC
	RowTime                bool // PRIMARY KEY ROW_TIMESTAMP
	KeyDeferral            Deferral
	Unique                 bool
	UniqueNullsNotDistinct bool
	UniqueDeferral         Deferral
	Checks                 []Check
	References             *ForeignKey
	Identity               string // "", "always" or "by default"
	IdentityOpt            []SequenceOption
	Generated              *SourceExpr // GENERATED ALWAYS AS (…) STORED
	Clash                  string      // what is wrong with a clause beside one before it, as "multiple default values specified"
	ClashPos               int         // where that clause stands
	Collation              Name
	Storage                string
	Compression            string
	// Quoted and FamilyQuoted say that the names were: Phoenix writes others in capitals.
	Quoted, FamilyQuoted bool
	// Qualifier is QUALIFIER '…', and Number ENCODED_QUALIFIER n: where a cell of an
	// attached table is.
	Qualifier    []byte
	HasQualifier bool
	// Format is FORMAT TEXT or BINARY: how a cell of a table with KEY FORMAT is written.
	Format string
	Number int
	// Map is family.*, all cells of a family of an attached table, whose name is then *.
	Map bool
	// ConstraintNames are the CONSTRAINT names given to the column's
	// constraints, by kind: "not null", "null", "default", "primary key",
	// "unique", "references", "identity", "generated".
	ConstraintNames map[string]string
	Pos             int
}

// CreateTable is CREATE TABLE (cols …), also CREATE FOREIGN or IMMUTABLE TABLE.
type CreateTable struct {
	Name        Name
	IfNotExists bool
	Temp        bool
	Unlogged    bool
	Immutable   bool // Phoenix's CREATE IMMUTABLE TABLE
	Columns     []ColumnDef
	// Primary is the table constraint; a column's own mark is in ColumnDef.
	Primary     *KeyConstraint
	Uniques     []KeyConstraint
	Checks      []Check
	ForeignKeys []ForeignKey
	Excludes    []Exclude
	Like        []LikeClause
	Inherits    []Name
	OfType      *Name
	PartitionBy string // the text after PARTITION BY
	PartitionOf *Name
	Using       string // access method
	OnCommit    string // "", "preserve rows", "delete rows", "drop"
	Tablespace  string
	Options     []Option
	SplitOn     [][]SourceExpr // one row per split point
}

// AttachTable is ATTACH TABLE … FROM 'storage table'.
type AttachTable struct {
	CreateTable
	KeyFormat *KeyFormat // nil: Phoenix's
	From      string
	FromPos   int
}

// DetachTable is DETACH TABLE.
type DetachTable struct {
	Names    []Name
	IfExists bool
	Cascade  bool
}

// ImportPhoenix is IMPORT PHOENIX SCHEMA.
type ImportPhoenix struct {
	Schema string   // "" is all
	Tables []string // of LIMIT TO; nil is all
	From   string   // the storage table with SYSTEM.CATALOG's rows; "" is SYSTEM.CATALOG
	Pos    int
}

// Wants says that an object is of the schema and in the list, in whatever case.
func (u *ImportPhoenix) Wants(schema, name string) bool {
	listed := u.Tables == nil || slices.ContainsFunc(u.Tables, func(t string) bool { return strings.EqualFold(t, name) })
	return listed && (u.Schema == "" || strings.EqualFold(u.Schema, schema))
}

func (*ImportPhoenix) Tag() string { return "IMPORT PHOENIX SCHEMA" }

// LikeOptions are the words that may follow INCLUDING and EXCLUDING, beside ALL.
var LikeOptions = []string{"comments", "compression", "constraints", "defaults", "generated", "identity", "indexes", "statistics", "storage"}

// LikeClause is LIKE table [INCLUDING x | EXCLUDING x] ….
type LikeClause struct {
	Table   Name
	Options []string // "including all", "excluding defaults", …
	At      int      // how many columns of the statement stand before it
}

// CreateTableAs is CREATE TABLE … AS query, and CREATE MATERIALIZED VIEW.
type CreateTableAs struct {
	Name         Name
	IfNotExists  bool
	Temp         bool
	Unlogged     bool
	Materialized bool
	Columns      []string
	Options      []Option
	OnCommit     string
	Tablespace   string
	Using        string
	Query        *Statement // a query, or an EXECUTE utility
	NoData       bool
	SelectInto   bool // it was written as SELECT … INTO
}

// Into is what stands after the INTO of a SELECT.
type Into struct {
	Name           Name
	Temp, Unlogged bool
}

func (*CreateTable) Tag() string { return "CREATE TABLE" }
func (*AttachTable) Tag() string { return "ATTACH TABLE" }
func (*DetachTable) Tag() string { return "DETACH TABLE" }

func (c *CreateTableAs) Tag() string {
	if c.Materialized {
		return "CREATE MATERIALIZED VIEW"
	}
	if c.SelectInto {
		return "SELECT INTO"
	}
	return "CREATE TABLE AS"
}
