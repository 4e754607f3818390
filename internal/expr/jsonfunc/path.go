package jsonfunc

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	exec "github.com/saltsql/saltsql/internal/expr/jsonpath"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// SQL/JSON paths over jsonb: the functions with their arguments vars and silent, those
// named _tz, which may ask for the session's time zone, and the operators @? and @@.

// PathMode says who asks.
type PathMode uint8

const (
	PathPlain    PathMode = iota
	PathZoned             // with the session's time zone
	PathOperator          // silent, without variables
)

// pathQuery has the arguments target, path, vars and silent, of which the last may be missing.
func pathQuery(mode PathMode, env *expr.Env, a []types.Datum) (*exec.Query, error) {
	path, err := jsonpath.Cached(a[1].Bytes)
	if err != nil {
		return nil, err
	}
	doc, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return nil, err
	}
	made := &eval.Tally{Env: env}
	q := &exec.Query{Path: path, Doc: doc, Silent: mode == PathOperator, Step: func(n int) error { return step(made, n) }}
	if env.Ctx != nil {
		q.Done = env.Ctx.Done()
	}
	if mode == PathZoned {
		q.TZ, q.Zone, q.Now = true, env.Zone(), env.TxTime()
	}
	if len(a) > 3 {
		q.Silent = a[3].Bool
	}
	switch {
	case len(a) > 2:
		q.Vars, err = jsonval.Parse(string(a[2].Bytes))
	case mode != PathOperator:
		q.Vars = &jsonval.Value{Kind: jsonval.Object}
	}
	return q, err
}

// step counts n bytes more, and sees whether the statement has been canceled.
func step(t *eval.Tally, n int) error {
	if err := t.Env.Canceled(); err != nil || n == 0 {
		return err
	}
	return t.Add(n)
}

// PathExists is jsonb_path_exists and @?.
func PathExists(mode PathMode) Func {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return types.NullDatum, err
		}
		ok, known, err := q.Exists()
		if err != nil || !known {
			return types.NullDatum, err
		}
		return types.NewBool(ok), nil
	}
}

// PathMatch is jsonb_path_match and @@.
func PathMatch(mode PathMode) Func {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return types.NullDatum, err
		}
		found, err := q.Find()
		if err != nil {
			return types.NullDatum, err
		}
		if len(found) == 1 {
			switch v := found[0]; v.Kind {
			case jsonval.Bool:
				return types.NewBool(v.Bool), nil
			case jsonval.Null:
				return types.NullDatum, nil
			}
		}
		if q.Silent {
			return types.NullDatum, nil
		}
		return types.NullDatum, sqlerr.New(sqlerr.SingletonSqlJsonItemRequired, "single boolean result is expected")
	}
}

// PathArray is jsonb_path_query_array.
func PathArray(mode PathMode) Func {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return types.NullDatum, err
		}
		found, err := q.Find()
		if err != nil {
			return types.NullDatum, err
		}
		b := []byte{'['}
		made := eval.Tally{Env: env}
		for i, v := range found {
			if i > 0 {
				b = append(b, ", "...)
			}
			before := len(b)
			b = v.Append(b)
			if err := made.Add(len(b) - before); err != nil {
				return types.NullDatum, err
			}
		}
		return types.NewBytes(append(b, ']')), nil
	}
}

// PathFirst is jsonb_path_query_first.
func PathFirst(mode PathMode) Func {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return types.NullDatum, err
		}
		found, err := q.Find()
		if err != nil || len(found) == 0 {
			return types.NullDatum, err
		}
		return datum(found[0]), nil
	}
}

// PathRows is jsonb_path_query.
func PathRows(mode PathMode) expr.RowsFunc {
	return func(env *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return nil, err
		}
		found, err := q.Find()
		if err != nil {
			return nil, err
		}
		made := eval.Tally{Env: env}
		rows := make([][]types.Datum, len(found))
		for i, v := range found {
			rows[i] = []types.Datum{datum(v)}
			if err := made.Add(eval.RowBytes + types.DatumSize + len(rows[i][0].Bytes)); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
}
