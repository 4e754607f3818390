package live

import (
	"bytes"
	"context"
	"fmt"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// maxRowProblems is how many rows of a table CheckRows tells of; what is wrong with one is
// often wrong with all.
const maxRowProblems = 100

// CheckRows reads all rows of a table and says what is wrong with them: bytes that are no
// value of their column, keys that stand in another bucket than their salt says or are not
// encoded as they would be written, NULL where the column takes none. It gives the number of
// rows read, and stops after 100 problems. It changes nothing; rows that are written
// meanwhile may be seen or not.
func (c *Catalog) CheckRows(ctx context.Context, t *catalog.Table) (rows int64, ps []Problem, err error) {
	k := newRowCheck(t)
	project, _ := k.dec.Project()
	req := &storage.ScanRequest{Spans: t.Codec().Key.TableSpans(), EveryRow: t.Codec().Unmarked, Project: project, MinTS: t.OldestVisible(c.Options.Now().UnixMicro())}
	err = c.EachBatch(ctx, t, req, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			rows++
			if text := k.row(b, i); text != "" && len(ps) < maxRowProblems {
				ps = append(ps, Problem{Object: describeObject(t), Text: fmt.Sprintf("the row of key %x: %s", b.Key(i), text)})
			}
		}
		if len(ps) >= maxRowProblems {
			return errEnoughProblems
		}
		return nil
	})
	if err == errEnoughProblems {
		err = nil
	}
	return rows, ps, err
}

var errEnoughProblems = fmt.Errorf("%d rows of the table are wrong", maxRowProblems)

// rowCheck looks at the rows of one table.
type rowCheck struct {
	codec   *rowcodec.Schema
	dec     *rowcodec.RowDecoder // of all cells
	out     []*vec.Vec
	notNull []bool // by cell
	key     []byte
}

func newRowCheck(t *catalog.Table) *rowCheck {
	k := &rowCheck{codec: t.Codec()}
	cells := make([]int, len(t.Codec().Cells))
	k.notNull = make([]bool, len(cells))
	for i := range cells {
		cells[i] = i
		for j := range t.Columns {
			if t.Columns[j].Name == t.Codec().Cells[i].Name {
				k.notNull[i] = t.Columns[j].NotNull
			}
		}
	}
	k.dec = rowcodec.NewRowDecoder(t.Codec(), nil, cells)
	for _, of := range k.dec.Types() {
		k.out = append(k.out, vec.New(of))
	}
	return k
}

// row says what is wrong with row i of b; "" is nothing.
func (k *rowCheck) row(b *storage.RowBatch, i int) string {
	if text := k.rowKey(b.Key(i)); text != "" {
		return text
	}
	if err := k.dec.DecodeBatch(b, i, i+1, k.out); err != nil {
		return err.Error()
	}
	for j, must := range k.notNull {
		if must && k.out[j].Null(0) {
			return fmt.Sprintf("column %s is NULL, which it must not be", k.codec.Cells[j].Name)
		}
	}
	return ""
}

func (k *rowCheck) rowKey(key []byte) string {
	s := &k.codec.Key
	if s.Salted() {
		if len(key) == 0 {
			return "it has no salt byte"
		}
		bucket, err := s.BucketOf(s.LogicalKey(key))
		if err != nil {
			return err.Error()
		}
		if at := s.KeyBucket(key); at != bucket {
			return fmt.Sprintf("it stands in bucket %d, and its key belongs to bucket %d", at, bucket)
		}
	}
	vals, err := s.DecodeKey(key)
	if err != nil {
		return err.Error()
	}
	if s.Adopted { // Phoenix has several encodings of some values
		return ""
	}
	if k.key, err = s.AppendKey(k.key[:0], vals); err != nil {
		return err.Error()
	}
	if !bytes.Equal(k.key, key) {
		return fmt.Sprintf("its key would be written as %x", k.key)
	}
	return ""
}
