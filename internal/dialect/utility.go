package dialect

import "strings"

// Utility is a statement other than a query or DML. Tag is its name in capital
// letters ("CREATE TABLE"), as in command tags and messages.
type Utility interface{ Tag() string }

// SetScope is how long a SET lasts.
type SetScope uint8

// The scopes of SET.
const (
	SetSession SetScope = iota
	SetLocal
)

// SetValue is one value of SET name = value, ….
type SetValue struct {
	Text   string // a string's content, a number with its sign, a folded word
	Quoted bool   // it was a string constant
	Number bool
}

// Set is SET of a parameter. SET TIME ZONE is Name "timezone" (LOCAL and
// DEFAULT set Default), SET NAMES is "client_encoding", SET SCHEMA is
// "search_path", SET ROLE is "role", SET SESSION AUTHORIZATION is
// "session_authorization", SET XML OPTION is "xmloption", SET SEED is "seed".
type Set struct {
	Scope       SetScope
	Name        string // lower case, dotted for custom parameters
	Values      []SetValue
	Default     bool
	FromCurrent bool
	Interval    *Expr // SET TIME ZONE INTERVAL '…'
	Pos         int
}

// TxModes are the modes of a transaction; nil or "" where not given.
type TxModes struct {
	Isolation  string // "serializable", "repeatable read", "read committed", "read uncommitted"
	ReadOnly   *bool
	Deferrable *bool
}

// SetTransaction is SET TRANSACTION, or SET SESSION CHARACTERISTICS AS
// TRANSACTION when Session is set.
type SetTransaction struct {
	Session  bool
	Local    bool
	Modes    TxModes
	Snapshot string
}

// SetConstraints is SET CONSTRAINTS.
type SetConstraints struct {
	All      bool
	Names    []Name
	Deferred bool
}

// Reset is RESET name or RESET ALL.
type Reset struct {
	Name string
	All  bool
	Pos  int
}

// Show is SHOW name or SHOW ALL.
type Show struct {
	Name string
	All  bool
	Pos  int
}

// ShowCreateTable is SHOW CREATE TABLE name.
type ShowCreateTable struct{ Name Name }

// Begin is BEGIN or START TRANSACTION.
type Begin struct {
	Start bool
	Modes TxModes
}

// Commit is COMMIT or END.
type Commit struct{ Chain bool }

// Rollback is ROLLBACK or ABORT.
type Rollback struct{ Chain bool }

// Savepoint is SAVEPOINT.
type Savepoint struct{ Name string }

// Release is RELEASE SAVEPOINT.
type Release struct{ Name string }

// RollbackTo is ROLLBACK TO SAVEPOINT.
type RollbackTo struct{ Name string }

// TwoPhase is PREPARE TRANSACTION, COMMIT PREPARED or ROLLBACK PREPARED.
type TwoPhase struct {
	Command string // the tag
	ID      string
}

// Copy is COPY.
type Copy struct {
	// Table with Columns, or Query.
	Table    Name
	Columns  []KeyCol
	Query    *Statement
	From     bool // COPY … FROM; else TO
	Stdio    bool // STDIN or STDOUT
	Program  bool
	Filename string
	// Options are in the form of the parenthesised list; the old spelling is
	// turned into it: BINARY is format 'binary', CSV is format 'csv'. A list
	// of columns, or * as Star, is in List.
	Options []CopyOption
	Where   *Expr
}

// Upserts says that the option UPSERT is on: rows that exist are overwritten,
// as UPSERT does. A value that is not a truth value is told by who checks the options.
func (c *Copy) Upserts() bool {
	for _, o := range c.Options {
		if o.Name == "upsert" {
			v := strings.ToLower(o.Value)
			return !o.HasValue || v == "true" || v == "on" || v == "1"
		}
	}
	return false
}

// CopyOption is one option of COPY.
type CopyOption struct {
	Name     string // lower case: format, delimiter, null, header, quote, escape, …
	Value    string
	HasValue bool
	Quoted   bool
	List     []string
	Star     bool
	Pos      int
}

// DeclareCursor is DECLARE … CURSOR FOR query.
type DeclareCursor struct {
	Name        string
	Binary      bool
	Insensitive bool
	Asensitive  bool
	Scroll      bool
	NoScroll    bool
	Hold        bool
	Query       *Statement
}

// FetchDirection is where FETCH goes.
type FetchDirection uint8

// The directions of FETCH. NEXT is Forward 1, PRIOR Backward 1, FIRST
// Absolute 1, LAST Absolute -1.
const (
	FetchForward FetchDirection = iota
	FetchBackward
	FetchAbsolute
	FetchRelative
)

// Fetch is FETCH or MOVE.
type Fetch struct {
	Move      bool
	Direction FetchDirection
	Count     int64
	All       bool // FORWARD ALL, BACKWARD ALL
	Cursor    string
}

// CloseCursor is CLOSE.
type CloseCursor struct {
	Name string
	All  bool
}

// Prepare is PREPARE name (types) AS statement.
type Prepare struct {
	Name  string
	Types []*TypeName
	Stmt  *Statement
}

// Execute is EXECUTE name (args).
type Execute struct {
	Name string
	Args []Expr
}

// Deallocate is DEALLOCATE.
type Deallocate struct {
	Name string
	All  bool
}

// Explain is EXPLAIN. The old spelling EXPLAIN ANALYZE VERBOSE is turned into
// Options; an option without a value has HasValue false.
type Explain struct {
	Options []Option
	Advise  bool // EXPLAIN ADVISE statement
	Stmt    *Statement
}

// Discard is DISCARD; What is "all", "plans", "sequences" or "temp".
type Discard struct{ What string }

// Listen is LISTEN.
type Listen struct{ Channel string }

// Unlisten is UNLISTEN.
type Unlisten struct {
	Channel string
	All     bool
}

// Notify is NOTIFY.
type Notify struct {
	Channel string
	Payload string
}

// LockTable is LOCK TABLE.
type LockTable struct {
	Tables []Name
	Mode   string // "access exclusive" and so on, lower case
	NoWait bool
}

// Grant is GRANT or REVOKE.
type Grant struct {
	Revoke     bool
	Privileges []string // lower case words, "all" for ALL; of roles: their names
	Object     string   // "table", "schema", "all tables in schema", …; "" for roles
	Names      []Name
	Columns    bool // a privilege is limited to columns
	Grantees   []string
	Option     bool // WITH GRANT OPTION, or REVOKE GRANT OPTION FOR
	Cascade    bool
}

// Analyze is ANALYZE.
type Analyze struct {
	Options []Option
	Tables  []Name
	Columns [][]string // one list per table, nil for all
}

// Vacuum is VACUUM.
type Vacuum struct {
	Options []Option
	Tables  []Name
	Columns [][]string
}

// Checkpoint is CHECKPOINT.
type Checkpoint struct{}

// UseSchema is Phoenix's USE schema.
type UseSchema struct{ Name string }

// Unsupported is a statement of Postgres that is recognised by its command
// words and not read further: the session refuses it with 0A000, naming
// Command ("CREATE EXTENSION").
type Unsupported struct {
	Command string
	Name    string // the object's name where it follows at once
	Pos     int
}

func (*Set) Tag() string             { return "SET" }
func (*SetTransaction) Tag() string  { return "SET" }
func (*SetConstraints) Tag() string  { return "SET CONSTRAINTS" }
func (*Reset) Tag() string           { return "RESET" }
func (*Show) Tag() string            { return "SHOW" }
func (*ShowCreateTable) Tag() string { return "SHOW" }
func (b *Begin) Tag() string {
	if b.Start {
		return "START TRANSACTION"
	}
	return "BEGIN"
}
func (*Commit) Tag() string        { return "COMMIT" }
func (*Rollback) Tag() string      { return "ROLLBACK" }
func (*Savepoint) Tag() string     { return "SAVEPOINT" }
func (*Release) Tag() string       { return "RELEASE" }
func (*RollbackTo) Tag() string    { return "ROLLBACK" }
func (t *TwoPhase) Tag() string    { return t.Command }
func (*Copy) Tag() string          { return "COPY" }
func (*DeclareCursor) Tag() string { return "DECLARE CURSOR" }
func (f *Fetch) Tag() string {
	if f.Move {
		return "MOVE"
	}
	return "FETCH"
}
func (c *CloseCursor) Tag() string {
	if c.All {
		return "CLOSE CURSOR ALL"
	}
	return "CLOSE CURSOR"
}
func (*Prepare) Tag() string { return "PREPARE" }
func (*Execute) Tag() string { return "EXECUTE" }
func (d *Deallocate) Tag() string {
	if d.All {
		return "DEALLOCATE ALL"
	}
	return "DEALLOCATE"
}
func (*Explain) Tag() string { return "EXPLAIN" }
func (d *Discard) Tag() string {
	switch d.What {
	case "plans":
		return "DISCARD PLANS"
	case "sequences":
		return "DISCARD SEQUENCES"
	case "temp":
		return "DISCARD TEMP"
	}
	return "DISCARD ALL"
}
func (*Listen) Tag() string    { return "LISTEN" }
func (*Unlisten) Tag() string  { return "UNLISTEN" }
func (*Notify) Tag() string    { return "NOTIFY" }
func (*LockTable) Tag() string { return "LOCK TABLE" }
func (g *Grant) Tag() string {
	switch {
	case g.Object == "" && g.Revoke:
		return "REVOKE ROLE"
	case g.Object == "":
		return "GRANT ROLE"
	case g.Revoke:
		return "REVOKE"
	}
	return "GRANT"
}
func (*Analyze) Tag() string       { return "ANALYZE" }
func (*Vacuum) Tag() string        { return "VACUUM" }
func (*Checkpoint) Tag() string    { return "CHECKPOINT" }
func (*UseSchema) Tag() string     { return "USE" }
func (u *Unsupported) Tag() string { return u.Command }
func (*CreateTable) Tag() string   { return "CREATE TABLE" }
func (c *CreateTableAs) Tag() string {
	if c.Materialized {
		return "CREATE MATERIALIZED VIEW"
	}
	return "CREATE TABLE AS"
}
func (a *AlterTable) Tag() string   { return "ALTER " + upper(a.Object) }
func (d *Drop) Tag() string         { return "DROP " + upper(d.Object) }
func (*Truncate) Tag() string       { return "TRUNCATE TABLE" }
func (*CreateSchema) Tag() string   { return "CREATE SCHEMA" }
func (*AlterSchema) Tag() string    { return "ALTER SCHEMA" }
func (*CreateIndex) Tag() string    { return "CREATE INDEX" }
func (*CreateView) Tag() string     { return "CREATE VIEW" }
func (*CreateSequence) Tag() string { return "CREATE SEQUENCE" }
func (*Comment) Tag() string        { return "COMMENT" }
