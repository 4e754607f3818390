package builtin

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// Short names of types.
var (
	tBool   = types.Of(types.Bool)
	tInt2   = types.Of(types.Int2)
	tInt4   = types.Of(types.Int4)
	tInt8   = types.Of(types.Int8)
	tFloat4 = types.Of(types.Float4)
	tFloat8 = types.Of(types.Float8)
	tNum    = types.Of(types.Numeric)
	tText   = types.Of(types.Text)
	tBpchar = types.Of(types.Bpchar)
	tName   = types.Of(types.Name)
	tChar   = types.Of(types.CharOne)
	tBytea  = types.Of(types.Bytea)
	tUUID   = types.Of(types.UUID)
	tDate   = types.Of(types.Date)
	tTime   = types.Of(types.Time)
	tTS     = types.Of(types.Timestamp)
	tTSTZ   = types.Of(types.Timestamptz)
	tInt    = types.Of(types.Interval)
	tJSON   = types.Of(types.JSON)
	tJSONB  = types.Of(types.JSONB)
	tPath   = types.Of(types.JSONPath)
	tOID    = types.Of(types.OID)
	tRegcl  = types.Of(types.Regclass)
	tRegty  = types.Of(types.Regtype)
	tOidvec = types.Of(types.Oidvector)
	tXID    = types.Of(types.XID)
	tTID    = types.Of(types.TID)
	tLSN    = types.Of(types.PgLSN)
	tInet   = types.Of(types.Inet)
	tVoid   = types.Of(types.Void)
	tUnk    = types.Of(types.Unknown)
	tTexts  = types.ArrayOf(tText)
	tAnyEl  = types.Of(expr.KindAnyElement)
	tAnyArr = types.Of(expr.KindAnyArray)
	tCompat = types.Of(expr.KindAnyCompatible)
	tCompAr = types.Of(expr.KindAnyCompatibleArray)
	tAny    = types.Of(expr.KindAny)
	tNonArr = types.Of(expr.KindAnyNonArray)
	tAnyEn  = types.Of(expr.KindAnyEnum)
)

// ts lists argument types.
func ts(args ...types.T) []types.T { return args }

// fn makes an overload of a function: strict and immutable unless changed.
func fn(name string, args []types.T, res types.T, k expr.Kernel) *expr.Func {
	f := expr.NewFunc(name, args, res, k)
	f.Need = needs[name]
	return f
}

// setFn lists an overload of a set-returning function; cols without a name are one column.
func setFn(name string, args []types.T, rows expr.RowsFunc, cols ...expr.SetColumn) *expr.SetFunc {
	f := expr.RegisterSet(name, args, rows, cols...)
	f.Sig.Need = needs[name]
	return f
}

type ival = types.IntervalValue
