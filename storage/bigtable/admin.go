package bigtable

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"cloud.google.com/go/bigtable"
	"golang.org/x/sync/errgroup"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// maxSplits is how many split keys the service takes at a table's creation.
const maxSplits = 100

type admin struct{ s *Store }

// adminCall makes one request about a table.
func (s *Store) adminCall(ctx context.Context, op, table string, f func(*call) error) error {
	return s.permitted(ctx, op, table, s.config.AdminTimeout, "Changing tables needs the role Bigtable Administrator, or bigtable.tables.* permissions.", f)
}

// permitted makes one request of the admin service; needs tells who was refused what it takes.
func (s *Store) permitted(ctx context.Context, op, table string, timeout time.Duration, needs string, f func(*call) error) error {
	c, err := s.begin(ctx, op, table, timeout)
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
	conf := &bigtable.TableConf{TableID: spec.Name, ColumnFamilies: map[string]bigtable.Family{}, DeletionProtection: bigtable.None}
	for _, f := range spec.Families {
		conf.ColumnFamilies[f.Name] = bigtable.Family{GCPolicy: gcPolicy(f)}
	}
	for _, k := range thin(spec.Splits, maxSplits) {
		conf.SplitKeys = append(conf.SplitKeys, string(k))
	}
	return a.s.adminCall(ctx, op, spec.Name, func(c *call) error { return a.s.admin.CreateTableFromConf(c, conf) })
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
		info, err := a.s.admin.TableInfo(c, spec.Name)
		if err != nil {
			return err
		}
		for _, f := range spec.Normalize().Families {
			i := slices.IndexFunc(info.FamilyInfos, func(fi bigtable.FamilyInfo) bool { return fi.Name == f.Name })
			switch {
			case i < 0:
				err = a.s.admin.CreateColumnFamilyWithConfig(c, spec.Name, f.Name, bigtable.Family{GCPolicy: gcPolicy(f)})
				if status.Code(err) == codes.AlreadyExists {
					err = a.setPolicy(c, spec.Name, f)
				}
			case familySpec(info.FamilyInfos[i]) != f:
				err = a.setPolicy(c, spec.Name, f)
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// setPolicy ignores the service's warning that a policy is relaxed on a
// replicated table: that is what was asked for.
func (a admin) setPolicy(c *call, table string, f storage.FamilySpec) error {
	return a.s.admin.SetGCPolicyWithOptions(c, table, f.Name, gcPolicy(f), bigtable.IgnoreWarnings())
}

func (a admin) DropTable(ctx context.Context, name string) error {
	return a.s.adminCall(ctx, storage.OpDropTable, name, func(c *call) error { return a.s.admin.DeleteTable(c, name) })
}

func (a admin) Truncate(ctx context.Context, name string) error {
	return a.s.adminCall(ctx, storage.OpTruncate, name, func(c *call) error { return a.s.admin.DropAllRows(c, name) })
}

func (a admin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	c, err := a.s.begin(ctx, storage.OpTables, "", a.s.config.AdminTimeout)
	if err != nil {
		return nil, err
	}
	defer c.end()
	names, err := a.s.admin.Tables(c)
	if err != nil {
		return nil, c.readError(err)
	}
	var mu sync.Mutex
	specs := make([]storage.TableSpec, 0, len(names))
	group, gctx := errgroup.WithContext(c)
	group.SetLimit(a.s.config.Parallel)
	for _, name := range names {
		group.Go(func() error {
			info, err := a.s.admin.TableInfo(gctx, name)
			if status.Code(err) == codes.NotFound { // dropped meanwhile
				return nil
			}
			if err != nil {
				return err
			}
			spec := storage.TableSpec{Name: name}
			for _, f := range info.FamilyInfos {
				spec.Families = append(spec.Families, familySpec(f))
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
