package catalog

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Relation is what shares the name space of a schema: *Table, *View, *Sequence or *Type. A
// *Type is none of a snapshot's relations: nothing is read from it. A materialized view is a *Table.
type Relation interface {
	RelID() uint32
	RelSchema() string
	RelName() string
	// RelKind is the word Postgres's messages use: "table", "view", "materialized view", "sequence".
	RelKind() string
}

// Schema is a name space.
type Schema struct {
	ID      uint32
	Name    string
	Comment string
	Owned
}

// View is one version of a view's descriptor.
type View struct {
	ID        uint32
	Schema    string
	Name      string
	Version   uint64
	Comment   string
	Query     ViewQuery
	Columns   []ViewColumn
	DependsOn []uint32 // relation IDs
	// Uses are the columns of those that the query names, each once.
	Uses []ViewColumnUse
	// Check is that of an updatable view: "", "local" or "cascaded".
	Check string
	// Table is the materialized view that this is the query of: see Table.AsView.
	Table *Table
	Owned
}

// Sequence is one version of a sequence's descriptor. Its current value is not
// part of it: see Catalog.NextVal.
type Sequence struct {
	ID        uint32
	Schema    string
	Name      string
	Version   uint64
	Comment   string
	Type      types.Kind // Int2, Int4 or Int8
	Start     int64
	Increment int64
	Min, Max  int64
	Cycle     bool
	Cache     int64
	// OwnerTable and OwnerColumn are the table's ID and the column's ID that
	// own the sequence; 0 if none does.
	OwnerTable  uint32
	OwnerColumn int
	Owned
}

// Type is one version of a type's descriptor that CREATE TYPE … AS ENUM or CREATE DOMAIN made. It shares the
// name space of a schema with relations, as each of those has a type of its name.
type Type struct {
	ID, ArrayID uint32 // pg_type's OIDs
	Schema      string
	Name        string
	ArrayName   string
	Version     uint64
	Comment     string
	Labels      []types.Label // of an enum, ascending by Code
	Domain      *types.Domain // nil for an enum; it is not changed but replaced
	Owned
}

func (t *Type) RelID() uint32     { return t.ID }
func (t *Type) RelSchema() string { return t.Schema }
func (t *Type) RelName() string   { return t.Name }
func (t *Type) RelKind() string   { return "type" }

func (t *Table) RelID() uint32     { return t.ID }
func (t *Table) RelSchema() string { return t.Schema }
func (t *Table) RelName() string   { return t.Name }
func (t *Table) RelKind() string {
	if t.Materialized != nil {
		return materializedWord
	}
	return "table"
}

func (v *View) RelID() uint32     { return v.ID }
func (v *View) RelSchema() string { return v.Schema }
func (v *View) RelName() string   { return v.Name }
func (v *View) RelKind() string {
	if v.Table != nil {
		return materializedWord
	}
	return "view"
}

func (s *Sequence) RelID() uint32     { return s.ID }
func (s *Sequence) RelSchema() string { return s.Schema }
func (s *Sequence) RelName() string   { return s.Name }
func (s *Sequence) RelKind() string   { return "sequence" }

// OwnedBy says that q goes with column c of t.
func (q *Sequence) OwnedBy(t *Table, c *Column) bool {
	return q.OwnerTable == t.ID && q.OwnerColumn == c.ID
}

// Steps is how often the increment can be added to v. Distances are unsigned:
// they can exceed an int64.
func (q *Sequence) Steps(v int64) uint64 {
	if q.Increment < 0 {
		return (uint64(v) - uint64(q.Min)) / -uint64(q.Increment)
	}
	return (uint64(q.Max) - uint64(v)) / uint64(q.Increment)
}

func (q *Sequence) Ended() error {
	which, bound := "maximum", q.Max
	if q.Increment < 0 {
		which, bound = "minimum", q.Min
	}
	return sqlerr.New(sqlerr.SequenceLimitExceeded, `nextval: reached %s value of sequence "%s" (%d)`, which, q.Name, bound)
}

// Descriptor is *Schema, *Table, *View, *Sequence, *Type, *Role or *Database.
type Descriptor any

// State is where a descriptor stands in the life of its storage table.
type State uint8

const (
	StatePublic   State = iota
	StateCreating       // the name is taken; the storage table may not be there yet
	StateDropping       // the name is free; the storage table may still be there
)

var StateNames = []string{"public", "creating", "dropping"}
