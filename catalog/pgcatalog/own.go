package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// ownRelation is a relation of the schema saltsql. Their order gives their OIDs: new ones
// come last.
type ownRelation struct {
	name    string
	columns []string
	schema  string // OwnSchema where it is empty
}

var ownRelations = []ownRelation{
	{name: "tables", columns: []string{"table_oid oid", "schema_name name", "table_name name", "salt_buckets int4", "salt_columns _name", "hash text",
		"primary_key _name", "physical_name text", "families _text", "options _text", "ttl interval", "estimated_rows int8", "version int8", "frozen bool", "adopted bool"}},
	{name: "columns", columns: []string{"table_oid oid", "schema_name name", "table_name name", "column_name name", "column_id int4", "data_type text",
		"storage_type text", "key_position int4", "descending bool", "column_family text", "qualifier bytea", "not_null bool", "column_default text"}},
	{name: "settings", columns: []string{"name text", "setting text", "default_setting text", "read_only bool", "description text"}},
	{name: "statements", columns: append([]string{"server text"}, statementColumns...)},
	{name: "buckets", columns: []string{"table_oid oid", "schema_name name", "table_name name", "bucket int4", "bytes int8", "share float8"}},
	{name: "pg_stat_statements", columns: statementColumns, schema: "pg_catalog"},
	{name: "pg_stat_statements_info", columns: []string{"dealloc int8", "stats_reset timestamptz"}, schema: "pg_catalog"},
	{name: "jobs", columns: []string{"job_id oid", "table_oid oid", "schema_name name", "table_name name", "command text", "state text", "rows_done int8", "rows_total int8",
		"rows_again int8", "rows_per_second int4", "started timestamptz", "server text"}},
	{name: "index_advice", columns: []string{"table_oid oid", "schema_name name", "table_name name", "index_definition text", "statements int4", "calls int8",
		"rows_read int8", "rows_spared int8", "writes int8", "query text"}},
	{name: "hypothetical_indexes", columns: []string{"table_oid oid", "schema_name name", "table_name name", "index_name name", "index_definition text"}},
	{name: "sessions", columns: []string{"server text", "pid int4", "usename name", "datname name", "application_name text", "client_addr inet", "backend_start timestamptz",
		"xact_start timestamptz", "query_start timestamptz", "state_change timestamptz", "wait_event_type text", "wait_event text", "state text", "query text"}},
	{name: "definitions", columns: []string{"section text", "ordinal int4", "kind text", "schema_name name", "object_name name", "object_oid oid", "needs _oid", "definition text"}},
	{name: "bucket_skew", columns: []string{"table_oid oid", "schema_name name", "table_name name", "index_name name", "bucket int4", "reads int8", "writes int8",
		"peak float8", "expected_peak float8", "point_hits int8", "point_misses int8", "scans int8", "rows_read int8", "rows_returned int8", "bytes_read int8",
		"rows_written int8", "bytes_written int8", "since timestamptz"}},
	{name: "heatmap", columns: []string{"table_oid oid", "schema_name name", "table_name name", "index_name name", "at timestamptz", "minutes int4", "bucket int4",
		"reads int8", "writes int8", "rows_read int8", "rows_returned int8", "bytes_read int8", "bytes_written int8", "server text",
		"quantile int4", "key_from _text", "key_to _text", "samples int4"}},
	{name: "hot_keys", columns: []string{"table_oid oid", "schema_name name", "table_name name", "index_name name", "kind text", "prefix int4", "key _text",
		"bucket int4", "count int8", "error int8", "share float8", "since timestamptz"}},
	{name: "advice", columns: []string{"id int8", "table_oid oid", "schema_name name", "table_name name", "rule text", "since timestamptz", "evidence text", "ddl text",
		"gain float8", "cost text"}},
}

func init() {
	Source(OwnSchema+".tables", ownTables, "table_oid", "table_name")
	Source(OwnSchema+".columns", ownColumns, "table_oid", "table_name")
	Source(OwnSchema+".settings", ownSettings)
	Source(OwnSchema+".buckets", ownBuckets, "table_oid", "table_name")
	Source(OwnSchema+".jobs", ownJobs)
	Source(OwnSchema+".sessions", ownSessions)
	Source(OwnSchema+".definitions", ownDefinitions)
	signal(OwnSchema+".cancel_job", ts(tOID), func(c *Call) (bool, error) { return c.CancelJob(c.World.Context(), uint32(c.Args[0].Int)) })
}

func ownTables(q *Query) error {
	return q.tables("table_oid", "table_name", func(t *catalog.Table) error {
		if !q.IsText("table_name", t.Name) || !q.IsText("schema_name", t.Schema) {
			return nil
		}
		salt := t.Options.SaltColumns
		var key []string
		for _, k := range t.PrimaryKey {
			key = append(key, t.Columns[k].Name)
		}
		if len(salt) == 0 && t.Options.SaltBuckets > 0 {
			salt = key
		}
		ttl, rows := null, null
		if t.Options.TTL > 0 {
			ttl = types.Datum{Interval: types.IntervalValue{Micros: t.Options.TTL.Microseconds()}}
		}
		if n := q.EstimatedRows(t); n >= 0 {
			rows = num(int64(n))
		}
		return q.Row(oid(t.ID), text(t.Schema), text(t.Name), num(t.Options.SaltBuckets), array(types.Name, text, salt), text(t.Options.Hash),
			array(types.Name, text, key), text(t.Physical), array(types.Text, text, t.Families()), array(types.Text, text, t.RelOptions()),
			ttl, rows, num(int64(t.Version)), yes(t.Frozen), yes(t.Adopted))
	})
}

func ownColumns(q *Query) error {
	return q.tables("table_oid", "table_name", func(t *catalog.Table) error {
		if !q.IsText("table_name", t.Name) || !q.IsText("schema_name", t.Schema) {
			return nil
		}
		for i := range t.Columns {
			c := &t.Columns[i]
			position, family, qualifier := null, optional(c.Family), types.NewBytes(c.Qualifier)
			if c.KeyPos >= 0 {
				position, family, qualifier = num(c.KeyPos+1), null, null
			}
			err := q.Row(oid(t.ID), text(t.Schema), text(t.Name), text(c.Name), num(c.ID), text(c.Type.String()),
				text(strings.ToLower(c.TypeText())), position, yes(c.Desc), family, qualifier, yes(c.NotNull), optional(q.Snap.DefaultText(c)))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ownBuckets shows how evenly the salt spreads a table's rows; unsalted ones have no
// buckets.
func ownBuckets(q *Query) error {
	return q.tables("table_oid", "table_name", func(t *catalog.Table) error {
		n := t.Buckets()
		if n == 0 || !q.IsText("table_name", t.Name) || !q.IsText("schema_name", t.Schema) {
			return nil
		}
		sizes := make([]int64, n)
		var sum int64
		for b := range sizes {
			var err error
			if sizes[b], err = q.BucketBytes(q.Context(), t, b); err != nil {
				return err
			}
			sum += sizes[b]
		}
		for b, size := range sizes {
			share := null
			if sum > 0 {
				share = float(float64(size) / float64(sum))
			}
			if err := q.Row(oid(t.ID), text(t.Schema), text(t.Name), num(b), num(size), share); err != nil {
				return err
			}
		}
		return nil
	})
}

// ownJobs shows the changes of tables that go on while the tables serve, of all servers.
func ownJobs(q *Query) error {
	jobs, err := q.Jobs(q.Context())
	if err != nil {
		return err
	}
	for _, j := range jobs {
		t := j.Table
		if !q.IsText("table_name", t.Name) || !q.IsText("schema_name", t.Schema) {
			continue
		}
		total, rate := null, null
		if n := q.EstimatedRows(t); n >= 0 {
			total = num(int64(n))
		}
		if j.Rate > 0 {
			rate = num(j.Rate)
		}
		err := q.Row(oid(j.ID), oid(t.ID), text(t.Schema), text(t.Name), text(j.What), text(j.State), num(j.Rows), total,
			num(j.Again), rate, when(j.Started), optional(j.Owner))
		if err != nil {
			return err
		}
	}
	return nil
}

func ownSettings(q *Query) error {
	for _, s := range q.Settings() {
		if !strings.HasPrefix(s.Name, OwnSchema+".") || !q.IsText("name", s.Name) {
			continue
		}
		if err := q.Row(text(s.Name), text(s.Value), text(s.Default), yes(s.ReadOnly), text(s.Doc)); err != nil {
			return err
		}
	}
	return nil
}

// ownDefinitions are the statements that make what users have made.
func ownDefinitions(q *Query) error {
	list, err := definitions(q)
	if err != nil {
		return err
	}
	for i := range list {
		d := &list[i]
		needs := array(types.OID, oid, d.needs)
		err := q.Row(text(d.section), num(i+1), text(d.kind), text(d.schema), text(d.name), oid(d.of), needs, text(d.text))
		if err != nil {
			return err
		}
	}
	return nil
}
