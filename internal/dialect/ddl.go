package dialect

// Name is a name that may be qualified. Parts beyond a schema (a database) are
// refused by the parser.
type Name struct {
	Schema string
	Name   string
	Pos    int
}

// KeyCol is a column of a key or index.
type KeyCol struct {
	// Family is set where Phoenix's family.column is written.
	Family string
	Name   string // "" when Expr is set
	Expr   *Expr  // an expression index's element
	Desc   bool
	// NullsFirst and NullsLast are the written choice; neither is the default.
	NullsFirst, NullsLast bool
	// RowTimestamp is Phoenix's ROW_TIMESTAMP mark of a key column.
	RowTimestamp bool
	Collation    Name
	OpClass      Name
	Pos          int
}

// Option is a table, index or statement option in either spelling: Phoenix's
// `NAME = value` after the parenthesis or Postgres's WITH (name = value).
type Option struct {
	// Name is lower case; Namespace is the part before a dot ("toast" or a
	// column family).
	Namespace string
	Name      string
	// Value is the text of the value: a string's content, a number or a word
	// as written. HasValue is false for a bare name.
	Value    string
	HasValue bool
	// List is set for NAME = (a, b).
	List []string
	// Quoted tells that Value was a string constant.
	Quoted bool
	Pos    int
}

// ColumnDef defines a column in CREATE TABLE or ALTER TABLE ADD.
type ColumnDef struct {
	Family                 string // Phoenix's family.column
	Name                   string
	Type                   *TypeName // nil when the statement gives none (a Phoenix view's column)
	Null                   bool      // NULL said aloud
	NotNull                bool
	Default                *Expr
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
	Generated              *Expr // GENERATED ALWAYS AS (…) STORED
	Collation              Name
	Storage                string
	Compression            string
	// ConstraintNames are the CONSTRAINT names given to the column's
	// constraints, by kind: "not null", "null", "default", "primary key",
	// "unique", "references", "identity", "generated".
	ConstraintNames map[string]string
	Pos             int
}

// Check is a CHECK constraint.
type Check struct {
	Name      string
	Expr      *Expr
	NoInherit bool
	NotValid  bool
	Pos       int
}

// Deferral is the DEFERRABLE part of a constraint.
type Deferral struct {
	Deferrable, NotDeferrable, InitiallyDeferred, InitiallyImmediate bool
}

// ForeignKey is a REFERENCES clause.
type ForeignKey struct {
	Name            string
	Columns         []string // of the referencing table; nil in a column's own clause
	Table           Name
	RefColumns      []string
	Match           string // "", "full", "partial", "simple"
	OnDelete        string // "", "no action", "restrict", "cascade", "set null", "set default"
	OnUpdate        string
	OnDeleteColumns []string
	NotValid        bool
	Deferral        Deferral
	Pos             int
}

// KeyConstraint is a table's PRIMARY KEY or UNIQUE constraint.
type KeyConstraint struct {
	Name             string
	Columns          []KeyCol
	Include          []string
	Options          []Option
	UsingIndex       string
	NullsNotDistinct bool
	Deferral         Deferral
	Pos              int
}

// Exclude is an EXCLUDE constraint; the engine has none, so only its name is
// kept for the refusal.
type Exclude struct {
	Name string
	Pos  int
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
	SplitOn     [][]Expr // one row per split point
}

// LikeClause is LIKE table [INCLUDING x | EXCLUDING x] ….
type LikeClause struct {
	Table   Name
	Options []string // "including all", "excluding defaults", …
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
}

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
	Column      string // the column or constraint concerned
	Family      string
	NewName     string
	// Columns are those of AddColumn (Phoenix adds several at once) and, by
	// name, those of DropColumn.
	Columns    []ColumnDef
	Type       *TypeName
	Using      *Expr
	Default    *Expr
	Constraint *TableConstraint
	Identity   string
	Sequence   []SequenceOption
	Options    []Option
	Text       string
	Pos        int
}

// TableConstraint is exactly one constraint of a table.
type TableConstraint struct {
	Name       string
	Primary    *KeyConstraint
	Unique     *KeyConstraint
	Check      *Check
	ForeignKey *ForeignKey
	Exclude    *Exclude
}

// Drop is DROP of anything that goes by name.
type Drop struct {
	Object       string // "table", "view", "materialized view", "index", "sequence", "schema", "type", "domain", …
	Names        []Name
	IfExists     bool
	Cascade      bool
	Concurrently bool
	// OnTable is the table of Phoenix's DROP INDEX i ON t.
	OnTable *Name
}

// Truncate is TRUNCATE.
type Truncate struct {
	Tables          []Name
	RestartIdentity bool
	Cascade         bool
}

// CreateSchema is CREATE SCHEMA.
type CreateSchema struct {
	Name        string
	IfNotExists bool
	Owner       string
	// Elements are the CREATE statements inside it.
	Elements []*Statement
	Pos      int
}

// AlterSchema is ALTER SCHEMA … RENAME TO or OWNER TO.
type AlterSchema struct {
	Name    string
	NewName string
	Owner   string
	Pos     int
}

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
	Method           string
	Columns          []KeyCol
	Include          []string
	NullsNotDistinct bool
	Options          []Option
	SplitOn          [][]Expr
	Tablespace       string
	Where            *Expr
	Pos              int
}

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

// Comment is COMMENT ON.
type Comment struct {
	Object string // "table", "column", "schema", "index", "view", …
	Name   Name   // for a column: the table
	Column string // for a column
	// Detail is the rest of the object's name, for objects with more
	// (a function's arguments, a constraint's table).
	Detail string
	Text   string
	IsNull bool
	Pos    int
}
