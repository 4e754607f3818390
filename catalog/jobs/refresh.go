package jobs

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// RunRefresh carries out the job of REFRESH MATERIALIZED VIEW: fill writes the rows of the query
// into to, the copy, and nobody else does. A server that takes the job over has not the
// session that asked, and undoes it.
func (c *Runner) RunRefresh(ctx context.Context, j *Job, fill func(ctx context.Context, to *catalog.Table) error) error {
	j.fill = fill
	return c.Run(ctx, j)
}

func (j *Job) refresh(ctx context.Context) error {
	if j.fill == nil {
		return errRefreshGone()
	}
	t, err := j.tableNow()
	if err != nil {
		return err
	}
	to, _, err := t.Refreshed()
	if err != nil {
		return err
	}
	if err := j.fill(ctx, to); err != nil {
		return err
	}
	return j.end(ctx, func(ctx context.Context, h *versions.Held) error {
		_, err := h.Revise(ctx, j.table, func(t *catalog.Table, version uint64) (bool, error) {
			if !hasJob(t, j.id) {
				return false, errRefreshGone()
			}
			cp, left, err := t.Refreshed()
			if err != nil {
				return false, err
			}
			cp.SwitchedAt, cp.WriteVersion = version, version
			cp.Retired = t.Retired
			cp.Retire(version, left...)
			*t = *cp
			return true, nil
		})
		return err
	})
}

func errRefreshGone() error {
	return sqlerr.New(sqlerr.QueryCanceled, "the refresh of the materialized view was canceled, or its server is gone").
		WithHint("Look whether the materialized view is there, and repeat the statement.")
}
