package spill

import (
	"io"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/poison"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// RowFile is a file of rows.
type RowFile struct {
	*File
	Rows int
	row  []byte
}

// Add writes the slots sel of columns.
func (f *RowFile) Add(cols []*vec.Vec, sel []uint16) error {
	for _, s := range sel {
		f.row = AppendRow(f.row[:0], cols, int(s))
		f.Rows++
		if err := f.Write(nil, f.row); err != nil {
			return err
		}
	}
	return nil
}

// Count is how many rows the file holds.
func (f *RowFile) Count() int {
	if f == nil {
		return 0
	}
	return f.Rows
}

// Drop closes the file, if there is one.
func (f *RowFile) Drop() {
	if f != nil {
		f.Close()
	}
}

// FileRows reads a file's rows in batches; a nil file has none.
type FileRows struct {
	Ts    []types.T
	f     *RowFile
	Left  int
	batch *vec.Batch
	buf   []byte
}

// NewFileRows makes a reader of rows of types ts.
func NewFileRows(ts []types.T) *FileRows { return &FileRows{Ts: ts, batch: vec.NewBatch(ts)} }

// Open starts at the first row.
func (r *FileRows) Open(f *RowFile) error {
	r.f, r.Left = f, f.Count()
	if f == nil {
		return nil
	}
	return f.Rewind()
}

// Next gives the next rows, at most that many, or io.EOF.
func (r *FileRows) Next(most int) (*vec.Batch, error) {
	if r.Left == 0 {
		return nil, io.EOF
	}
	n, err := ReadRows(r.f.File, r.batch, min(most, r.Left), &r.buf)
	r.Left -= n
	return r.batch, err
}

// ReadRows puts the next rows of a file into out, at most that many, which must be there;
// fewer where they are large. buf keeps their bytes until the next call.
func ReadRows(f *File, out *vec.Batch, most int, buf *[]byte) (int, error) {
	for _, v := range out.Cols {
		v.Resize(most)
	}
	poison.Bytes(*buf)
	*buf = (*buf)[:0]
	n, size := 0, 0
	for ; n < most && size < storage.MaxBatchBytes; n++ {
		_, row, err := f.Read()
		if err != nil {
			return n, err
		}
		size += len(row)
		// What was decoded before keeps pointing into an old array if this grows
		// into a new one.
		at := len(*buf)
		*buf = append(*buf, row...)
		DecodeRow((*buf)[at:], out.Cols, n)
	}
	out.N, out.Sel = n, nil
	return n, nil
}

// LeastKept is how many bytes an operator keeps before it spills even where others have
// used up work_mem.
func LeastKept(cx *op.Context) int64 { return min(leastRun, cx.Memory.Work()/4) }
