package sim

import (
	"context"

	"github.com/saltsql/saltsql/internal/saltmodel"
	"github.com/saltsql/saltsql/storage"
)

// Store implements storage.Store over another one, and reckons its requests.
type Store struct {
	storage.Store
	cluster *saltmodel.Cluster
}

// Wrap gives inner on a cluster. Closing it closes inner.
func Wrap(inner storage.Store, cluster *saltmodel.Cluster) *Store { return &Store{inner, cluster} }

// Table implements storage.Store.
func (s *Store) Table(name string) storage.Table {
	return &table{s.Store.Table(name), s.cluster, name}
}

// Admin implements storage.Store.
func (s *Store) Admin() storage.Admin { return admin{s.Store.Admin(), s.cluster} }

// Batch implements storage.Store.
func (s *Store) Batch() (storage.Batch, error) {
	b, err := s.Store.Batch()
	if err != nil {
		return nil, err
	}
	return batch{b, s}, nil
}

type batch struct {
	storage.Batch
	s *Store
}

func (b batch) Mutate(name string, rows []storage.RowMutation) error {
	write(b.s.cluster, name, rows)
	return b.Batch.Mutate(name, rows)
}

type admin struct {
	storage.Admin
	cluster *saltmodel.Cluster
}

func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	err := a.Admin.CreateTable(ctx, spec)
	if err == nil {
		a.cluster.Create(spec.Name, spec.Splits)
	}
	return err
}

func (a admin) DropTable(ctx context.Context, name string) error {
	err := a.Admin.DropTable(ctx, name)
	if err == nil {
		a.cluster.Drop(name)
	}
	return err
}

type table struct {
	storage.Table
	cluster *saltmodel.Cluster
	name    string
}

func write(c *saltmodel.Cluster, table string, rows []storage.RowMutation) {
	for i := range rows {
		size := len(rows[i].Key)
		for j := range rows[i].Mutations {
			size += len(rows[i].Mutations[j].Qualifier) + len(rows[i].Mutations[j].Value)
		}
		c.Request(table, rows[i].Key, c.Options().WriteCost(), int64(size))
	}
}

func (t *table) Mutate(ctx context.Context, rows []storage.RowMutation, opts storage.WriteOptions) error {
	write(t.cluster, t.name, rows)
	return t.Table.Mutate(ctx, rows, opts)
}

func (t *table) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	t.cluster.Request(t.name, m.Key, t.cluster.Options().WriteCost(), 0)
	return t.Table.CheckAndMutate(ctx, m)
}

func (t *table) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	for _, k := range keys {
		t.cluster.Request(t.name, k, t.cluster.Options().ReadCost(), 0)
	}
	return t.Table.MultiGet(ctx, keys, req, dst)
}

func (t *table) ReadSpans(ctx context.Context, req *storage.ScanRequest, dst *storage.RowBatch) (storage.ScanStats, bool, error) {
	return storage.FirstRows(ctx, t, req, dst)
}

// Scan costs a row's read for each span, and the bytes it gives.
func (t *table) Scan(ctx context.Context, req *storage.ScanRequest) (storage.Scanner, error) {
	for _, s := range req.Spans {
		t.cluster.Request(t.name, s.Start, t.cluster.Options().ReadCost(), 0)
	}
	sc, err := t.Table.Scan(ctx, req)
	if err != nil {
		return nil, err
	}
	return &scanner{sc, t}, nil
}

type scanner struct {
	storage.Scanner
	t *table
}

func (s *scanner) Next(dst *storage.RowBatch) error {
	err := s.Scanner.Next(dst)
	if err != nil {
		return err
	}
	c := s.t.cluster
	for i := range dst.Len() {
		size := len(dst.Key(i))
		for j := range dst.NumCells(i) {
			cell := dst.Cell(i, j)
			size += len(cell.Qualifier) + len(cell.Value)
		}
		c.Request(s.t.name, dst.Key(i), c.Options().ScanCost(size), 0)
	}
	return nil
}

// Move implements storage.Scanner: the cluster's scans do not move.
func (s *scanner) Move([]storage.Span, int64) error {
	return storage.Unsupported("sim", storage.OpScan, "scans that move")
}
