package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Set-returning functions that PostgreSQL's views are made of. Here the rows are the views'.
// The file comes, by its name, after relation.go, whose init makes the relations.

func init() {
	for name, view := range map[string]string{
		"pg_show_all_settings":   "pg_settings",
		"pg_lock_status":         "pg_locks",
		"pg_prepared_statement":  "pg_prepared_statements",
		"pg_cursor":              "pg_cursors",
		"pg_timezone_names":      "pg_timezone_names",
		"pg_timezone_abbrevs":    "pg_timezone_abbrevs",
		"pg_hba_file_rules":      "pg_hba_file_rules",
		"pg_ident_file_mappings": "pg_ident_file_mappings",
		"pg_config":              "pg_config",
	} {
		r := relationsNamed[view][0]
		cols := make([]expr.SetColumn, len(r.visible()))
		for i, c := range r.visible() {
			cols[i] = expr.SetColumn{Name: c.Name, T: c.Type}
		}
		builtin.RegisterSet(name, ts(), true, cols, func(env *expr.Env, _ []types.T, _ []types.Datum) ([][]types.Datum, error) {
			w, ok := env.Session.(World)
			if !ok {
				return nil, unanswerable(name)
			}
			var rows [][]types.Datum
			err := r.Rows(w, nil, func(row []types.Datum) bool {
				rows = append(rows, slices.Clone(row[:len(cols)]))
				return true
			})
			return rows, err
		})
	}
}

func init() {
	// There is no standby here: what controls one says so, and what tells of one has nothing to tell.
	for name, res := range map[string]types.T{
		"pg_is_wal_replay_paused": tBool, "pg_get_wal_replay_pause_state": tText, "pg_wal_replay_pause": types.Of(types.Void), "pg_wal_replay_resume": types.Of(types.Void),
	} {
		Function(name, ts(), res, func(*Call) (types.Datum, error) {
			return null, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "recovery is not in progress").
				WithHint("Recovery control functions can only be executed during recovery.")
		})
	}
	Function("pg_last_xact_replay_timestamp", ts(), tTSTZ, fixed(null))
	Function("pg_trigger_depth", ts(), tInt4, fixed(num(0)))
	Function("pg_jit_available", ts(), tBool, fixed(yes(false)))
}
