package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// pg_stat_statements has the columns of PostgreSQL 15's extension (version 1.10), and behind
// them what a statement did in the store. It needs no CREATE EXTENSION. What is not counted,
// such as the blocks of shared buffers and the write-ahead log, is NULL. saltsql.statements has
// the same of all servers of the store.

var statementColumns = strings.Split("userid oid,dbid oid,toplevel bool,queryid int8,query text,plans int8,total_plan_time float8,"+
	"min_plan_time float8,max_plan_time float8,mean_plan_time float8,stddev_plan_time float8,calls int8,total_exec_time float8,"+
	"min_exec_time float8,max_exec_time float8,mean_exec_time float8,stddev_exec_time float8,rows int8,shared_blks_hit int8,"+
	"shared_blks_read int8,shared_blks_dirtied int8,shared_blks_written int8,local_blks_hit int8,local_blks_read int8,"+
	"local_blks_dirtied int8,local_blks_written int8,temp_blks_read int8,temp_blks_written int8,blk_read_time float8,"+
	"blk_write_time float8,temp_blk_read_time float8,temp_blk_write_time float8,wal_records int8,wal_fpi int8,wal_bytes numeric,"+
	"jit_functions int8,jit_generation_time float8,jit_inlining_count int8,jit_inlining_time float8,jit_optimization_count int8,"+
	"jit_optimization_time float8,jit_emission_count int8,jit_emission_time float8,"+
	"errors int8,storage_calls int8,rows_read int8,bytes_read int8,rows_written int8,buckets int8,spill_bytes int8", ",")

func init() {
	Source("pg_catalog.pg_stat_statements", pgStatStatements)
	Source(OwnSchema+".statements", ownStatements)
	Source("pg_catalog.pg_stat_statements_info", pgStatStatementsInfo)
	Function("pg_stat_statements_reset", ts(), types.Of(types.Void), func(c *Call) (types.Datum, error) {
		if !c.snap.IsSuperuser(c.Role()) {
			return null, catalog.Denied("function", "pg_stat_statements_reset")
		}
		c.ResetStatements()
		return text(""), nil
	})
}

func pgStatStatements(q *Query) error {
	for _, s := range q.Statements() {
		if err := q.Named(q.statement(&s)); err != nil {
			return err
		}
	}
	return nil
}

// ownStatements are those of all servers of the store, a row for each server and shape.
func ownStatements(q *Query) error {
	return q.EachServersStatements(q.Context(), func(server string, list []Statement) error {
		for i := range list {
			row := q.statement(&list[i])
			row["server"] = text(server)
			if err := q.Named(row); err != nil {
				return err
			}
		}
		return nil
	})
}

// statement is a row of pg_stat_statements, as the reader may see it.
func (q *Query) statement(s *Statement) map[string]types.Datum {
	user, _ := roleNamed(q, q.Snap, s.User)
	mean, shape, id := 0.0, optional(s.Text), num(s.ID)
	if !q.seesStatementsOf(s.User) {
		shape, id = text("<insufficient privilege>"), null
	}
	if s.Calls > 0 {
		mean = s.Total / float64(s.Calls)
	}
	return map[string]types.Datum{
		"userid": oid(user), "dbid": oid(databaseOID), "toplevel": yes(true), "queryid": id, "query": shape,
		"calls": num(s.Calls), "total_exec_time": float(s.Total), "min_exec_time": float(s.Min), "max_exec_time": float(s.Max),
		"mean_exec_time": float(mean), "stddev_exec_time": float(s.StdDev), "rows": num(s.Rows),
		"errors": num(s.Errors), "storage_calls": num(s.StorageCalls), "rows_read": num(s.RowsRead), "bytes_read": num(s.BytesRead),
		"rows_written": num(s.RowsWritten), "buckets": num(s.BucketsRead), "spill_bytes": num(s.SpilledBytes),
	}
}

// seesStatementsOf says that the reader may see what a user's statements are.
func (q *Query) seesStatementsOf(name string) bool {
	user, _ := roleNamed(q, q.Snap, name)
	role := q.Role()
	return q.Snap.HasPrivsOf(role, actsAs(q, q.Snap, user)) || q.Snap.HasPrivsOf(role, catalog.RoleReadStats)
}

func pgStatStatementsInfo(q *Query) error {
	times, since := q.Forgotten()
	return q.Row(num(times), when(since))
}
