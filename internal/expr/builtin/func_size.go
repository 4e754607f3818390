package builtin

import (
	"math/big"
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

func init() {
	expr.RegisterFuncs(
		fn("pg_size_pretty", ts(tInt8), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return types.NewText(prettySize(big.NewInt(a[0].Int))), nil
		})),
		fn("pg_size_pretty", ts(tNum), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			x := a[0].Decimal
			if !numeric.IsFinite(x) {
				return types.NewText(numeric.String(x) + " " + sizeUnits[len(sizeUnits)-1]), nil
			}
			var whole apd.Decimal
			if err := numeric.Trunc(&whole, x, 0); err != nil {
				return types.NullDatum, err
			}
			n, ok := new(big.Int).SetString(numeric.String(&whole), 10)
			if !ok {
				return types.NullDatum, sqlerr.Internal(nil, "pg_size_pretty of %s", numeric.String(x))
			}
			if new(big.Int).Abs(n).Cmp(big.NewInt(10<<10)) < 0 {
				return types.NewText(numeric.String(x) + " bytes"), nil
			}
			return types.NewText(prettySize(n)), nil
		})),
		fn("pg_size_bytes", ts(tText), tInt8, datumKernel(sizeBytes)),
	)
}

var sizeUnits = []string{"bytes", "kB", "MB", "GB", "TB", "PB"}

// prettySize goes to the next unit at 10240 bytes, and then at 10240 rounded ones.
func prettySize(n *big.Int) string {
	if new(big.Int).Abs(n).Cmp(big.NewInt(10<<10)) < 0 {
		return n.String() + " bytes"
	}
	half := new(big.Int).Quo(n, big.NewInt(1<<9)) // in halves of the unit
	for i, unit := range sizeUnits[1:] {
		if i == len(sizeUnits)-2 || new(big.Int).Abs(half).Cmp(big.NewInt(20<<10-1)) < 0 {
			half.Add(half, big.NewInt(int64(half.Sign())))
			return half.Quo(half, big.NewInt(2)).String() + " " + unit
		}
		half.Quo(half, big.NewInt(1<<10))
	}
	return "" // not reached: the last unit takes all
}

func sizeBytes(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	text := string(a[0].Bytes)
	s := strings.TrimSpace(text)
	i := 0
	digits := func() bool {
		from := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		return i > from
	}
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	some := digits()
	if i < len(s) && s[i] == '.' {
		i++
		some = digits() || some
	}
	if !some {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "invalid size: \"%s\"", text)
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		back := i
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if !digits() {
			i = back
		}
	}
	var x apd.Decimal
	if err := numeric.Parse(&x, s[:i]); err != nil {
		return types.NullDatum, err
	}
	if unit := strings.TrimSpace(s[i:]); unit != "" {
		k := 0
		for k < len(sizeUnits) && !strings.EqualFold(unit, sizeUnits[k]) {
			k++
		}
		if k == len(sizeUnits) {
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "invalid size: \"%s\"", text).
				WithDetail("Invalid size unit: \"%s\".", unit).
				WithHint("Valid units are \"bytes\", \"kB\", \"MB\", \"GB\", \"TB\", and \"PB\".")
		}
		if err := numeric.Mul(&x, &x, apd.New(1<<(10*k), 0)); err != nil {
			return types.NullDatum, err
		}
	}
	return eval.CastDatum(nil, types.NewDecimal(&x), tNum, tInt8, expr.Explicit)
}
