package bigtable

import (
	"context"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/fieldmaskpb"

	"github.com/saltsql/saltsql/storage"
)

// maxSplits is how many split keys the service takes at a table's creation.
const maxSplits = 100

type admin struct{ s *Store }

// adminCall makes one request about a table.
func (s *Store) adminCall(ctx context.Context, op, table string, f func(*call) error) error {
	return s.permitted(ctx, op, table, s.config.AdminTimeout, "Changing tables needs the role Bigtable Administrator, or bigtable.tables.* permissions.", f)
}

// adminHeader gives the headers of requests of the admin service.
func (s *Store) adminHeader() metadata.MD { return metadata.Pairs(resourceHeader, s.instance) }

func (s *Store) tablePath(table string) string { return s.instance + "/tables/" + table }

// ask makes a request of the admin service that changes nothing. ctx is the call's, or comes from it.
func ask[Q, M any](c *call, ctx context.Context, method func(context.Context, Q, ...grpc.CallOption) (M, error), req Q) (m M, err error) {
	err = c.repeat(ctx, c.s.adminHeader(), func(ctx context.Context, opts []grpc.CallOption) (err error) {
		m, err = method(ctx, req, opts...)
		return err
	})
	return m, err
}

// change makes a request that changes tables.
func change[Q, M any](s *Store, ctx context.Context, op, table string, method func(context.Context, Q, ...grpc.CallOption) (M, error), req Q) error {
	if _, held := storage.FenceOf(ctx)(); !held && ctx.Err() == nil { // the timers may not have run
		return storage.Errorf(storage.CodeCanceled, op, table, "the time for this change is over")
	}
	return s.adminCall(ctx, op, table, func(c *call) error {
		_, err := method(c, req)
		return err
	})
}

// permitted makes one request of the admin service; needs tells who was refused what it takes.
func (s *Store) permitted(ctx context.Context, op, table string, timeout time.Duration, needs string, f func(*call) error) error {
	c, err := s.begin(metadata.NewOutgoingContext(ctx, s.adminHeader()), op, table, timeout)
	if err != nil {
		return err
	}
	defer c.end()
	if err := f(c); err != nil {
		e := c.writeError(err)
		if e.Code == storage.CodePermissionDenied {
			e.Hint = needs
		}
		return e
	}
	return nil
}

func (a admin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpCreateTable
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	spec = spec.Normalize()
	req := &adminpb.CreateTableRequest{Parent: a.s.instance, TableId: spec.Name, Table: &adminpb.Table{ColumnFamilies: map[string]*adminpb.ColumnFamily{}}}
	for _, f := range spec.Families {
		req.Table.ColumnFamilies[f.Name] = &adminpb.ColumnFamily{GcRule: gcRule(f)}
	}
	for _, k := range thin(spec.Splits, maxSplits) {
		req.InitialSplits = append(req.InitialSplits, &adminpb.CreateTableRequest_Split{Key: k})
	}
	return change(a.s, ctx, op, spec.Name, a.s.tables.CreateTable, req)
}

// thin keeps at most n of the splits, evenly; the service splits by itself as
// load comes.
func thin(splits [][]byte, n int) [][]byte {
	if len(splits) <= n {
		return splits
	}
	out := make([][]byte, n)
	for i := range out {
		out[i] = splits[i*len(splits)/n]
	}
	return out
}

func (a admin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	const op = storage.OpAlterTable
	if err := storage.CheckTableSpec(op, &spec); err != nil {
		return err
	}
	return a.s.adminCall(ctx, op, spec.Name, func(c *call) error {
		for try := 1; ; try++ {
			there, err := a.families(c, c, spec.Name)
			if err != nil {
				return err
			}
			req := &adminpb.ModifyColumnFamiliesRequest{Name: a.s.tablePath(spec.Name), Modifications: modifications(there, spec.Normalize()),
				IgnoreWarnings: true} // that a rule is relaxed on a replicated table: that is what was asked for
			if len(req.Modifications) == 0 {
				return nil
			}
			_, err = a.s.tables.ModifyColumnFamilies(c, req)
			if status.Code(err) != codes.AlreadyExists || try == 3 { // a family that somebody else has just added
				return err
			}
		}
	})
}

// modifications make the families of a table those of spec.
func modifications(there map[string]*adminpb.ColumnFamily, spec storage.TableSpec) []*adminpb.ModifyColumnFamiliesRequest_Modification {
	var out []*adminpb.ModifyColumnFamiliesRequest_Modification
	for _, f := range spec.Families {
		is, want := there[f.Name], &adminpb.ColumnFamily{GcRule: gcRule(f)}
		switch {
		case is == nil:
			out = append(out, &adminpb.ModifyColumnFamiliesRequest_Modification{Id: f.Name,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Create{Create: want}})
		case familySpec(f.Name, is) != f:
			out = append(out, &adminpb.ModifyColumnFamiliesRequest_Modification{Id: f.Name,
				Mod: &adminpb.ModifyColumnFamiliesRequest_Modification_Update{Update: want}, UpdateMask: &fieldmaskpb.FieldMask{Paths: []string{"gc_rule"}}})
		}
	}
	return out
}

// families gives the families of a table. ctx is the call's, or comes from it.
func (a admin) families(c *call, ctx context.Context, table string) (map[string]*adminpb.ColumnFamily, error) {
	t, err := ask(c, ctx, a.s.tables.GetTable, &adminpb.GetTableRequest{Name: a.s.tablePath(table), View: adminpb.Table_SCHEMA_VIEW})
	return t.GetColumnFamilies(), err
}

func (a admin) DropTable(ctx context.Context, name string) error {
	return change(a.s, ctx, storage.OpDropTable, name, a.s.tables.DeleteTable, &adminpb.DeleteTableRequest{Name: a.s.tablePath(name)})
}

func (a admin) Truncate(ctx context.Context, name string) error {
	return a.dropRows(ctx, storage.OpTruncate, name, nil)
}

// dropRows removes all rows whose keys begin with prefix.
func (a admin) dropRows(ctx context.Context, op, table string, prefix []byte) error {
	req := &adminpb.DropRowRangeRequest{Name: a.s.tablePath(table), Target: &adminpb.DropRowRangeRequest_DeleteAllDataFromTable{DeleteAllDataFromTable: true}}
	if len(prefix) > 0 {
		req.Target = &adminpb.DropRowRangeRequest_RowKeyPrefix{RowKeyPrefix: prefix}
	}
	return change(a.s, ctx, op, table, a.s.tables.DropRowRange, req)
}

func (a admin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	c, err := a.s.begin(ctx, storage.OpTables, "", a.s.config.AdminTimeout)
	if err != nil {
		return nil, err
	}
	defer c.end()
	names, err := a.names(c)
	if err != nil {
		return nil, c.readError(err)
	}
	var mu sync.Mutex
	specs := make([]storage.TableSpec, 0, len(names))
	group, gctx := errgroup.WithContext(c)
	group.SetLimit(a.s.config.Parallel)
	for _, name := range names {
		group.Go(func() error {
			var there map[string]*adminpb.ColumnFamily
			err := guard(storage.OpTables, name, func() (err error) {
				there, err = a.families(c, gctx, name)
				return err
			})
			if status.Code(err) == codes.NotFound { // dropped meanwhile
				return nil
			}
			if err != nil {
				return err
			}
			spec := storage.TableSpec{Name: name}
			for name, f := range there {
				spec.Families = append(spec.Families, familySpec(name, f))
			}
			mu.Lock()
			defer mu.Unlock()
			specs = append(specs, spec.Normalize())
			return nil
		})
	}
	if err := group.Wait(); err != nil {
		return nil, c.readError(err)
	}
	slices.SortFunc(specs, func(a, b storage.TableSpec) int { return strings.Compare(a.Name, b.Name) })
	return specs, nil
}

// names lists the tables of the instance.
func (a admin) names(c *call) (names []string, err error) {
	for req := (&adminpb.ListTablesRequest{Parent: a.s.instance}); ; {
		page, err := ask(c, c, a.s.tables.ListTables, req)
		if err != nil {
			return nil, err
		}
		for _, t := range page.Tables {
			names = append(names, path.Base(t.Name))
		}
		if req.PageToken = page.NextPageToken; req.PageToken == "" {
			return names, nil
		}
	}
}
