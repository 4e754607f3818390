package session

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	_ "github.com/saltsql/saltsql/catalog/infoschema" // the views of information_schema
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/settings"
	told "github.com/saltsql/saltsql/internal/statements/peers"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// What virtual relations are computed from, and the functions over them: see
// pgcatalog.World.

var _ pgcatalog.World = sessionFuncs{}

func (f sessionFuncs) Snapshot() *catalog.Snapshot { return f.s.snapshot() }
func (f sessionFuncs) Context() context.Context    { return f.s.ctx }
func (f sessionFuncs) User() string                { return f.s.identity().Current.Name }
func (f sessionFuncs) Role() uint32                { return f.s.identity().Current.ID }
func (f sessionFuncs) Database() string            { return f.s.opts.Database }
func (f sessionFuncs) SearchPath() []string        { return f.s.existingPath() }
func (f sessionFuncs) Started() time.Time          { return f.s.db.started }

// Reload is pg_reload_conf.
func (f sessionFuncs) Reload() bool {
	reload := f.s.db.reload.Load()
	if reload == nil {
		return false
	}
	(*reload)()
	return true
}

// ShowsOptions says that reloptions have what PostgreSQL does not know.
func (f sessionFuncs) ShowsOptions() bool {
	v, _ := f.s.Setting("saltsql.reloptions")
	return v == "on"
}

// Settings lists the run-time parameters.
func (f sessionFuncs) Settings() []pgcatalog.Setting {
	all := f.s.visible()
	list := make([]pgcatalog.Setting, 0, len(all))
	for _, p := range all {
		value, _ := f.s.Setting(p.Name)
		from, reset := "", f.s.resetValue(p)
		if p.Context != "" {
			from, reset = settings.FromServer, value
		}
		if _, set := f.s.values.Get(strings.ToLower(p.Name)); set {
			from = "session"
			switch first, layer, ok := f.s.first.Of(p.Name); {
			case ok && first == value:
				from = layer
			case ok:
			case p.Name == "application_name" && f.s.opts.ApplicationName == value:
				from = settings.FromClient
			case value == p.Default: // after RESET
				from = ""
			}
		}
		list = append(list, pgcatalog.Setting{Name: p.Name, Value: p.Bare(value), Default: p.Bare(p.Default), Doc: p.Doc, ReadOnly: p.ReadOnly, Context: p.Context, Superuser: p.Superuser,
			From: from, Reset: p.Bare(reset), Kind: p.Kind(), Options: p.Options, Unit: p.Unit})
	}
	return list
}

// Users lists those of the sessions that are open.
func (f sessionFuncs) Users() []string {
	var names []string
	for _, a := range f.Activity() {
		if f.s.snapshot().Role(a.User) == nil {
			names = append(names, a.User)
		}
	}
	return names
}

// Server names this server.
func (f sessionFuncs) Server() string { return f.s.db.catalog.Owner }

// EachServersActivity shows the sessions of all servers of the store.
func (f sessionFuncs) EachServersActivity(ctx context.Context, show func(server string, list []pgcatalog.Activity) error) error {
	return eachServers(ctx, f.s, askSessions, "sessions", f.Activity(), show)
}

// EachServersLocks shows the locks of all servers of the store.
func (f sessionFuncs) EachServersLocks(ctx context.Context, show func(list []pgcatalog.Lock) error) error {
	return eachServers(ctx, f.s, askLocks, "locks", f.s.db.Locks(), func(_ string, list []pgcatalog.Lock) error { return show(list) })
}

// Activity lists the sessions.
func (f sessionFuncs) Activity() []pgcatalog.Activity { return f.s.db.Activity() }

// Started is when the DB was opened.
func (db *DB) Started() time.Time { return db.started }

// Activity lists the sessions, the oldest first.
func (db *DB) Activity() []pgcatalog.Activity {
	db.mu.Lock()
	list := make([]*Session, 0, len(db.sessions))
	for s := range db.sessions {
		list = append(list, s)
	}
	db.mu.Unlock()
	out := make([]pgcatalog.Activity, 0, len(list))
	for _, s := range list {
		a := pgcatalog.Activity{User: s.opts.User, Database: s.opts.Database, Client: s.opts.Client, Server: s.opts.Server}
		s.activity.Show(&a, &s.waits)
		out = append(out, a)
	}
	slices.SortFunc(out, func(a, b pgcatalog.Activity) int {
		return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.PID, b.PID))
	})
	return out
}

// Statements lists the shapes of statements that are counted, those that took longest first.
func (f sessionFuncs) Statements() []pgcatalog.Statement {
	if f.s.db.statements == nil {
		return nil
	}
	var list []pgcatalog.Statement
	for _, e := range f.s.db.statements.Entries() {
		list = append(list, told.Shown(e))
	}
	slices.SortFunc(list, func(a, b pgcatalog.Statement) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.ID, b.ID), strings.Compare(a.User, b.User))
	})
	return list
}

// EachServersStatements shows the statements of all servers of the store: of this one as they are
// now, of others as they have told.
func (f sessionFuncs) EachServersStatements(ctx context.Context, show func(server string, list []pgcatalog.Statement) error) error {
	db := f.s.db
	if list := f.Statements(); len(list) > 0 {
		if err := show(db.catalog.Owner, list); err != nil {
			return err
		}
	}
	return db.catalog.EachShapes(ctx, func(server string, part []byte) error {
		list, err := told.Unpack(part)
		if err != nil { // of another version, perhaps; it is about nobody's data
			db.opts.Logger.Warn("what another server tells of its statements cannot be read", "server", server, "error", err)
			return nil
		}
		return show(server, list)
	})
}

// Forgotten tells of Statements.
func (f sessionFuncs) Forgotten() (times int64, since time.Time) {
	if f.s.db.statements == nil {
		return 0, f.s.db.started
	}
	return f.s.db.statements.Info()
}

// ResetStatements begins to count anew.
func (f sessionFuncs) ResetStatements() {
	if f.s.db.statements != nil {
		f.s.db.statements.Reset()
	}
}

// Prepared lists the statements with a name.
func (f sessionFuncs) Prepared() []pgcatalog.Prepared {
	var list []pgcatalog.Prepared
	for name, st := range f.s.stmts {
		if name != "" {
			list = append(list, pgcatalog.Prepared{Name: name, Text: st.Text(), At: st.made, Params: st.ParamTypes(), FromSQL: st.bySQL})
		}
	}
	slices.SortFunc(list, func(a, b pgcatalog.Prepared) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// Cursors lists the portals with a name.
func (f sessionFuncs) Cursors() []pgcatalog.Cursor {
	var list []pgcatalog.Cursor
	for p := range f.s.portals.all {
		if p.named != nil {
			c := pgcatalog.Cursor{Name: p.name(), Text: p.stmt.Text(), At: p.made}
			if d := p.declared; d != nil {
				c.Text, c.Hold = d.text, d.hold
				c.Scroll = d.scroll
			}
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b pgcatalog.Cursor) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// ColumnStats is what ANALYZE has kept of a table's columns.
func (f sessionFuncs) ColumnStats(ctx context.Context, t *catalog.Table) (*colstats.Table, error) {
	return f.s.db.sizes.Kept(ctx, t)
}

// Updatable says which columns of a view can be written; nil where none can.
func (f sessionFuncs) Updatable(v *catalog.View) []bool {
	columns, _, err := planner.Updatable(f.s.ddlContext(), v)
	if err != nil {
		return nil // it is there, and refused where it is written
	}
	return columns
}

// EstimatedRows is how many rows a table has, as far as that is known.
func (f sessionFuncs) EstimatedRows(t *catalog.Table) float64 {
	if n, ok := f.s.db.sizes.KnownRows(t); ok {
		return float64(n)
	}
	return -1
}

// TypeOfOID finds a type by its OID, those of users among them.
func (s *Session) TypeOfOID(oid uint32) (types.T, bool) {
	return s.view.Database().TypeOfOID(oid, -1)
}
