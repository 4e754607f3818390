package session

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/peers"
)

// What is read and written of the buckets of tables and indexes: a session gives its counter to the
// statements that it runs, those of DDL among them. Work in the background has none.

// HeatMemory is how many bytes the counters of buckets may take; 0 counts nothing.
func (db *DB) HeatMemory() int64 { return db.heat.Memory() }

// heatedRelations says which tables and indexes there are.
func (db *DB) heatedRelations() func(id uint32) bool {
	snap := db.catalog.Snapshot()
	return func(id uint32) bool {
		if snap.TableByID(id) != nil {
			return true
		}
		_, ix := snap.IndexByID(id)
		return ix != nil
	}
}

// heatOf is what this server has counted.
func (db *DB) heatOf(want pgcatalog.HeatWanted) *pgcatalog.ServerHeat {
	if want.SamplesOf != 0 {
		return &pgcatalog.ServerHeat{Samples: db.heat.SampleSets(want.SamplesOf, want.Since)}
	}
	if want.Hot {
		h := &pgcatalog.ServerHeat{Hot: map[uint32][]heat.HotKeys{}}
		for _, id := range want.Relations {
			if list := db.heat.Hot(id); len(list) > 0 {
				h.Hot[id] = list
			}
		}
		return h
	}
	var of func(id uint32) bool
	if want.Relations != nil {
		of = func(id uint32) bool { return slices.Contains(want.Relations, id) }
	}
	return &pgcatalog.ServerHeat{Sums: db.heat.Sums(of, want.Minutes), Full: db.heat.Full()}
}

// EachServersHeat shows what the servers of the store have counted of the buckets of relations.
func (f sessionFuncs) EachServersHeat(ctx context.Context, want pgcatalog.HeatWanted, show func(server string, h *pgcatalog.ServerHeat) error) error {
	err := show(f.s.db.catalog.Owner, f.s.db.heatOf(want))
	if err != nil {
		return err
	}
	asked := askOthers(ctx, f.s, askHeat, want, "reads and writes", func(p peers.Peer, h pgcatalog.ServerHeat) {
		if err == nil {
			err = show(p.ID, &h)
		}
	})
	if err != nil {
		return err
	}
	return asked
}

// HeatSamples gives what the servers of the store keep of the operations on a relation since a time.
func (f sessionFuncs) HeatSamples(ctx context.Context, id uint32, since time.Time) (list []heat.Sample, err error) {
	err = f.EachServersHeat(ctx, pgcatalog.HeatWanted{SamplesOf: id, Since: since}, func(_ string, h *pgcatalog.ServerHeat) error {
		for i := range h.Samples {
			some, err := h.Samples[i].Samples(since)
			if err != nil {
				return err
			}
			list = append(list, some...)
		}
		return nil
	})
	return list, err
}

// HeatSamples gives what this server keeps of the operations on a relation since a time.
func (db *DB) HeatSamples(id uint32, since time.Time) []heat.Sample {
	return db.heat.Samples(id, since)
}
