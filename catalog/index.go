package catalog

import (
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Index is an access path of a table: rows of a storage table, sorted by its parts. The
// primary key is one too, number 0, whose rows are the table's own:
//
//	for i := range t.NumIndexes() {
//		if ix := t.Index(i); ix.Readable() { … }
//	}
//
// How its rows lie is a rowcodec.Schema like a table's, so that spans, scans, merges and
// decoders take both. What the columns of that schema are of the table:
//
//	ix.Codec().Key.Columns[k]   ix.Key[k]: a column of the table (by position in t.Columns),
//	                            or a part that is an expression
//	ix.Codec().Cells[c]         ix.Cells[c]: a column of the table
//	ix.Find(col)                where a row of the index has the table's column, if at all
//	ix.RowKey[p]                the same for the table's p-th key column, which it always has
//
// A row of an index that is not UNIQUE is found by its parts, and rows of the same parts
// stand in the order of the table's key. In a UNIQUE one the parts alone are the key, by
// which two rows with the same ones meet; only behind parts with a NULL, which never are the
// same, does the row's key follow. The key's columns are cells there.
type Index struct {
	// ID is the pg_class OID; 0 for the primary key.
	ID   uint32
	Name string
	// Physical is the storage table's name; it does not change on RENAME.
	Physical string
	Parts    []IndexPart
	Include  []int // column IDs, none of a plain part
	// Where holds of the rows that the index has; empty is all of them. WhereColumns are
	// the IDs of the columns it names.
	Where        expr.Stored
	WhereColumns []int

	Unique           bool
	NullsNotDistinct bool
	// Constraint says that the index is a UNIQUE constraint's, of the same name.
	Constraint bool
	Primary    bool
	State      IndexState

	SaltBuckets int
	SaltParts   []int // positions in Parts that are hashed, in order; nil is the whole key
	Comment     string
	// ConstraintComment is of the constraint.
	ConstraintComment string

	Key    []IndexKey
	Cells  []int
	RowKey []IndexSource

	// Build is the job that fills the index; nil where none does.
	Build *IndexBuild

	codec   *rowcodec.Schema
	entries *Entries
}

// IndexBuild is the filling of an index, a job that has the index's ID. Writes keep the index
// up meanwhile, and nobody reads it.
type IndexBuild struct {
	Command string    `json:"command"`
	Rate    int       `json:"rate,omitempty"` // rows a second at most; 0 is no limit
	Started time.Time `json:"started"`
}

// IndexPart is what an index is sorted by: a column or an expression.
type IndexPart struct {
	Column int // ID; 0 for an expression
	// Expr, of Type, is immutable; Columns are the IDs of those it names. Store is how a
	// cell would hold its values.
	Expr    expr.Stored
	Name    string // what Postgres would call an expression's column
	Call    bool   // an expression that looks like a function's call
	Type    types.T
	Store   rowcodec.Column
	Columns []int

	Desc bool
	// OpClass is the operator class that was declared, where it is not the type's: one of
	// those by which text is compared by its bytes, as it always is here.
	OpClass string
	// NullsFirst is what was declared, by which the index is shown. In the index NULL always
	// stands first, as Phoenix has it, ascending or descending.
	NullsFirst bool
}

// IndexKey is what a column of an index's key is.
type IndexKey struct {
	Column int // position in Table.Columns, -1 for none
	Part   int // position in Parts, -1 for what follows them
}

// IndexSource is where a row of an index has a column of the table: a column of its key, or
// a cell. The other is -1; both are where it does not have it.
type IndexSource struct{ Key, Cell int }

// IndexState says who uses an index.
type IndexState uint8

const (
	// IndexPublic indexes are kept up and read.
	IndexPublic IndexState = iota
	// IndexWriteOnly ones are kept up and are being filled.
	IndexWriteOnly
	// IndexPlanned ones nobody touches: their storage table may not be there.
	IndexPlanned
)

var IndexStateNames = []string{"public", "write-only", "planned"}

// Kept says that writes of the table keep the index up.
func (ix *Index) Kept() bool { return ix.State != IndexPlanned && !ix.Primary }

// Readable says that the index has an entry for each row that its predicate admits.
func (ix *Index) Readable() bool { return ix.State == IndexPublic }

// Coarse says that the entries hold less of an expression's values than it has: milliseconds of
// times of day, as they were kept once. Such an index is kept up, but answers nothing.
func (ix *Index) Coarse() bool {
	return slices.ContainsFunc(ix.Parts, func(p IndexPart) bool {
		if p.Column != 0 || p.Store.Type != rowcodec.Time {
			return false
		}
		store, err := StorageColumn(p.Type)
		return err == nil && store.Type != rowcodec.Time
	})
}

// Codec gives the row codec's view of the index's storage table.
func (ix *Index) Codec() *rowcodec.Schema { return ix.codec }

// Find says where a row of the index has column col (a position in Table.Columns).
func (ix *Index) Find(col int) IndexSource {
	if k := slices.IndexFunc(ix.Key, func(k IndexKey) bool { return k.Column == col }); k >= 0 && !ix.tied(k) {
		return IndexSource{k, -1}
	}
	return IndexSource{-1, slices.Index(ix.Cells, col)}
}

func (ix *Index) tied(k int) bool { return ix.Key[k].Part < 0 && ix.Unique && !ix.Primary }

// NumIndexes is how many access paths the table has, the primary key among them.
func (t *Table) NumIndexes() int { return 1 + len(t.Indexes) }

// Index gives an access path: 0 is the primary key, others are Indexes[n-1].
func (t *Table) Index(n int) *Index {
	if n == 0 {
		return &t.primary
	}
	return &t.Indexes[n-1]
}

// KeepsIndexes says that writes of the table must know the rows before them, whole, to keep
// indexes up.
func (t *Table) KeepsIndexes() bool {
	return slices.ContainsFunc(t.Indexes, func(ix Index) bool { return ix.Kept() })
}

// PartText prints a part of one of the table's indexes, as pg_get_indexdef does.
func (t *Table) PartText(p *IndexPart) string {
	if c := t.ColumnByID(p.Column); c != nil {
		return ident.Quote(c.Name)
	}
	return partText(Printer{s: new(Snapshot), pretty: true}.text(p.Expr, "", t), p)
}

// IndexByName finds an index; nil if there is none. The primary key goes by its
// constraint's name.
func (t *Table) IndexByName(name string) *Index {
	for n := range t.NumIndexes() {
		if ix := t.Index(n); ix.Name == name {
			return ix
		}
	}
	return nil
}

// Uses says that the index would mean nothing without the column of that ID.
func (ix *Index) Uses(id int) bool {
	return slices.Contains(ix.Include, id) || slices.Contains(ix.WhereColumns, id) ||
		slices.ContainsFunc(ix.Parts, func(p IndexPart) bool { return p.Column == id || slices.Contains(p.Columns, id) })
}

// finishIndexes makes what follows of the definitions of the table's indexes.
func (t *Table) finishIndexes() error {
	p := Index{
		Name: t.PrimaryKeyName, Physical: t.Physical, Unique: true, Constraint: true, Primary: true,
		SaltBuckets: t.Options.SaltBuckets, codec: t.codec,
	}
	for k, i := range t.PrimaryKey {
		c := &t.Columns[i]
		p.Parts = append(p.Parts, IndexPart{Column: c.ID, Type: c.Type, Store: c.Store, Desc: c.Desc, NullsFirst: c.Desc})
		p.Key = append(p.Key, IndexKey{Column: i, Part: k})
		p.RowKey = append(p.RowKey, IndexSource{k, -1})
	}
	for i := range t.Columns {
		if t.Columns[i].KeyPos < 0 {
			p.Cells = append(p.Cells, i)
		}
	}
	p.SaltParts = t.codec.Key.SaltColumns
	t.primary = p
	// A clone shares the list, and what is made here is its own.
	t.Indexes = slices.Clone(t.Indexes)
	for i := range t.Indexes {
		ix := &t.Indexes[i]
		ix.Parts = slices.Clone(ix.Parts)
		if err := t.finishIndex(ix); err != nil {
			return err
		}
		var err error
		if ix.entries, err = t.entriesOf(ix); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) columnIndex(id int) int {
	return slices.IndexFunc(t.Columns, func(c Column) bool { return c.ID == id })
}

func (t *Table) finishIndex(ix *Index) error {
	s := &rowcodec.Schema{Key: rowcodec.KeySchema{
		Table: t.Name, Index: true, Adopted: t.FromPhoenix(), Buckets: ix.SaltBuckets, Hash: t.Options.Hash, SaltColumns: ix.SaltParts,
	}}
	ix.Key, ix.Cells, ix.RowKey, ix.codec = nil, nil, nil, s
	inKey := make([]int, len(t.PrimaryKey)) // where the key has it as a part
	for i := range inKey {
		inKey[i] = -1
	}
	for n := range ix.Parts {
		p := &ix.Parts[n]
		k, at := rowcodec.KeyColumn{}, -1
		if p.Column == 0 {
			k = rowcodec.IndexColumn(p.Store)
		} else {
			if at = t.columnIndex(p.Column); at < 0 {
				return sqlerr.Internal(nil, "index %q names column %d, which table %q has not", ix.Name, p.Column, t.Name)
			}
			c := &t.Columns[at]
			p.Type, p.Store = c.Type, c.Store
			if c.KeyPos >= 0 && c.NotNull {
				k, inKey[c.KeyPos] = keyColumn(c), n
			} else if k = rowcodec.IndexColumn(c.Store); c.KeyPos >= 0 {
				inKey[c.KeyPos] = n
			}
			k.Name = c.Name
		}
		k.Desc = p.Desc
		s.Key.Columns, ix.Key = append(s.Key.Columns, k), append(ix.Key, IndexKey{Column: at, Part: n})
	}
	cells := make([]int, 0, len(ix.Include)+len(t.PrimaryKey))
	for _, id := range ix.Include {
		at := t.columnIndex(id)
		if at < 0 {
			return sqlerr.Internal(nil, "index %q includes column %d, which table %q has not", ix.Name, id, t.Name)
		}
		cells = append(cells, at)
	}
	if ix.Unique {
		s.Key.Columns = append(s.Key.Columns, rowcodec.KeyColumn{
			Column: rowcodec.Column{Type: rowcodec.Varbinary, SQL: types.Of(types.Bytea)}, Name: "row key",
		})
		ix.Key = append(ix.Key, IndexKey{Column: -1, Part: -1})
		for _, at := range t.PrimaryKey {
			if !slices.Contains(cells, at) {
				cells = append(cells, at)
			}
		}
	} else {
		for pos, at := range t.PrimaryKey {
			if inKey[pos] < 0 {
				inKey[pos] = len(ix.Key)
				k := keyColumn(&t.Columns[at])
				k.Nullable = t.FromPhoenix() && !t.Columns[at].NotNull
				s.Key.Columns, ix.Key = append(s.Key.Columns, k), append(ix.Key, IndexKey{Column: at, Part: -1})
			}
		}
	}
	for i := range s.Key.Columns {
		if k := &s.Key.Columns[i]; k.Type == rowcodec.Varbinary && (k.Desc || i < len(s.Key.Columns)-1) {
			k.Type = rowcodec.VarbinaryEncoded // VARBINARY ends a key and ascends
		}
	}
	if err := t.finishIndexCells(ix, cells); err != nil {
		return err
	}
	for pos, at := range t.PrimaryKey {
		src := IndexSource{inKey[pos], -1}
		if inKey[pos] < 0 {
			src.Cell = slices.Index(cells, at)
		}
		ix.RowKey = append(ix.RowKey, src)
	}
	return s.Validate()
}

func keyColumn(c *Column) rowcodec.KeyColumn {
	return rowcodec.KeyColumn{Column: c.Store, Name: c.Name, Desc: c.Desc}
}

// finishIndexCells gives the columns that are cells their qualifiers, counted anew as in
// Phoenix.
func (t *Table) finishIndexCells(ix *Index, cells []int) error {
	s, width := ix.codec, t.Options.ColumnEncodedBytes
	if width == 0 {
		width = 2 // a name could be that of two columns of the key
	}
	for i, at := range cells {
		c := &t.Columns[at]
		q, err := rowcodec.Qualifier(rowcodec.FirstQualifier+i, width)
		if err != nil {
			return err
		}
		cell := rowcodec.CellColumn{Column: c.Store, Name: c.Name, Family: c.Family, Qualifier: q, Ordinal: i + 1}
		if cell.Family == "" {
			cell.Family = t.Options.DefaultFamily
		}
		if cell.Type == rowcodec.VarbinaryEncoded {
			cell.Type = rowcodec.Varbinary
		}
		s.Cells, ix.Cells = append(s.Cells, cell), append(ix.Cells, at)
	}
	s.MarkerFamily = t.Options.DefaultFamily
	if len(s.Cells) > 0 {
		s.MarkerFamily = s.Cells[0].Family
	}
	var err error
	s.MarkerQualifier, err = rowcodec.Qualifier(0, width)
	return err
}

// Families lists the column families of the content of the index's storage table.
func (ix *Index) Families() []string {
	fs := []string{ix.codec.MarkerFamily}
	for i := range ix.codec.Cells {
		if f := ix.codec.Cells[i].Family; !contains(fs, f) {
			fs = append(fs, f)
		}
	}
	return fs
}
