package govalue

import (
	"math"
	"time"

	"github.com/saltsql/saltsql/internal/types"
)

// FromDatum gives a value as database/sql knows it: nil, bool, int64, float64,
// []byte (bytea), time.Time (date, timestamp, timestamptz), else its text.
func FromDatum(d types.Datum, t types.T, env *types.IOEnv) any {
	if d.Null {
		return nil
	}
	switch t.Kind {
	case types.Bool:
		return d.Bool
	case types.Int2, types.Int4, types.Int8, types.OID:
		return d.Int
	case types.Float4, types.Float8:
		return d.Float
	case types.Bytea:
		return append([]byte(nil), d.Bytes...)
	case types.Timestamptz, types.Timestamp, types.Date:
		if d.Int != math.MaxInt64 && d.Int != math.MinInt64 {
			switch t.Kind {
			case types.Date:
				return time.Unix(d.Int*86400, 0).UTC()
			case types.Timestamp:
				return time.UnixMicro(d.Int).UTC()
			}
			return time.UnixMicro(d.Int).In(env.TimeZone)
		}
	}
	return string(types.AppendText(nil, t, d, env))
}
