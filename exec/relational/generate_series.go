package relational

import (
	"math"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
	"github.com/saltsql/saltsql/internal/vec"
)

func zeroStep() error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "step size cannot equal zero")
}

// newSeries makes generate_series(start, stop [, step]) of type t.
func newSeries(env *expr.Env, t types.T, args []types.Datum) (series, error) {
	switch t.Kind {
	case types.Int4, types.Int8:
		s := &intSeries{at: args[0].Int, stop: args[1].Int, step: 1, min: math.MinInt64, max: math.MaxInt64}
		if t.Kind == types.Int4 {
			s.min, s.max = math.MinInt32, math.MaxInt32
		}
		if len(args) == 3 {
			s.step = args[2].Int
		}
		if s.step == 0 {
			return nil, zeroStep()
		}
		return s, nil
	case types.Numeric:
		return newNumericSeries(args)
	case types.Timestamp, types.Timestamptz:
		s := &timeSeries{at: args[0].Int, stop: args[1].Int, step: args[2].Interval, loc: time.UTC}
		if t.Kind == types.Timestamptz && env != nil && env.TimeZone != nil {
			s.loc = env.TimeZone
		}
		s.sign = types.CompareInterval(s.step, types.IntervalValue{})
		if s.sign == 0 {
			return nil, zeroStep()
		}
		return s, nil
	}
	return nil, sqlerr.Internal(nil, "generate_series of %s", t)
}

type intSeries struct {
	at, stop, step int64
	min, max       int64
	done           bool
}

func (s *intSeries) next(cols []*vec.Vec, i int) (bool, error) {
	if s.done || s.step > 0 && s.at > s.stop || s.step < 0 && s.at < s.stop {
		return false, nil
	}
	cols[0].Ints[i] = s.at
	// A step beyond the type's range ends the series.
	if s.step > 0 && s.at > s.max-s.step || s.step < 0 && s.at < s.min-s.step {
		s.done = true
	} else {
		s.at += s.step
	}
	return true, nil
}

type numericSeries struct {
	at, stop, step apd.Decimal
	sign           int
}

func newNumericSeries(args []types.Datum) (series, error) {
	s := &numericSeries{}
	step := numeric.New(1, 0)
	if len(args) == 3 {
		step = args[2].Decimal
	}
	for i, what := range []string{"start", "stop", "step"} {
		d := step
		if i < 2 {
			d = args[i].Decimal
		}
		name := what + " value"
		if what == "step" {
			name = "step size"
		}
		if numeric.IsNaN(d) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s cannot be NaN", name)
		}
		if !numeric.IsFinite(d) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "%s cannot be infinity", name)
		}
	}
	s.at.Set(args[0].Decimal)
	s.stop.Set(args[1].Decimal)
	s.step.Set(step)
	if s.sign = numeric.Sign(step); s.sign == 0 {
		return nil, zeroStep()
	}
	return s, nil
}

func (s *numericSeries) next(cols []*vec.Vec, i int) (bool, error) {
	if numeric.Cmp(&s.at, &s.stop)*s.sign > 0 {
		return false, nil
	}
	cols[0].Decimals[i].Set(&s.at)
	var sum apd.Decimal
	if err := numeric.Add(&sum, &s.at, &s.step); err != nil {
		return false, err
	}
	s.at.Set(&sum)
	return true, nil
}

// timeSeries adds an interval: months and days by the calendar of the time
// zone, then the rest.
type timeSeries struct {
	at, stop int64
	step     types.IntervalValue
	sign     int
	loc      *time.Location
	done     bool
}

func (s *timeSeries) next(cols []*vec.Vec, i int) (bool, error) {
	if s.done || s.sign > 0 && s.at > s.stop || s.sign < 0 && s.at < s.stop {
		return false, nil
	}
	cols[0].Ints[i] = s.at
	if datetime.IsInf(s.at) {
		s.done = true // it would never get anywhere
		return true, nil
	}
	next, err := addInterval(s.at, s.step, s.loc)
	s.at = next
	return true, err
}

func addInterval(ts int64, iv types.IntervalValue, loc *time.Location) (int64, error) {
	if iv.Months != 0 || iv.Days != 0 {
		local := ts
		if loc != time.UTC {
			_, off := time.UnixMicro(ts).In(loc).Zone()
			local += int64(off) * 1e6
		}
		var ok bool
		if local, ok = datetime.AddMonths(local, iv.Months); !ok {
			return 0, datetime.TimestampOutOfRange()
		}
		local += int64(iv.Days) * datetime.MicrosPerDay
		ts = local
		if loc != time.UTC {
			t := time.UnixMicro(local).UTC()
			ts = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc).UnixMicro()
		}
	}
	ts += iv.Micros
	if !datetime.ValidTimestamp(ts) {
		return 0, datetime.TimestampOutOfRange()
	}
	return ts, nil
}
