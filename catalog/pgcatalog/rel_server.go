package pgcatalog

import (
	"slices"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

func init() {
	Source("pg_catalog.pg_database", pgDatabase)
	Source("pg_catalog.pg_tablespace", pgTablespace)
	Source("pg_catalog.pg_settings", pgSettings)
	Source("pg_catalog.pg_stat_activity", pgStatActivity)
	Source("pg_catalog.pg_stat_database", pgStatDatabase)
	Source("pg_catalog.pg_locks", pgLocks)
	Source("pg_catalog.pg_stat_progress_create_index", pgStatProgressCreateIndex)
	Source("pg_catalog.pg_prepared_statements", pgPreparedStatements)
	Source("pg_catalog.pg_cursors", pgCursors)
	Source("pg_catalog.pg_timezone_names", pgTimezoneNames)
	Source("pg_catalog.pg_timezone_abbrevs", pgTimezoneAbbrevs)
}

// utf8Encoding is the number of UTF8 among the encodings.
const utf8Encoding = 6

// pgDatabase: a store is one database, which goes by the name that the client gave.
func pgDatabase(q *Query) error {
	d := q.Snap.Database()
	return q.Row(oid(databaseOID), text(q.Database()), oid(d.Owner), num(utf8Encoding), char('c'), yes(false), yes(true), num(-1),
		num(0), num(0), oid(defaultSpace), text("C"), text("C"), null, null, q.acl(d.Rights))
}

func pgTablespace(q *Query) error {
	if err := q.Row(oid(defaultSpace), text("pg_default"), oid(superuserOID), null, null); err != nil {
		return err
	}
	return q.Row(oid(globalSpace), text("pg_global"), oid(superuserOID), null, null)
}

func pgSettings(q *Query) error {
	for _, s := range q.Settings() {
		if !q.IsText("name", s.Name) {
			continue
		}
		context, from, category := "user", "default", "Preset Options"
		switch {
		case s.Context != "":
			context, category = s.Context, "Server Configuration"
		case s.ReadOnly:
			context = "internal"
		case s.Superuser:
			context, category = "superuser", "Client Connection Defaults"
		default:
			category = "Client Connection Defaults"
		}
		if s.From != "" {
			from = s.From
		}
		options := null
		if len(s.Options) > 0 {
			options = array(types.Text, text, s.Options)
		}
		err := q.Row(text(s.Name), text(s.Value), optional(s.Unit), text(category), text(s.Doc), null, text(context), text(s.Kind), text(from),
			null, null, options, text(s.Default), text(s.Reset), null, null, yes(false))
		if err != nil {
			return err
		}
	}
	return nil
}

// pgStatActivity shows the sessions of all servers of the store.
func pgStatActivity(q *Query) error {
	return q.eachActivity(func(_ string, a *Activity) error {
		user, _ := roleNamed(q, q.Snap, a.User)
		row := q.activity(a, user)
		row["datid"], row["usesysid"], row["client_port"] = oid(databaseOID), oid(user), null
		if q.seesActivityOf(user) {
			row["backend_type"] = text("client backend")
			if a.Client.IsValid() {
				row["client_port"] = num(int(a.Client.Port()))
			}
		}
		return q.Named(row)
	})
}

// ownSessions shows them with their servers.
func ownSessions(q *Query) error {
	return q.eachActivity(func(server string, a *Activity) error {
		user, _ := roleNamed(q, q.Snap, a.User)
		row := q.activity(a, user)
		row["server"] = text(server)
		return q.Named(row)
	})
}

// eachActivity shows the sessions that are asked for. No other server is asked for one that is
// named by its PID and is this server's.
func (q *Query) eachActivity(show func(server string, a *Activity) error) error {
	pid, one := q.wanted("pid")
	shows := func(server string, list []Activity) error {
		for i := range list {
			if one && pid.Int != int64(list[i].PID) {
				continue
			}
			if err := show(server, &list[i]); err != nil {
				return err
			}
		}
		return nil
	}
	if one && slices.ContainsFunc(q.Activity(), func(a Activity) bool { return int64(a.PID) == pid.Int }) {
		return shows(q.Server(), q.Activity())
	}
	return q.EachServersActivity(q.Context(), shows)
}

func (q *Query) seesActivityOf(user uint32) bool {
	role := q.Role()
	return q.Snap.HasPrivsOf(role, actsAs(q, q.Snap, user)) || q.Snap.HasPrivsOf(role, catalog.RoleReadStats)
}

// activity is what pg_stat_activity and saltsql.sessions show of a session, as the reader may see it.
func (q *Query) activity(a *Activity, user uint32) map[string]types.Datum {
	row := map[string]types.Datum{
		"datname": text(a.Database), "pid": num(a.PID), "usename": text(a.User), "application_name": text(a.Application),
	}
	if !q.seesActivityOf(user) {
		row["query"] = text("<insufficient privilege>")
		return row
	}
	row["backend_start"], row["xact_start"], row["query_start"], row["state_change"] = when(a.Started), when(a.Transaction), when(a.QueryStart), when(a.Changed)
	row["state"], row["query"] = text(a.State), text(a.Query)
	if a.Client.IsValid() {
		row["client_addr"] = types.NewInet(a.Client.Addr())
	}
	if a.WaitType != "" {
		row["wait_event_type"], row["wait_event"] = text(a.WaitType), text(a.WaitEvent)
	}
	return row
}

// pgStatProgressCreateIndex shows the indexes that all servers make. The session that waits
// for one is known to its own server; no session waits for what another has taken over.
func pgStatProgressCreateIndex(q *Query) error {
	jobs, err := q.Jobs(q.Context())
	if err != nil {
		return err
	}
	zero := num(0)
	for _, j := range jobs {
		if j.Index == nil {
			continue
		}
		pid, phase := null, "building index: scanning table"
		if j.PID != 0 {
			pid = num(j.PID)
		}
		if j.Index.State == catalog.IndexPlanned {
			phase = "initializing"
		}
		err := q.Row(pid, oid(databaseOID), text(q.Database()), oid(j.Table.ID), oid(j.ID), text(j.What), text(phase),
			zero, zero, zero, zero, zero, num(int64(max(q.EstimatedRows(j.Table), 0))), num(j.Rows), zero, zero)
		if err != nil {
			return err
		}
	}
	return nil
}

// virtualTransaction names the transaction of a session: they have no numbers here.
func virtualTransaction(session int64) types.Datum {
	return text(strconv.FormatInt(session, 10) + "/1")
}

// pgLocks shows those of all servers of the store. Relations are locked by no lock of their own here, but shown with the modes of the
// statements that work with them.
func pgLocks(q *Query) error {
	return q.EachServersLocks(q.Context(), q.locks)
}

func (q *Query) locks(list []Lock) error {
	for _, l := range list {
		if !q.isOID("relation", l.Relation) {
			continue
		}
		kind, database, relation, transaction, class, object, sub, since := "relation", oid(databaseOID), oid(l.Relation), null, null, null, null, null
		switch l.Kind {
		case LockTransaction:
			kind, database, relation, transaction = "virtualxid", null, null, virtualTransaction(l.Transaction)
		case LockAdvisory:
			kind, relation, class, object, sub = "advisory", null, oid(l.A), oid(l.B), num(1)
			if l.Two {
				sub = num(2)
			}
		}
		if !l.Granted {
			since = when(l.Since)
		}
		err := q.Row(text(kind), database, relation, null, null, transaction, null, class, object, sub, virtualTransaction(l.Session),
			num(l.PID), text(l.Mode), yes(l.Granted), yes(false), since)
		if err != nil {
			return err
		}
	}
	return nil
}

func pgStatDatabase(q *Query) error {
	row := make([]types.Datum, len(q.rel.Columns))
	for i, c := range q.rel.Columns {
		switch {
		case c.Name == "datid":
			row[i] = oid(databaseOID)
		case c.Name == "datname":
			row[i] = text(q.Database())
		case c.Name == "numbackends":
			row[i] = num(len(q.Activity()))
		default:
			row[i] = null // not counted
		}
	}
	return q.Row(row...)
}

func pgPreparedStatements(q *Query) error {
	for _, p := range q.Prepared() {
		params := array(types.Regtype, func(t types.T) types.Datum { return oid(t.OID()) }, p.Params)
		if err := q.Row(text(p.Name), text(p.Text), when(p.At), params, yes(p.FromSQL), null, null); err != nil {
			return err
		}
	}
	return nil
}

func pgCursors(q *Query) error {
	for _, c := range q.Cursors() {
		if err := q.Row(text(c.Name), text(c.Text), yes(c.Hold), yes(false), yes(c.Scroll), when(c.At)); err != nil {
			return err
		}
	}
	return nil
}

func pgTimezoneNames(q *Query) error {
	now := time.Now()
	for _, name := range zoneNames() {
		if !q.IsText("name", name) {
			continue
		}
		loc, err := time.LoadLocation(name)
		if err != nil {
			continue
		}
		at := now.In(loc)
		abbrev, offset := at.Zone()
		off := types.Datum{Interval: types.IntervalValue{Micros: int64(offset) * 1e6}}
		if err := q.Row(text(name), text(abbrev), off, yes(at.IsDST())); err != nil {
			return err
		}
	}
	return nil
}

func pgTimezoneAbbrevs(q *Query) error {
	for _, a := range datetime.Abbreviations(time.Now()) {
		off := types.Datum{Interval: types.IntervalValue{Micros: int64(a.Offset) * 1e6}}
		if err := q.Row(text(a.Name), off, yes(a.DST)); err != nil {
			return err
		}
	}
	return nil
}
