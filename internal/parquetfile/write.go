package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/jackc/pgx/v5/pgtype"
	"github.com/parquet-go/parquet-go"
)

// groupBytes ends a row group: what the library holds of a file that grows.
const groupBytes = 64 << 20

// Writer writes the rows of a query into one file.
type Writer struct {
	out     *parquet.GenericWriter[any]
	cols    []Column
	leaves  []leaf
	row     parquet.Row
	pending int // bytes of values in the row group
}

// Formats says how the values of cols must be asked for: 1 is binary, 0 text.
func Formats(cols []Column) []int16 {
	out := make([]int16, len(cols))
	for i, c := range cols {
		if columnOf(c).from != nil {
			out[i] = pgtype.BinaryFormatCode
		}
	}
	return out
}

// NewWriter starts a file of rows of the columns. Close ends it.
func NewWriter(w io.Writer, table string, cols []Column) (*Writer, error) {
	p := &Writer{cols: cols}
	root := ordered{Group: parquet.Group{}}
	for _, c := range cols {
		if _, twice := root.Group[c.Name]; twice {
			return nil, fmt.Errorf("two columns are named %q", c.Name)
		}
		l := columnOf(c)
		node := parquet.Optional(l.node)
		if l.elem != 0 {
			node = parquet.Optional(parquet.List(node))
		}
		root.add(c.Name, node)
		p.leaves = append(p.leaves, l)
	}
	p.out = parquet.NewGenericWriter[any](w, parquet.NewSchema(table, root), parquet.Compression(&parquet.Snappy),
		parquet.CreatedBy("saltsql", "", ""))
	return p, nil
}

// Row writes a row of values as Formats asks for them; nil is NULL. The values
// are not kept.
func (p *Writer) Row(values [][]byte) error {
	p.row = p.row[:0]
	for i, v := range values {
		var err error
		switch l := p.leaves[i]; {
		case v == nil:
			p.row = append(p.row, parquet.NullValue().Level(0, 0, i))
		case l.elem != 0:
			err = p.list(i, l, v)
		default:
			err = p.scalar(i, l, v)
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", p.cols[i].Name, err)
		}
		p.pending += len(v)
	}
	if _, err := p.out.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	if p.pending < groupBytes {
		return nil
	}
	p.pending = 0
	return p.out.Flush()
}

func (p *Writer) scalar(i int, l leaf, v []byte) error {
	from := l.from
	if from == nil {
		from = bytesValue
	}
	value, err := from(v)
	p.row = append(p.row, value.Level(0, 1, i))
	return err
}

// list writes an array in PostgreSQL's binary form: dimensions, a flag, the
// type of elements, of each dimension length and first index, the elements.
func (p *Writer) list(i int, l leaf, b []byte) error {
	errShort := errors.New("the array ends before its elements")
	if len(b) < 12 {
		return errShort
	}
	dims, n := binary.BigEndian.Uint32(b), uint32(0)
	if dims > 1 {
		return errors.New("an array of several dimensions has no place in Parquet's list; export the table as csv")
	}
	if dims == 1 {
		if len(b) < 20 {
			return errShort
		}
		n, b = binary.BigEndian.Uint32(b[12:]), b[20:]
	}
	if n == 0 {
		p.row = append(p.row, parquet.NullValue().Level(0, 1, i))
	}
	for e := range n {
		if len(b) < 4 {
			return errShort
		}
		size := int32(binary.BigEndian.Uint32(b))
		b = b[4:]
		repeats := min(int(e), 1)
		if size < 0 {
			p.row = append(p.row, parquet.NullValue().Level(repeats, 2, i))
			continue
		}
		if int(size) > len(b) {
			return errShort
		}
		value, err := l.from(b[:size])
		if err != nil {
			return err
		}
		p.row = append(p.row, value.Level(repeats, 3, i))
		b = b[size:]
	}
	return nil
}

// Close writes the file's end. It does not close what it was written to.
func (p *Writer) Close() error { return p.out.Close() }
