package rowcodec

import "github.com/saltsql/saltsql/catalog/rowcodec/keyform"

// KeyColumn is one column of the row key.
type KeyColumn struct {
	Column
	Name string
	Desc bool
	// Nullable columns may be NULL, which has no bytes. They are those of adopted Phoenix
	// tables, where the empty value reads as NULL too, and the parts of indexes.
	Nullable bool
	// Stored is, of a part of an index, how a cell of the table holds its values: see
	// IndexColumn. nil elsewhere, and where both hold the same bytes.
	Stored *Column
	// Form is how the values are written in the key of a Format: set by Validate, nil
	// elsewhere.
	Form *keyform.Column
}

// KeySchema is the row key of a table: key columns in order, and the salt.
type KeySchema struct {
	// Table names the table in error messages.
	Table   string
	Columns []KeyColumn
	// Buckets is SALT_BUCKETS: 0 for an unsalted table, else 1..256.
	Buckets int
	// SaltColumns are the key columns that are hashed, as indexes into Columns
	// in the order hashed; nil hashes the whole logical key.
	SaltColumns []int
	// Epochs are the layouts of a table whose salt has changed for new rows, nil elsewhere. They say
	// what Buckets is, and SaltColumns, which are then all the columns that decide a bucket.
	Epochs *SaltEpochs
	// Hash names the hash: "phoenix31", which is also what "" means.
	Hash string
	// Format is the format of keys that are not Phoenix's, nil elsewhere. It says what
	// Buckets, SaltColumns and Hash are.
	Format *keyform.Format
	// Adopted says that Phoenix itself may have written rows: values that SQL
	// calls equal may then have several encodings (-0.0, nanoseconds), and
	// what has no bytes reads as NULL in cells.
	Adopted bool
	// Index says that this is the key of an index. All of its parts may be NULL, and a
	// logical key of no bytes, which no store takes, is the first one's separator, or where
	// there is one column alone what escapesEmpty says.
	Index bool
}

// CellColumn is one column that is not in the key.
type CellColumn struct {
	Column
	Name      string
	Family    string
	Qualifier []byte
	// Ordinal is the column's qualifier number less 10: its element position in a packed
	// row (element 0 is the marker).
	Ordinal int
	// Missing is what a row without the cell holds, as stored: Phoenix writes nothing for
	// a column at its DEFAULT, and ALTER TABLE ADD COLUMN … DEFAULT writes no rows. NULL is
	// then a cell of no bytes, and the empty string, outside of Phoenix's tables, one of a
	// zero byte. nil is NULL.
	Missing []byte
	// Whole says that the column is every cell of the family that no column names, read by
	// FamilyReader; it has no qualifier. OfFamily says that the column's cell is one of those.
	Whole, OfFamily bool
}

// Layout says how a row's columns lie in cells.
type Layout uint8

const (
	// OneCellPerColumn keeps each column in its own cell.
	OneCellPerColumn Layout = iota
	// SingleCellArrayWithOffsets packs a family's columns into one cell.
	SingleCellArrayWithOffsets
)

// Schema is all the codec must know of a table.
type Schema struct {
	Key    KeySchema
	Cells  []CellColumn
	Layout Layout
	// Unmarked says that rows may lack the marker cell, since others write them: readers
	// must ask for every row (storage.ScanRequest.EveryRow).
	Unmarked bool
	// MarkerFamily and MarkerQualifier name the cell that every row has.
	MarkerFamily    string
	MarkerQualifier []byte
}
