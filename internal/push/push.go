package push

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/storage"
)

// Options say what is pushed. All but Streams and Progress must be set.
type Options struct {
	Source    string       // names what is pushed: another source may not go on with it
	LastTable string       // copied when the others are done
	LastRow   []byte       // of LastTable: copied when all is done
	Streams   int          // pieces at a time; 0 is 4
	Progress  func(Report) // told after each piece, one call at a time
}

// Report is how far a push is.
type Report struct {
	Tables, Pieces int   // done, of this and former runs
	Rows, Bytes    int64 // copied by this run
	Compared       int64 // rows whose digests agree
	Mended         int   // pieces that had to be copied again
}

const (
	pieceRows  = 20_000
	pieceBytes = 32 << 20
)

// pusher is one run.
type pusher struct {
	from, to storage.Store
	snap     storage.Snapshot // of from; nil where it has none
	opts     Options
	notes    *notes

	tables, pieces, mended atomic.Int64
	rows, bytes, compared  atomic.Int64

	telling sync.Mutex
}

// ErrThere says that the target holds what would be pushed, or something else like it.
var ErrThere = errors.New("the target has a catalog already: nothing is pushed over it")

// Run copies all tables of from to to.
func Run(ctx context.Context, from, to storage.Store, opts Options) (Report, error) {
	if opts.Streams < 1 {
		opts.Streams = 4
	}
	p := &pusher{from: from, to: to, opts: opts}
	err := p.run(ctx)
	return p.report(), err
}

func (p *pusher) report() Report {
	return Report{
		Tables: int(p.tables.Load()), Pieces: int(p.pieces.Load()), Mended: int(p.mended.Load()),
		Rows: p.rows.Load(), Bytes: p.bytes.Load(), Compared: p.compared.Load(),
	}
}

func (p *pusher) tell() {
	if p.opts.Progress == nil {
		return
	}
	p.telling.Lock()
	defer p.telling.Unlock()
	p.opts.Progress(p.report())
}

func (p *pusher) run(ctx context.Context) (err error) {
	if p.from.Caps().Snapshots {
		if p.snap, err = p.from.Snapshot(ctx); err != nil {
			return err
		}
		defer p.snap.Close()
	}
	tables, err := p.from.Admin().Tables(ctx)
	if err != nil {
		return err
	}
	there, err := p.has(ctx)
	if err != nil {
		return err
	}
	if p.notes, err = openNotes(ctx, p.to, p.opts.Source, there); err != nil {
		return err
	}
	if there { // and only the notes are left to be dropped
		return p.notes.drop(ctx)
	}
	var last *storage.TableSpec
	for i := range tables {
		switch t := &tables[i]; t.Name {
		case notesTable:
		case p.opts.LastTable:
			last = t
		default:
			if err := p.table(ctx, t); err != nil {
				return err
			}
		}
	}
	if last == nil {
		return fmt.Errorf("the source has no table %s: it is no store of saltsql's", p.opts.LastTable)
	}
	if err := p.lastTable(ctx, last); err != nil {
		return err
	}
	return p.notes.drop(ctx)
}

// has says whether the target has the last row.
func (p *pusher) has(ctx context.Context) (bool, error) {
	var b storage.RowBatch
	_, err := p.to.Table(p.opts.LastTable).MultiGet(ctx, [][]byte{p.opts.LastRow}, nil, &b)
	if storage.CodeOf(err) == storage.CodeNotFound {
		return false, nil
	}
	return b.Len() > 0, err
}

// create makes a table as the source has it, split where the source is.
func (p *pusher) create(ctx context.Context, t *storage.TableSpec) ([]storage.Tablet, error) {
	tablets, err := p.from.Table(t.Name).Tablets(ctx, storage.Span{})
	if err != nil {
		return nil, err
	}
	spec := *t
	if len(spec.Splits) == 0 {
		for _, t := range tablets {
			if len(t.Span.Start) > 0 {
				spec.Splits = append(spec.Splits, t.Span.Start)
			}
		}
	}
	err = p.to.Admin().CreateTable(ctx, spec)
	if storage.CodeOf(err) == storage.CodeAlreadyExists {
		err = p.to.Admin().AlterTable(ctx, spec)
	}
	return tablets, err
}

// table copies one table, and compares it.
func (p *pusher) table(ctx context.Context, t *storage.TableSpec) error {
	tablets, err := p.create(ctx, t)
	if err != nil {
		return err
	}
	done, err := p.notes.pieces(ctx, t.Name)
	if err != nil {
		return err
	}
	p.pieces.Add(int64(len(done)))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(p.opts.Streams)
	for _, gap := range gaps(done) {
		for _, span := range cut(gap, tablets) {
			g.Go(guard.Func(func() error { return p.copySpan(gctx, t.Name, span) }))
		}
	}
	if err := g.Wait(); err != nil {
		return err
	}
	if done, err = p.notes.pieces(ctx, t.Name); err != nil {
		return err
	}
	if left := gaps(done); len(left) > 0 {
		return fmt.Errorf("the pieces of table %s leave out what is from %x on", t.Name, left[0].Start)
	}
	g, gctx = errgroup.WithContext(ctx)
	g.SetLimit(p.opts.Streams)
	for _, piece := range done {
		g.Go(guard.Func(func() error { return p.compare(gctx, t, piece) }))
	}
	if err := g.Wait(); err != nil {
		return err
	}
	p.tables.Add(1)
	p.tell()
	return nil
}

// gaps gives what the pieces, in order, leave out of all keys.
func gaps(pieces []storage.Span) (out []storage.Span) {
	var at []byte
	for _, s := range pieces {
		if bytes.Compare(at, s.Start) < 0 {
			out = append(out, storage.Span{Start: at, End: s.Start})
		}
		if at = s.End; len(at) == 0 {
			return out
		}
	}
	return append(out, storage.Span{Start: at})
}

// cut divides a span where tablets begin.
func cut(s storage.Span, tablets []storage.Tablet) (out []storage.Span) {
	for _, t := range tablets {
		at := t.Span.Start
		if bytes.Compare(at, s.Start) > 0 && (len(s.End) == 0 || bytes.Compare(at, s.End) < 0) {
			out = append(out, storage.Span{Start: s.Start, End: at})
			s.Start = at
		}
	}
	return append(out, s)
}

func (p *pusher) scan(ctx context.Context, table string, s storage.Span, visit func(*storage.RowBatch) error) error {
	return storage.EachBatch(ctx, p.from.Table(table), &storage.ScanRequest{Spans: []storage.Span{s}, Snapshot: p.snap}, visit)
}

// copySpan copies the rows of a span, and notes each piece of it.
func (p *pusher) copySpan(ctx context.Context, table string, s storage.Span) error {
	rows, size := 0, 0
	err := p.scan(ctx, table, s, func(b *storage.RowBatch) error {
		if err := p.write(ctx, table, b); err != nil {
			return err
		}
		rows, size = rows+b.Len(), size+b.Bytes()
		if rows < pieceRows && size < pieceBytes {
			return nil
		}
		next := append(bytes.Clone(b.Key(b.Len()-1)), 0) // the first key after
		if err := p.note(ctx, table, storage.Span{Start: s.Start, End: next}); err != nil {
			return err
		}
		s.Start, rows, size = next, 0, 0
		return nil
	})
	if err != nil || len(s.End) > 0 && bytes.Equal(s.Start, s.End) {
		return err
	}
	return p.note(ctx, table, s)
}

func (p *pusher) note(ctx context.Context, table string, s storage.Span) error {
	if err := p.notes.done(ctx, table, s); err != nil {
		return err
	}
	p.pieces.Add(1)
	p.tell()
	return nil
}

// write writes rows as they are, and again where it is not known whether they were:
// their timestamps are the same.
func (p *pusher) write(ctx context.Context, table string, b *storage.RowBatch) error {
	rows := make([]storage.RowMutation, b.Len())
	for i := range rows {
		rows[i].Key = b.Key(i)
		for j := range b.NumCells(i) {
			c := b.Cell(i, j)
			rows[i].Mutations = append(rows[i].Mutations, storage.Mutation{
				Op: storage.SetCell, Family: c.Family, Qualifier: c.Qualifier, Timestamp: c.Timestamp, Value: c.Value,
			})
		}
	}
	if err := put(ctx, p.to.Table(table), rows); err != nil {
		return err
	}
	p.rows.Add(int64(b.Len()))
	p.bytes.Add(int64(b.Bytes()))
	return nil
}

// lastTable copies what makes the target whole: the last row by itself.
func (p *pusher) lastTable(ctx context.Context, t *storage.TableSpec) error {
	if _, err := p.create(ctx, t); err != nil {
		return err
	}
	if err := p.to.Table(t.Name).DeleteSpan(ctx, storage.Span{}); err != nil { // of a run before, when the source had others
		return err
	}
	var last storage.RowBatch
	err := p.scan(ctx, t.Name, storage.Span{}, func(b *storage.RowBatch) error {
		var others storage.RowBatch
		for i := range b.Len() {
			if bytes.Equal(b.Key(i), p.opts.LastRow) {
				last.AppendRow(b, i)
			} else {
				others.AppendRow(b, i)
			}
		}
		return p.write(ctx, t.Name, &others)
	})
	if err != nil {
		return err
	}
	if last.Len() != 1 {
		return fmt.Errorf("the source's table %s has no row %q: it is no store of saltsql's", t.Name, p.opts.LastRow)
	}
	return p.write(ctx, t.Name, &last)
}

// patient waits for a store about two minutes.
var patient = storage.Tries{Most: 14, Unit: 200 * time.Millisecond, Also: []storage.Code{storage.CodeAmbiguous}}

// put writes rows, again where the store is not reached or does not say whether they were written.
func put(ctx context.Context, t storage.Table, rows []storage.RowMutation) error {
	if len(rows) == 0 {
		return nil
	}
	return patient.Again(ctx, func() error { return t.Mutate(ctx, rows, storage.WriteOptions{}) })
}
