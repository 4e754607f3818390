package builtin

import (
	"crypto/rand"
	"fmt"
	"runtime"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// ServerVersion is the version of Postgres whose behaviour is followed, as
// version() and server_version tell it.
const ServerVersion = "15.0"

func init() {
	env0 := func(name string, res types.T, f func(*expr.Env) types.Datum) *expr.Func {
		return fn(name, ts(), res, argFree(func(env *expr.Env) (types.Datum, error) { return f(env), nil })).AsStable()
	}
	user := func(env *expr.Env) types.Datum { return types.NewText(env.User) }
	sessionUser := func(env *expr.Env) types.Datum { return types.NewText(env.SessionUser) }
	db := func(env *expr.Env) types.Datum { return types.NewText(env.Database) }
	schema := func(env *expr.Env) types.Datum {
		if len(env.SearchPath) == 0 {
			return types.NullDatum
		}
		return types.NewText(env.SearchPath[0])
	}
	typeOf := fn("pg_typeof", ts(tAny), tRegty, datumKernel(func(_ *expr.Env, t []types.T, _ []types.Datum) (types.Datum, error) {
		return types.NewInt(int64(t[0].DeclaredOID())), nil
	})).CalledOnNull().AsStable()
	typeOf.KeepsUnknown = true
	expr.RegisterFuncs(
		typeOf,
		env0("version", tText, func(*expr.Env) types.Datum {
			return types.NewText(fmt.Sprintf("PostgreSQL %s (saltsql) on %s-%s, compiled by %s, 64-bit",
				ServerVersion, runtime.GOARCH, runtime.GOOS, runtime.Version()))
		}),
		env0("current_user", tName, user), env0("session_user", tName, sessionUser), env0("user", tName, user), env0("current_role", tName, user),
		env0("current_database", tName, db), env0("current_catalog", tName, db),
		env0("current_schema", tName, schema),
		fn("current_schemas", ts(tBool), types.ArrayOf(tName), datumKernel(currentSchemas)).AsStable(),
		env0("pg_backend_pid", tInt4, func(env *expr.Env) types.Datum { return types.NewInt(int64(env.BackendPID)) }),
		fn("current_query", ts(), tText, argFree(func(env *expr.Env) (types.Datum, error) {
			if env.Session == nil {
				return types.NullDatum, noSession("current_query")
			}
			return types.NewText(env.Session.CurrentQuery()), nil
		})).AsVolatile(),
		fn("host", ts(tInet), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			addr, _ := types.InetParts(a[0].Bytes)
			return types.NewText(addr.String()), nil
		})),
		fn("family", ts(tInet), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			if addr, _ := types.InetParts(a[0].Bytes); addr.Is6() {
				return types.NewInt(6), nil
			}
			return types.NewInt(4), nil
		})),
		fn("masklen", ts(tInet), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			_, mask := types.InetParts(a[0].Bytes)
			return types.NewInt(int64(mask)), nil
		})),
		env0("pg_is_in_recovery", tBool, func(*expr.Env) types.Datum { return types.NewBool(false) }),
		fn("current_setting", ts(tText), tText, datumKernel(currentSetting)).AsStable().Reads(expr.OfParameters),
		fn("current_setting", ts(tText, tBool), tText, datumKernel(currentSetting)).AsStable().Reads(expr.OfParameters),
		fn("set_config", ts(tText, tText, tBool), tText, datumKernel(setConfig)).CalledOnNull().Changes(expr.OfParameters),
		fn("pg_sleep", ts(tFloat8), tVoid, datumKernel(sleep)).Changes(expr.OfClock),
		fn("gen_random_uuid", ts(), tUUID, argFree(func(*expr.Env) (types.Datum, error) { return randomUUID() })).AsVolatile(),
		fn("num_nonnulls", ts(tAny), tInt4, datumKernel(countNulls(false))).CalledOnNull().AsVariadic(),
		fn("num_nulls", ts(tAny), tInt4, datumKernel(countNulls(true))).CalledOnNull().AsVariadic(),
	)
}

func noSession(name string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s is not available here", name).
		WithHint("Call it in a statement of a session.")
}

func currentSchemas(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	var out []types.Datum
	if a[0].Bool {
		out = append(out, types.NewText("pg_catalog"))
	}
	for _, s := range env.SearchPath {
		if !a[0].Bool || s != "pg_catalog" {
			out = append(out, types.NewText(s))
		}
	}
	return types.NewArray(tName, out), nil
}

func currentSetting(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	name := string(a[0].Bytes)
	if env.Session != nil {
		if err := env.Session.MaySee(name); err != nil {
			return types.NullDatum, err
		}
		if v, ok := env.Session.Setting(name); ok {
			return types.NewText(v), nil
		}
	}
	if len(a) > 1 && a[1].Bool {
		return types.NullDatum, nil
	}
	return types.NullDatum, sqlerr.New(sqlerr.UndefinedObject, `unrecognized configuration parameter "%s"`, name)
}

func setConfig(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "SET requires parameter name")
	}
	if env.Session == nil {
		return types.NullDatum, noSession("set_config")
	}
	name := string(a[0].Bytes)
	if err := env.Session.SetSetting(name, string(a[1].Bytes), a[2].Bool); err != nil {
		return types.NullDatum, err
	}
	v, _ := env.Session.Setting(name)
	return types.NewText(v), nil
}

func sleep(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	d := time.Duration(min(max(a[0].Float, 0), 1e9) * float64(time.Second))
	timer := time.NewTimer(d)
	defer timer.Stop()
	var done <-chan struct{}
	if env.Ctx != nil {
		done = env.Ctx.Done()
	}
	select {
	case <-timer.C:
		return types.NewText(""), nil
	case <-done:
		return types.NullDatum, env.Ctx.Err()
	}
}

func randomUUID() (types.Datum, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return types.NullDatum, sqlerr.Internal(err, "could not generate random values")
	}
	b[6] = b[6]&0x0f | 0x40
	b[8] = b[8]&0x3f | 0x80
	return types.NewBytes(b), nil
}

func countNulls(nulls bool) datumFunc {
	return func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		n := 0
		for _, d := range a {
			n += vec.Bit(d.Null == nulls)
		}
		return types.NewInt(int64(n)), nil
	}
}
