package catalog

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Virtual is a relation whose rows are computed when it is read, as those of the
// system catalogs are. It is not stored and has no versions.
type Virtual struct {
	ID      uint32
	Schema  string
	Name    string
	Kind    string // "table" or "view", as PostgreSQL has it
	Columns []VirtualColumn
	// Closed ones hold what only superusers may read.
	Closed bool
	// Lookups are the columns of which Rows finds the rows that equal a value without
	// computing others, so that a join may ask for them row by row.
	Lookups []int
	// Rows computes rows. It may leave out those that do not satisfy equal, by column,
	// and may give them: whoever reads filters. It calls yield with each row, until that
	// gives false or an error comes. The row is yield's until it returns; what its values
	// point to stays.
	Rows func(world VirtualWorld, equal map[int]types.Datum, yield func([]types.Datum) bool) error
}

// VirtualColumn is a column of a virtual relation.
type VirtualColumn struct {
	Name    string
	Type    types.T
	NotNull bool
	// System columns come last, are not listed by *, and another column of the name hides them.
	System bool
}

// VirtualWorld is what rows are computed from. The package that makes the relations says
// by further interfaces what it asks of the session, and finds them by type assertion.
type VirtualWorld interface {
	// Snapshot is the catalog that the statement was planned against, or a newer one.
	Snapshot() *Snapshot
}

// RelID gives the OID.
func (v *Virtual) RelID() uint32 { return v.ID }

// RelSchema gives the schema.
func (v *Virtual) RelSchema() string { return v.Schema }

// RelName gives the name.
func (v *Virtual) RelName() string { return v.Name }

// RelKind is "table" or "view".
func (v *Virtual) RelKind() string { return v.Kind }

// Denied is what a statement that would change v is told: 42501.
func (v *Virtual) Denied() *sqlerr.Error {
	return sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied: "%s" is a system catalog`, v.Name)
}

// virtuals are the relations of the system schemas, made at start.
var (
	virtuals      = map[RelName]*Virtual{}
	virtualsByOID = map[uint32]*Virtual{}
)

// RegisterVirtual makes relations of a system schema; call it from an init function.
func RegisterVirtual(vs ...*Virtual) {
	for _, v := range vs {
		virtuals[RelName{v.Schema, v.Name}] = v
		virtualsByOID[v.ID] = v
	}
}
