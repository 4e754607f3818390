package advise

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/histogram"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/estimate"
	"github.com/saltsql/saltsql/planner/keyspan"
	"github.com/saltsql/saltsql/planner/plan"
)

// freshBuckets is the number that an unsalted table is tried with.
const freshBuckets = 16

// SaltVariants lists the salts that a table is worth trying with, the present one first: half and
// twice the buckets, none, the whole key, and the first columns of the key.
func SaltVariants(t *catalog.Table) []catalog.Salt {
	now := t.Salt()
	list := []catalog.Salt{now}
	add := func(s catalog.Salt) {
		if !slices.ContainsFunc(list, s.Equal) {
			list = append(list, s)
		}
	}
	n := now.Buckets
	if n == 0 {
		n = freshBuckets
	}
	add(catalog.Salt{})
	for _, m := range []int{n, n / 2, 2 * n} {
		if m > 1 && m <= rowcodec.MaxBuckets {
			add(catalog.Salt{Buckets: m, Columns: now.Columns})
		}
	}
	add(catalog.Salt{Buckets: n})
	for k := 1; k < len(t.PrimaryKey); k++ {
		var cols []string
		for _, c := range t.PrimaryKey[:k] {
			cols = append(cols, t.Columns[c].Name)
		}
		add(catalog.Salt{Buckets: n, Columns: cols})
	}
	return list
}

// SaltPlan is a statement's plan as if a table had another salt.
type SaltPlan struct {
	Context *planner.Context
	Plan    *plan.Plan
}

// WithSalt plans a statement as if table t had a salt. It is the plan that the statement has once
// the table is altered: the same rules, and what is known of the table's rows, whose salt is all
// that differs.
func WithSalt(ctx *planner.Context, stmt *tree.Statement, t *catalog.Table, salt catalog.Salt) (*SaltPlan, error) {
	as := t
	if !salt.Equal(t.Salt()) || t.Epochs != nil {
		var err error
		if as, err = t.WithSalt(salt); err != nil {
			return nil, err
		}
	}
	return WithTable(ctx, stmt, t, as)
}

// WithTable plans a statement as if table t were as, which has its columns and rows in another order.
func WithTable(ctx *planner.Context, stmt *tree.Statement, t, as *catalog.Table) (*SaltPlan, error) {
	q := *ctx
	q.Notice, q.Options.Fired = nil, nil
	if as != t {
		in := map[uint32]*catalog.Table{t.ID: as}
		q.Catalog = &whatIfCatalog{ctx.Catalog, in}
		if ctx.Stored != nil {
			q.Stored = &whatIfCatalog{ctx.Stored, in}
		}
		if ctx.Estimator != nil {
			q.Estimator = &resalted{ctx.Estimator, t, as}
		}
	}
	p, err := planner.Plan(&q, stmt)
	return &SaltPlan{&q, p}, err
}

// Rows guesses how many rows a scan of the plan reads without its limit.
func (p *SaltPlan) Rows(s *plan.Scan) float64 {
	c := estimate.Costing{By: p.Context.Known()}
	_, read := c.ScanRows(s)
	return read
}

// resalted knows of a table under another salt what is known of it: the rows are the same, and so is
// what a condition on the key selects of them.
type resalted struct {
	estimate.Estimator
	was, is *catalog.Table
}

func (r *resalted) real(t *catalog.Table) *catalog.Table {
	if t == r.is {
		return r.was
	}
	return t
}

// TableRows implements Estimator.
func (r *resalted) TableRows(t *catalog.Table) (int64, bool) { return r.Estimator.TableRows(r.real(t)) }

// Column implements Estimator.
func (r *resalted) Column(t *catalog.Table, id int) *colstats.Column {
	return r.Estimator.Column(r.real(t), id)
}

// Part implements Estimator.
func (r *resalted) Part(t *catalog.Table, cond, also *plan.KeyCond, from int, env *expr.Env) (float64, bool) {
	if t == r.is && !slices.Equal(r.was.PrimaryKey, r.is.PrimaryKey) {
		return 0, false
	}
	return r.Estimator.Part(r.real(t), cond, also, from, env)
}

// Spread implements Estimator. Runs and spans are counted in each bucket, of which there are others.
func (r *resalted) Spread(t *catalog.Table, cond *plan.KeyCond, equal int, env *expr.Env) (histogram.Spread, bool) {
	if t == r.is && !slices.Equal(r.was.PrimaryKey, r.is.PrimaryKey) {
		return histogram.Spread{}, false // cond speaks of other columns
	}
	if t == r.is && cond != nil && cond.MaxSpans > 0 {
		return histogram.Spread{}, false // what lies between its values hangs on the salt
	}
	sp, ok := r.Estimator.Spread(r.real(t), cond, equal, env)
	if !ok || t != r.is {
		return sp, ok
	}
	set, err := keyspan.Of(t, cond, env)
	if err != nil {
		return sp, false
	}
	sp.Spans, sp.Points = 0, len(set.Points)
	for i := range set.Buckets {
		sp.Spans += len(set.Buckets[i].Spans)
	}
	buckets, hashed := float64(t.Codec().Key.BucketsTouched(set)), slices.Max(t.Codec().Key.HashedColumns())+1
	sp.Runs = slices.Clone(sp.Runs)
	for k := range min(len(sp.Runs), len(sp.Distinct)) {
		sp.Runs[k] = sp.Distinct[k] // a value of all that is hashed is in one bucket
		if k < hashed {
			sp.Runs[k] = max(min(sp.Distinct[k]*buckets, sp.Rows), 1)
		}
	}
	sp.Runs[0] = max(buckets, 1)
	return sp, true
}
