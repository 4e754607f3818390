package builtin

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

func init() {
	expr.RegisterOps(
		fn("@?", ts(tJSONB, tPath), tBool, datumKernel(pathExists(pathOperator))),
		fn("@@", ts(tJSONB, tPath), tBool, datumKernel(pathMatch(pathOperator))),
	)
	noVars := &expr.Const{Value: types.NewText("{}"), T: tJSONB}
	loud := &expr.Const{Value: types.NewBool(false), T: tBool}
	for _, mode := range []pathMode{pathPlain, pathZoned} {
		suffix := ""
		if mode == pathZoned {
			suffix = "_tz"
		}
		each := func(name string, add func(name string, args []types.T)) {
			name = "jsonb_path_" + name + suffix
			all := ts(tJSONB, tPath, tJSONB, tBool)
			for n := 2; n <= len(all); n++ {
				add(name, all[:n:n])
			}
			expr.RegisterArgNames(name, expr.ArgName{Name: "target"}, expr.ArgName{Name: "path"},
				expr.ArgName{Name: "vars", Default: noVars}, expr.ArgName{Name: "silent", Default: loud})
		}
		scalar := func(name string, res types.T, f datumFunc) {
			each(name, func(name string, args []types.T) {
				o := fn(name, args, res, datumKernel(f))
				o.Stable = mode == pathZoned
				expr.RegisterFuncs(o)
			})
		}
		scalar("exists", tBool, pathExists(mode))
		scalar("match", tBool, pathMatch(mode))
		scalar("query_array", tJSONB, pathArray(mode))
		scalar("query_first", tJSONB, pathFirst(mode))
		each("query", func(name string, args []types.T) {
			f := setFn(name, args, pathRows(mode), expr.SetColumn{T: tJSONB})
			f.Sig.Stable = mode == pathZoned
		})
	}
}

// pathMode says who asks.
type pathMode uint8

const (
	pathPlain    pathMode = iota
	pathZoned             // with the session's time zone
	pathOperator          // silent, without variables
)

// pathQuery has the arguments target, path, vars and silent, of which the last may be missing.
func pathQuery(mode pathMode, env *expr.Env, a []types.Datum) (*exec.Query, error) {
	path, err := jsonpath.Cached(a[1].Bytes)
	if err != nil {
		return nil, err
	}
	doc, err := jsonval.Parse(string(a[0].Bytes))
	if err != nil {
		return nil, err
	}
	made := &tally{env: env}
	q := &exec.Query{Path: path, Doc: doc, Silent: mode == pathOperator, Step: made.step}
	if env.Ctx != nil {
		q.Done = env.Ctx.Done()
	}
	if mode == pathZoned {
		q.TZ, q.Zone, q.Now = true, env.Zone(), env.TxTime()
	}
	if len(a) > 3 {
		q.Silent = a[3].Bool
	}
	switch {
	case len(a) > 2:
		q.Vars, err = jsonval.Parse(string(a[2].Bytes))
	case mode != pathOperator:
		q.Vars = &jsonval.Value{Kind: jsonval.Object}
	}
	return q, err
}

// step counts n bytes more, and sees whether the statement has been canceled.
func (t *tally) step(n int) error {
	if err := t.env.Canceled(); err != nil || n == 0 {
		return err
	}
	return t.add(n)
}

func pathExists(mode pathMode) datumFunc {
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

func pathMatch(mode pathMode) datumFunc {
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

func pathArray(mode pathMode) datumFunc {
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
		made := tally{env: env}
		for i, v := range found {
			if i > 0 {
				b = append(b, ", "...)
			}
			before := len(b)
			b = v.Append(b)
			if err := made.add(len(b) - before); err != nil {
				return types.NullDatum, err
			}
		}
		return types.NewBytes(append(b, ']')), nil
	}
}

func pathFirst(mode pathMode) datumFunc {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return types.NullDatum, err
		}
		found, err := q.Find()
		if err != nil || len(found) == 0 {
			return types.NullDatum, err
		}
		return jsonDatum(found[0]), nil
	}
}

func pathRows(mode pathMode) expr.RowsFunc {
	return func(env *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
		q, err := pathQuery(mode, env, a)
		if err != nil {
			return nil, err
		}
		found, err := q.Find()
		if err != nil {
			return nil, err
		}
		made := tally{env: env}
		rows := make([][]types.Datum, len(found))
		for i, v := range found {
			rows[i] = []types.Datum{jsonDatum(v)}
			if err := made.add(eval.RowBytes + types.DatumSize + len(rows[i][0].Bytes)); err != nil {
				return nil, err
			}
		}
		return rows, nil
	}
}
