package relational

import (
	"io"
	"sync"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// withQuery keeps the rows of a query for any number of readers, each at a place of its
// own. The query runs as far as the one that is farthest. Rows are in memory first and,
// from where that is full, in a file.
//
//	query --> kept rows | file
//	            ^    ^      ^
//	         reader  reader reader
//
// Readers may be on different goroutines.
type withQuery struct {
	cx *op.Context

	mu    sync.Mutex
	in    op.Operator // nil once the query is done
	begun bool        // it is open
	rows  *spill.KeptRows
	file  *spill.RowFile
	flush bool // rows have been written since the file was flushed
	hold  memory.Share
	err   error // of the query
}

func newWithQuery(cx *op.Context, in op.Operator, ts []types.T) *withQuery {
	return &withQuery{cx: cx, in: in, rows: spill.NewKeptRows(ts), hold: memory.Of(cx.Memory, true)}
}

// setQuery gives a name of WITH, or of a recursive query, the rows that its readers
// opened from now on read; it gives those they read before.
func setQuery(cx *op.Context, id int, q *withQuery) (was *withQuery) {
	var rows any
	if q != nil {
		rows = q
	}
	was, _ = cx.Share(id, rows).(*withQuery)
	return was
}

func queryOf(cx *op.Context, id int) *withQuery {
	q, _ := cx.SharedAs(id).(*withQuery)
	return q
}

// Add keeps rows.
func (q *withQuery) Add(b *vec.Batch) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.addRows(b)
}

func (q *withQuery) addRows(b *vec.Batch) error {
	if q.file == nil {
		// What does not fit any more is not much.
		q.rows.Add(b)
		n := q.rows.Bytes()
		if q.hold.To(n) || n <= spill.LeastKept(q.cx) && q.hold.MustTo(n) == nil {
			return nil
		}
		f, err := spill.NewFile(q.cx)
		if err != nil {
			return err
		}
		q.file = &spill.RowFile{File: f}
		return q.hold.MustTo(n)
	}
	q.flush = true
	return q.file.Add(b.Cols, spill.Selection(b))
}

// fetch has the query run for more rows; io.EOF if there are none. The lock is held.
func (q *withQuery) fetch() error {
	if q.err != nil {
		return q.err
	}
	if q.in == nil {
		return io.EOF
	}
	var b *vec.Batch
	var err error
	if !q.begun {
		q.begun = true
		err = q.in.Open(q.cx)
	}
	if err == nil {
		b, err = q.in.Next()
	}
	if err == nil {
		err = q.addRows(b)
	}
	if err == io.EOF {
		in := q.in
		q.in = nil
		if err = in.Close(); err == nil {
			return io.EOF
		}
	}
	q.err = err
	return err
}

// finish has the query run to its end.
func (q *withQuery) finish() error {
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if err := q.fetch(); err != nil {
			if err == io.EOF {
				return nil
			}
			return err
		}
		if err := q.cx.Canceled(); err != nil {
			return err
		}
	}
}

// spilled is the bytes written to the file.
func (q *withQuery) spilled() int64 {
	if q.file == nil {
		return 0
	}
	return q.file.Bytes
}

// close forgets the rows. The query's operator is the caller's.
func (q *withQuery) close() {
	q.file.Drop()
	q.file, q.in = nil, nil
	q.rows.Drop()
	q.hold.Release()
}

// withReader reads the rows of a withQuery.
type withReader struct {
	q    *withQuery
	at   int // rows before it have been read
	out  *vec.Batch
	sel  []int32
	file *spill.File
	buf  []byte
}

// next gives the next rows, or io.EOF.
func (r *withReader) next() (*vec.Batch, error) {
	q := r.q
	q.mu.Lock()
	defer q.mu.Unlock()
	for {
		if r.at < q.rows.Len {
			return r.fromMemory(), nil
		}
		if q.file != nil && r.at < q.rows.Len+q.file.Rows {
			return r.fromFile()
		}
		if err := q.fetch(); err != nil {
			return nil, err
		}
	}
}

// fromMemory gives rows of one block: a full one as it is, of the last, which may grow
// while the rows are in use, a copy.
func (r *withReader) fromMemory() *vec.Batch {
	k := r.q.rows
	block, from := r.at/vec.MaxRows, r.at%vec.MaxRows
	n := min(k.Len-r.at, vec.MaxRows-from)
	b := r.out
	if from == 0 && n == vec.MaxRows {
		b = &vec.Batch{Cols: make([]*vec.Vec, len(k.Types))}
		for i, blocks := range k.Cols {
			b.Cols[i] = blocks[block]
		}
	} else {
		r.sel = r.sel[:0]
		for i := range n {
			r.sel = append(r.sel, int32(r.at+i))
		}
		for i, v := range b.Cols {
			v.Resize(n)
			vec.Take(v, 0, k.Cols[i], r.sel)
		}
	}
	r.at += n
	b.N, b.Sel = n, nil
	return b
}

func (r *withReader) fromFile() (*vec.Batch, error) {
	q := r.q
	if q.flush {
		if err := q.file.Flush(); err != nil {
			return nil, err
		}
		q.flush = false
	}
	if r.file == nil {
		var err error
		if r.file, err = q.file.Reader(q.cx); err != nil {
			return nil, err
		}
	}
	most := min(q.rows.Len+q.file.Rows-r.at, vec.MaxRows)
	n, err := spill.ReadRows(r.file, r.out, most, &r.buf)
	r.at += n
	return r.out, err
}

func (r *withReader) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
	r.q = nil
}
