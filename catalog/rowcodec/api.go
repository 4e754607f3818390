package rowcodec

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

var errPending = sqlerr.Internal(nil, "rowcodec: not built")

// Validate refuses a key that cannot be stored (0A000, 42P16, 22023).
func (s *KeySchema) Validate() error { return errPending }

// AppendKey appends the physical row key (with salt) of vals, one per key column.
// Errors name the column: 23502 (NULL), 54000 (over 4,096 bytes), 23514 (empty
// key), 22021, 22003, 22001.
func (s *KeySchema) AppendKey(dst []byte, vals []types.Datum) ([]byte, error) {
	return dst, errPending
}

// AppendLogicalKey is AppendKey without the salt byte.
func (s *KeySchema) AppendLogicalKey(dst []byte, vals []types.Datum) ([]byte, error) {
	return dst, errPending
}

// AppendLogicalPrefix appends the leading key columns vals, for SPLIT ON.
func (s *KeySchema) AppendLogicalPrefix(dst []byte, vals []types.Datum) ([]byte, error) {
	return dst, errPending
}

// BucketOf gives the salt bucket of a logical key; -1 for an unsalted table.
func (s *KeySchema) BucketOf(logical []byte) (int, error) { return 0, errPending }

// LogicalKey strips the salt byte, if the table is salted.
func (s *KeySchema) LogicalKey(physical []byte) []byte { return nil }

// CompareLogical compares two physical keys without their salt.
func (s *KeySchema) CompareLogical(a, b []byte) int { return 0 }

// TableSpan covers the whole table.
func (s *KeySchema) TableSpan() storage.Span { return storage.Span{} }

// BucketSpan covers bucket b.
func (s *KeySchema) BucketSpan(b int) storage.Span { return storage.Span{} }

// SplitKeys gives the split points to create a table with: the bucket bytes,
// and the logical keys of user inside each bucket. Sorted, distinct.
func SplitKeys(buckets int, user [][]byte) [][]byte { return nil }

// DecodeKey decodes a whole physical key, for DML and errors.
func (s *KeySchema) DecodeKey(key []byte) ([]types.Datum, error) { return nil, errPending }

// AppendValue appends the ASC bytes of d, which is not NULL, as c stores it.
func AppendValue(dst []byte, c *Column, d types.Datum) ([]byte, error) { return dst, errPending }

// KeyDecoder decodes wanted key columns into vectors. Not for concurrent use.
type KeyDecoder struct{}

// NewKeyDecoder decodes the key columns want (indexes into s.Columns, any
// order); out[i] of Decode is column want[i].
func NewKeyDecoder(s *KeySchema, want []int) *KeyDecoder { return nil }

// Reset frees the scratch memory of the last batch.
func (d *KeyDecoder) Reset() {}

// Decode puts the wanted columns of a physical key into slot row. Bytes may
// alias key. Corrupt bytes are XX001.
func (d *KeyDecoder) Decode(key []byte, row int, out []*vec.Vec) error { return errPending }

// ValueDecoder decodes the values of one cell column.
type ValueDecoder struct{}

// NewValueDecoder makes a decoder for c.
func NewValueDecoder(table string, c *CellColumn) *ValueDecoder { return nil }

// Reset frees the scratch memory of the last batch.
func (d *ValueDecoder) Reset() {}

// Decode puts value into slot row of v. Bytes may alias value.
func (d *ValueDecoder) Decode(value []byte, row int, v *vec.Vec) error { return errPending }

// RowDecoder decodes rows into vectors, column-projected, in both layouts.
// Not for concurrent use.
type RowDecoder struct{}

// NewRowDecoder decodes key columns wantKey and cell columns wantCells; the
// vectors of its methods are those of wantKey, then those of wantCells.
func NewRowDecoder(s *Schema, wantKey, wantCells []int) *RowDecoder { return nil }

// Project gives ScanRequest.Project and KeysOnly for the wanted columns.
func (d *RowDecoder) Project() (cols []storage.Col, keysOnly bool) { return nil, false }

// Types gives the types of the vectors.
func (d *RowDecoder) Types() []types.T { return nil }

// Reset frees the scratch memory of the last batch.
func (d *RowDecoder) Reset() {}

// DecodeBatch resets, resizes out to hi-lo and decodes rows lo..hi-1 into it.
func (d *RowDecoder) DecodeBatch(rows *storage.RowBatch, lo, hi int, out []*vec.Vec) error {
	return errPending
}

// DecodeRow decodes row i into slot of out; the caller has resized out and
// calls Reset before a batch.
func (d *RowDecoder) DecodeRow(rows *storage.RowBatch, i, slot int, out []*vec.Vec) error {
	return errPending
}

// RowEncoder makes the mutations of rows. Their bytes are valid until Reset.
// Not for concurrent use.
type RowEncoder struct{}

// NewRowEncoder makes an encoder.
func NewRowEncoder(s *Schema) *RowEncoder { return nil }

// Reset frees the memory of mutations made so far.
func (e *RowEncoder) Reset() {}

// AppendRow appends the mutations that write a whole row: the marker cell and
// the non-NULL columns of vals, one per Schema.Cells. With replace a
// DeleteRow goes before them.
func (e *RowEncoder) AppendRow(dst []storage.Mutation, vals []types.Datum, ts int64, replace bool) ([]storage.Mutation, error) {
	return dst, errPending
}

// AppendUpdate appends the mutations that set columns cols (indexes into
// Schema.Cells) to vals and leave the others; NULL deletes the cell. The marker
// cell is written too. A table of packed rows is 0A000: see AppendPackedUpdate.
func (e *RowEncoder) AppendUpdate(dst []storage.Mutation, cols []int, vals []types.Datum, ts int64) ([]storage.Mutation, error) {
	return dst, errPending
}

// PackedFamilies lists the families that hold columns cols, for reading the
// packed cells that AppendPackedUpdate is to patch.
func (e *RowEncoder) PackedFamilies(cols []int) []string { return nil }

// AppendPackedUpdate is AppendUpdate for packed rows. old gives the present
// packed cell of a family (nil: none).
func (e *RowEncoder) AppendPackedUpdate(dst []storage.Mutation, old func(family string) []byte, cols []int, vals []types.Datum, ts int64) ([]storage.Mutation, error) {
	return dst, errPending
}

// Marker gives the marker cell's column and value.
func (s *Schema) Marker() (col storage.Col, value []byte) { return }

// Qualifier encodes column number n in encodedBytes (1..4) bytes; 0 is the
// marker and always 4 bytes. Out of range: 54011.
func Qualifier(n, encodedBytes int) ([]byte, error) { return nil, errPending }

// ParseQualifier is the inverse of Qualifier.
func ParseQualifier(q []byte, encodedBytes int) (int, error) { return 0, errPending }

// Spans gives what must be read to find every row that satisfies one of
// conjs. No conjs at all means no row; one zero Conj means every row.
func (s *KeySchema) Spans(conjs []Conj, opt SpanOptions) (*SpanSet, error) { return nil, errPending }

// PrefixRange gives the values that begin with prefix, for LIKE 'p%' on text
// and bytea. An empty prefix is every value.
func PrefixRange(prefix []byte) Range { return Range{} }

// Resume cuts sorted spans to what follows the physical key last, exclusive,
// in scan direction.
func Resume(spans []storage.Span, last []byte, reverse bool) []storage.Span { return nil }

// ResumeBuckets cuts every bucket to what follows a logical key.
func (s *KeySchema) ResumeBuckets(b []BucketSpans, logical []byte, reverse bool) []BucketSpans {
	return nil
}

// Describe writes the set for EXPLAIN and tests, bytes in hex.
func (s *SpanSet) Describe() string { return "" }
