package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage/mem"
)

// openDB opens a store in memory that lives as long as t.
func openDB(t *testing.T, opts *Options) *DB {
	t.Helper()
	store := mem.New()
	db, err := Open(context.Background(), store, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		db.Close()
		store.Close()
	})
	return db
}

func openSession(t *testing.T, opts SessionOptions) *Session {
	t.Helper()
	s, err := openDB(t, nil).NewSession(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// What goapi makes of a session, for the tests below it.

// Rows is the result of Query.
type Rows struct {
	s     *Session
	p     *Portal
	ctx   context.Context
	batch *vec.Batch
	next  int
	row   int
	n     int64
	err   error
}

// Query runs a statement up to its first rows.
func (s *Session) Query(ctx context.Context, text string, args ...any) (*Rows, error) {
	st, err := s.PrepareText(ctx, text, len(args) > 0)
	if err != nil {
		s.Settle()
		return nil, err
	}
	if len(args) == 0 {
		args = nil
	}
	p, err := s.BindValues(ctx, st, args)
	if err != nil {
		s.Settle()
		return nil, err
	}
	r := &Rows{s: s, p: p, ctx: ctx}
	if r.fetch(); r.Err() != nil {
		return nil, r.Close()
	}
	return r, nil
}

func (r *Rows) fetch() {
	r.next = 0
	if r.batch, r.err = r.p.Next(r.ctx); r.err != nil {
		r.s.Settle()
	}
}

func (r *Rows) Next() bool {
	for r.err == nil && r.next >= r.batch.Rows() {
		r.fetch()
	}
	if r.err != nil {
		return false
	}
	r.row = r.batch.Row(r.next)
	r.next++
	r.n++
	return true
}

func (r *Rows) Text(i int) string {
	if r.batch.Cols[i].Null(r.row) {
		return ""
	}
	return string(vec.AppendText(nil, r.batch.Cols[i], r.row, r.s.IOEnv()))
}

func (r *Rows) Tag() string {
	if r.err != io.EOF {
		return ""
	}
	return r.p.Tag(r.n)
}

func (r *Rows) Err() error {
	if errors.Is(r.err, io.EOF) {
		return nil
	}
	return r.err
}

func (r *Rows) Close() error {
	r.p.Close()
	return r.Err()
}

// Exec runs a text to its end.
func (s *Session) Exec(ctx context.Context, text string) (tag string, err error) {
	list, err := s.Split(ctx, text)
	if err != nil {
		s.Settle()
		return "", err
	}
	if len(list) > 1 {
		s.ForgetFailure()
		s.BeginPipeline()
		defer func() {
			if ended := s.EndPipeline(ctx, err == nil); err == nil {
				err = ended
			}
		}()
	}
	for _, p := range list {
		st, err := s.PrepareParsed(ctx, p, nil)
		if err != nil {
			s.Settle()
			return "", err
		}
		portal, err := s.BindValues(ctx, st, nil)
		if err != nil {
			s.Settle()
			return "", err
		}
		r := &Rows{s: s, p: portal, ctx: ctx}
		for r.fetch(); r.Next(); {
		}
		if tag = r.Tag(); r.Close() != nil {
			return "", r.Err()
		}
	}
	return tag, nil
}

// Exec runs a text in a session of its own.
func (db *DB) Exec(ctx context.Context, text string) (string, error) {
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		return "", err
	}
	defer s.Close()
	return s.Exec(ctx, text)
}

// CopyFrom runs a COPY … FROM STDIN.
func (s *Session) CopyFrom(ctx context.Context, text string, from *strings.Reader) (int64, error) {
	st, err := s.Prepare(ctx, text, nil)
	if err != nil {
		return 0, err
	}
	p, err := s.BindValues(ctx, st, nil)
	if err != nil {
		return 0, err
	}
	defer s.Settle()
	defer p.Close()
	c := p.CopyIn()
	var cols []copyfmt.Column
	for _, col := range c.Columns() {
		cols = append(cols, copyfmt.Column{Name: col.Name, Type: col.Type})
	}
	data := copyfmt.NewReader(from, c.Options(), c.Table(), cols, c.IOEnv())
	for {
		b, line, err := data.Read()
		if err == io.EOF {
			_, err = c.Finish(ctx)
			return c.Written(), err
		}
		if err != nil {
			return 0, c.Abort(err)
		}
		if err := c.Write(ctx, b, line); err != nil {
			return 0, err
		}
	}
}
