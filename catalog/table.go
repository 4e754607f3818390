package catalog

import (
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/rowcodec/keyform"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/transact"
)

// Table is one version of a table's descriptor. It is immutable: who has a
// *Table may keep it and share it, and nobody changes what it points to.
type Table struct {
	ID      uint32 // unique in the store, never reused; also the pg_class OID
	Schema  string
	Name    string
	Version uint64 // grows with each change of this table
	// WriteVersion is the Version that last changed what rows may be written:
	// rows made by a descriptor with another one must not be.
	WriteVersion uint64
	// Frozen says that an ALTER TABLE is under way and nobody writes rows.
	Frozen bool
	// Truncating says that a TRUNCATE of it and of its indexes has begun.
	Truncating bool
	// Physical is the storage table's name, or what its epochs' make together (see Parts); it does not
	// change on RENAME.
	Physical string
	Comment  string
	Owned

	// Columns are the live columns in DDL order; a hidden key is the last of them.
	Columns []Column
	// PrimaryKey is the key's constraint name and its columns, as indexes into
	// Columns in key order. A hidden key is no constraint and has no name.
	PrimaryKey     []int
	PrimaryKeyName string
	// KeyByOption says that no constraint has declared the key yet: see primary_key.go.
	KeyByOption bool
	// KeyComment and KeyIndexComment are of the key's constraint and of its index.
	KeyComment, KeyIndexComment string
	// SaltByDefault says that a hidden key has its buckets because nothing was said of them.
	SaltByDefault bool
	Checks        []Check
	ForeignKeys   []ForeignKey // not enforced
	// Indexes are those beside the primary key, of every state: see Index.
	Indexes []Index

	Options Options
	// NextQualifier is the next free qualifier number; numbers are never reused.
	// With SINGLE_CELL_ARRAY_WITH_OFFSETS each family counts for itself and this
	// is the largest of them.
	NextQualifier int
	// NextColumnID is the next free Column.ID.
	NextColumnID int
	// Dropped remembers the columns that were, whose cells may still be there.
	Dropped []DroppedColumn
	// FamilyOrder lists every family the table has or had, in the order of its
	// first column. It never shrinks: the marker cell stays in the first one.
	FamilyOrder []string
	// WholeRows says of a table with a TTL that the cells of each row have one
	// timestamp, so that they expire together: see makeWhole.
	WholeRows bool
	// ExpiredBefore, in µs since the Unix epoch, hides the rows that a TTL of
	// before had ended when it was made longer: the store may have begun to
	// remove them.
	ExpiredBefore int64
	// Adopted tables were not made by saltsql and may use storage types and
	// options that CREATE TABLE does not offer.
	Adopted bool
	// Epochs are the layouts of a table whose salt has changed for new rows; nil is one for all rows.
	Epochs *Epochs
	// Rewrite is the copy of the rows that is being made; nil is none.
	Rewrite *Rewrite
	// Materialized is the query of a materialized view; nil for any other table.
	Materialized *Materialized
	// Retired are storage tables of before, which statements may still read.
	Retired []Retired
	// SwitchedAt is the version of the catalog that gave the table its storage, where it has
	// had another: a snapshot of the store from before does not go with it.
	SwitchedAt uint64

	// Maps are the families whose qualifiers are data: see family_map.go.
	Maps []Column
	// KeyFormat is the format of an attached table's keys where it is not Phoenix's.
	KeyFormat *keyform.Format

	// Types are those of users that its columns and expressions may have.
	Types *types.Users

	codec   *rowcodec.Schema // made once, by Finish
	primary Index            // the same
}

// Column is one column of a table.
type Column struct {
	ID      int // attnum: 1, 2, … in order of creation, never reused
	Name    string
	Type    types.T
	Store   rowcodec.Column
	NotNull bool // key columns always are
	// DefaultExpr is the DEFAULT, of the column's type without its modifier; empty is none.
	DefaultExpr expr.Stored
	// Default is the SQL text of one that was made before expressions were kept
	// bound; where it stands DefaultExpr is empty.
	Default  string
	Identity byte // 'a' ALWAYS, 'd' BY DEFAULT, 0 not an identity column
	// Sequence is the ID of the sequence whose next value is the default: an
	// identity column's own, or the one of a default that does nothing else.
	Sequence uint32
	// DefaultUses are the IDs of sequences that any other default names: they are
	// not dropped without the default.
	DefaultUses []uint32
	// Generated is what a generated column is computed by whenever a row is written, of the
	// column's type without its modifier; empty for any other. GeneratedFrom are the IDs of the
	// columns it names, none of them generated.
	Generated     expr.Stored
	GeneratedFrom []int
	Comment       string
	// Rights are those beside the table's, nil for none.
	Rights *acl.List
	// Hidden is the key of a table that was made without one: see hidden_key.go.
	Hidden bool
	// OfMap says of a statement's own descriptor that the column is a cell of a map, or all
	// of them with Whole: see family_map.go.
	OfMap, Whole bool
	// Dynamic says so of a cell that the statement itself declares: see dynamic.go.
	Dynamic bool

	KeyPos int  // position in the primary key, -1 if not in it
	Desc   bool // key columns: stored descending

	Family    string // columns outside the key
	Qualifier []byte
	Number    int // the qualifier number, 0 with COLUMN_ENCODED_BYTES = 0
	// Missing is what rows without the cell hold, as stored; nil is NULL: what ADD COLUMN's
	// DEFAULT was, whatever becomes of the DEFAULT. Phoenix
	// applies a DEFAULT when it reads.
	Missing []byte
}

// DroppedColumn is what remains of a dropped column.
type DroppedColumn struct {
	ID        int
	Family    string
	Qualifier []byte
	Number    int
}

// Check is a CHECK constraint.
type Check struct {
	Name string
	Cond expr.Stored
	// Text is the SQL text of a condition that was made before expressions were kept
	// bound; where it stands Cond is empty.
	Text string
	// Columns are the IDs of the columns the condition names, where the caller
	// gave them: such a column is not dropped without CASCADE.
	Columns []int
	// NotValid says that rows of before it was made may violate it.
	NotValid bool
	Comment  string
}

// Options are the table options that CREATE TABLE names.
type Options struct {
	SaltBuckets        int
	SaltColumns        []string // empty: the whole key
	Hash               string   // "phoenix31"
	ColumnEncodedBytes int      // 0 (plain names), 1, 2, 3 or 4
	Layout             rowcodec.Layout
	ImmutableRows      bool
	DefaultFamily      string        // "0" unless told
	TTL                time.Duration // 0: rows do not expire
	Versions           int           // cell versions kept, at least 1
	Transactional      bool          // rows take part in transactions, whatever the store
	Splits             [][]byte      // logical keys of SPLIT ON
}

// Distributed says that the table's rows, and the entries of its indexes, take part in transactions by
// storage/transact: the store has none of its own.
func (t *Table) Distributed() bool {
	return transact.Is(t.Physical) || t.Epochs != nil && transact.Is(t.Parts()[0])
}

// ColumnByName finds a column; nil if there is none.
func (t *Table) ColumnByName(name string) *Column {
	for i := range t.Columns {
		if t.Columns[i].Name == name {
			return &t.Columns[i]
		}
	}
	return nil
}

// InFamily says that column i is of the family as a statement names it: those of Phoenix are
// in capitals, which its statements leave out.
func (t *Table) InFamily(i int, family string) bool {
	of := t.Columns[i].Family
	return of == family || t.FromPhoenix() && of == strings.ToUpper(family)
}

// ColumnByID finds a column by its attnum; nil if there is none.
func (t *Table) ColumnByID(id int) *Column {
	for i := range t.Columns {
		if t.Columns[i].ID == id {
			return &t.Columns[i]
		}
	}
	return nil
}

// FromPhoenix says that Phoenix itself may have written rows: see rowcodec.KeySchema.Adopted.
func (t *Table) FromPhoenix() bool { return t.Adopted && t.KeyFormat == nil }

// KeySorts says that keys sort as the values of key column pos do, among those of the
// same columns before it. Those of Phoenix's TIME have a date, too, which is not shown.
func (t *Table) KeySorts(pos int) bool {
	c := &t.codec.Key.Columns[pos]
	if t.FromPhoenix() && (c.Type == rowcodec.Time || c.Type == rowcodec.UnsignedTime) {
		return false
	}
	return !c.UnorderedKey()
}

// Codec gives the row codec's view of the table. Codec().Key.Columns[i] is
// column PrimaryKey[i]; Codec().Cells lists the other columns in the order of Columns.
func (t *Table) Codec() *rowcodec.Schema { return t.codec }

// Families lists the column families in the order of their first column; the
// marker cell lies in the first. Families whose columns were all dropped stay.
func (t *Table) Families() []string {
	if len(t.FamilyOrder) > 0 {
		return t.FamilyOrder
	}
	var fs []string
	for i := range t.Columns {
		c := &t.Columns[i]
		if c.KeyPos < 0 && !contains(fs, c.Family) {
			fs = append(fs, c.Family)
		}
	}
	if len(fs) == 0 {
		fs = []string{t.Options.DefaultFamily}
	}
	return fs
}

// StorageSpec describes the storage table.
func (t *Table) StorageSpec(splits [][]byte) storage.TableSpec {
	spec := storage.TableSpec{Name: t.Physical, Splits: splits}
	for _, f := range t.Families() {
		spec.Families = append(spec.Families, storage.FamilySpec{Name: f, MaxVersions: t.Options.Versions, TTL: t.Options.TTL})
	}
	return spec
}

func contains(list []string, s string) bool {
	for _, e := range list {
		if e == s {
			return true
		}
	}
	return false
}

// Clone copies a descriptor so that its columns may be changed. Finish must
// follow.
func (t *Table) Clone() *Table {
	cp := *t
	cp.Columns = slices.Clone(t.Columns)
	return &cp
}

func (t *Table) IndexByID(id uint32) *Index {
	for i := range t.Indexes {
		if t.Indexes[i].ID == id {
			return &t.Indexes[i]
		}
	}
	return nil
}

// OldestVisible gives ScanRequest.MinTS, and that of conditions, at the time now,
// both in µs: rows last written before it have expired.
func (t *Table) OldestVisible(now int64) int64 {
	if t.Options.TTL == 0 {
		return t.ExpiredBefore
	}
	return max(now-t.Options.TTL.Microseconds(), t.ExpiredBefore, 0)
}
