package copyfmt

import (
	"io"

	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

const (
	// batchBytes ends a batch early, so that wide rows do not add up.
	batchBytes = 4 << 20
	// MaxRowBytes is the longest line or binary field read: twice what a cell
	// may hold, as text may double by escaping. 54000 beyond it.
	//
	//saltsql:limit statements: bytes of a line or binary field of COPY FROM (54000)
	MaxRowBytes = 256 << 20
)

// Reader turns the bytes of a COPY FROM into batches of rows.
type Reader struct {
	opts  *Options
	table string
	cols  []Column
	env   *types.IOEnv

	batch *vec.Batch
	arena []byte     // the batch's byte values
	lines *Lines     // of the batch
	used  int        // bytes of values in the batch
	other *vec.Batch // the batch before, with its arena and lines: they take turns
	spare []byte
	told  *Lines
	rows  rowSource
	done  error // io.EOF or the error that ended the data

	need func(bytes int64) error // see Books
	held int64                   // bytes that it was asked for
}

// Books has need asked before the reader holds more than it did, with all the bytes that it then
// holds of the data at once. An error of need is Read's.
func (r *Reader) Books(need func(bytes int64) error) { r.need = need }

// rowCopies is how often a row's bytes are in memory: in what is read, twice while that grows, in
// what is not as it stands in the data, and in the batch and the one before.
const rowCopies = 5

// grows books what reading a row of n bytes takes.
func (r *Reader) grows(n int) error {
	if r.need == nil || int64(n) <= r.held || n <= bufferBytes {
		return nil
	}
	r.held = int64(n)
	return r.need(rowCopies * r.held)
}

// rowSource reads one row of a format into slot i of r.batch, and says which line
// it ended on (binary: which row it was). io.EOF after the last.
type rowSource interface {
	row(r *Reader, i int) (line int64, err error)
	// unread makes the next call of row give the same row again.
	unread()
}

// NewReader reads rows of cols from src. table is for error messages. env may
// be nil.
func NewReader(src io.Reader, opts *Options, table string, cols []Column, env *types.IOEnv) *Reader {
	r := &Reader{opts: opts, table: table, cols: cols, env: env, lines: &Lines{}, told: &Lines{}}
	ts := make([]types.T, len(cols))
	for i := range cols {
		ts[i] = cols[i].Type
	}
	r.batch, r.other = vec.NewBatch(ts), vec.NewBatch(ts)
	if opts.Format == Binary {
		r.rows = newBinarySource(src, r.grows)
	} else {
		r.rows = newTextSource(src, opts, cols, r.grows)
	}
	return r
}

// Read gives the next rows and their lines, valid until the call after the next. io.EOF at
// the end.
// Errors are *sqlerr.Error with Where set, or those of the source.
func (r *Reader) Read() (*vec.Batch, *Lines, error) {
	if r.done != nil {
		return nil, nil, r.done
	}
	r.batch, r.other = r.other, r.batch
	r.arena, r.spare = r.spare[:0], r.arena
	r.lines, r.told = r.told, r.lines
	r.lines.cut(0)
	for _, v := range r.batch.Cols {
		v.Resize(vec.MaxRows)
	}
	r.used = 0
	n := 0
	for n < vec.MaxRows && r.used < batchBytes {
		line, err := r.rows.row(r, n)
		if err != nil {
			r.done = err
			break
		}
		if n == 0 {
			r.lines.First = line
		} else if line != r.lines.First+int64(n) {
			// A csv row over several lines starts a batch of its own, so that line numbers
			// stay a matter of counting.
			r.rows.unread()
			r.lines.cut(n)
			r.clearRow(n)
			break
		}
		n++
	}
	// Rows before a fault are given first: what the table has to say about them comes
	// before the fault, as it would row by row.
	if n == 0 {
		return nil, nil, r.done
	}
	r.batch.N, r.batch.Sel = n, nil
	return r.batch, r.lines, nil
}

func (r *Reader) clearRow(i int) {
	for _, v := range r.batch.Cols {
		v.Nulls.Clear(i)
	}
}

// keep copies b into memory that lives as long as the batch.
func (r *Reader) keep(b []byte) []byte {
	if cap(r.arena)-len(r.arena) < len(b) {
		// What the old piece holds stays where it is.
		r.arena = make([]byte, 0, max(32<<10, min(2*cap(r.arena), batchBytes), len(b)))
	}
	at := len(r.arena)
	r.arena = append(r.arena, b...)
	r.used += len(b)
	return r.arena[at:len(r.arena):len(r.arena)]
}
