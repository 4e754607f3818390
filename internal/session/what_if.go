package session

import (
	"context"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/saltadvice"
	"github.com/saltsql/saltsql/planner/plan"
)

// WhatIf tells what nodes would do with a table's load: see saltadvice.
func (f sessionFuncs) WhatIf(ctx context.Context, q *pgcatalog.WhatIf) ([]pgcatalog.WhatIfRow, error) {
	load, err := f.load(ctx, q.Table, q.Since)
	if err != nil {
		return nil, err
	}
	if q.Nodes > 0 {
		load.Nodes = q.Nodes
	}
	var layouts []saltadvice.Layout
	if q.Given {
		lay := saltadvice.Layout{Salt: q.Salt}
		for _, k := range q.Key {
			name, desc := pgcatalog.KeyColumn(k)
			lay.Key = append(lay.Key, saltadvice.KeyPart{Column: name, Desc: desc})
		}
		layouts = append(layouts, lay)
	}
	list, err := load.WhatIf(layouts)
	if err != nil {
		return nil, err
	}
	var rows []pgcatalog.WhatIfRow
	for _, t := range list {
		name := t.Layout.String()
		if t.Now {
			name = "now: " + name
		}
		rows = append(rows, pgcatalog.WhatIfRow{Variant: name, OfNodes: t.OfNodes, Margin: t.Margin, Peak: t.Peak, CallsPerScan: t.CallsPerScan, Keys: t.Keys})
	}
	return rows, nil
}

// load is what all servers know of the reads and writes of a table since a time, for the nodes that
// saltsql.advice_nodes says.
func (f sessionFuncs) load(ctx context.Context, t *catalog.Table, since time.Time) (*saltadvice.Load, error) {
	setting, _ := f.s.Setting("saltsql.advice_nodes")
	nodes, _ := strconv.Atoi(setting)
	l := &saltadvice.Load{Table: t, Nodes: nodes, Canceled: f.s.env(nil).Canceled}
	var err error
	if l.Samples, err = f.HeatSamples(ctx, t.ID, since); err != nil || len(l.Samples) == 0 {
		return l, err
	}
	err = f.EachServersHeat(ctx, pgcatalog.HeatWanted{Relations: []uint32{t.ID}, Minutes: true}, func(_ string, h *pgcatalog.ServerHeat) error {
		for i := range h.Sums {
			if err := l.Count(&h.Sums[i], since); err != nil {
				return err
			}
		}
		return nil
	})
	l.Statements = f.statementsOf(t)
	return l, err
}

// statementsOf plans the shapes that this server has counted and that scan a table.
func (f sessionFuncs) statementsOf(t *catalog.Table) (list []saltadvice.Statement) {
	count := f.s.db.statements
	if count == nil {
		return nil
	}
	for _, e := range count.Entries() {
		c := e.Counters()
		if e.Shape == "" || c.StorageCalls == 0 || e.Database != f.s.opts.Database {
			continue
		}
		p := f.s.planSeen(e)
		if p != nil && scans(p.Plan.Root, t) {
			list = append(list, saltadvice.Statement{Planned: p, Calls: float64(c.Calls + c.Errors)})
		}
	}
	return list
}

// scans says that a plan reads rows of t otherwise than by their full keys.
func scans(n plan.Node, t *catalog.Table) bool {
	if s, ok := n.(*plan.Scan); ok && s.Table.ID == t.ID && !s.PointsOnly() {
		return true
	}
	for _, in := range n.Inputs() {
		if scans(in, t) {
			return true
		}
	}
	return false
}
