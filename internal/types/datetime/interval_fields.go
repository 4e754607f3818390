package datetime

// IntervalFields are the fields that an interval type keeps, as in its modifier.
type IntervalFields int32

const (
	MonthField  IntervalFields = 1 << 1
	YearField   IntervalFields = 1 << 2
	DayField    IntervalFields = 1 << 3
	HourField   IntervalFields = 1 << 10
	MinuteField IntervalFields = 1 << 11
	SecondField IntervalFields = 1 << 12
	// AllFields is a type that names none.
	AllFields IntervalFields = 0x7fff
)

// fieldUnits are the fields from the smallest.
var fieldUnits = []struct {
	f    IntervalFields
	u    unit
	name string
}{
	{SecondField, uSecond, "second"}, {MinuteField, uMinute, "minute"}, {HourField, uHour, "hour"},
	{DayField, uDay, "day"}, {MonthField, uMonth, "month"}, {YearField, uYear, "year"},
}

// last is the smallest field.
func (f IntervalFields) last() unit {
	for _, u := range fieldUnits {
		if f&u.f != 0 {
			return u.u
		}
	}
	return uSecond
}

// String writes the fields as a type's name has them: hour to minute.
func (f IntervalFields) String() string {
	if f == AllFields {
		return ""
	}
	small, large := "", ""
	for _, u := range fieldUnits {
		if f&u.f != 0 {
			if small == "" {
				small = u.name
			}
			large = u.name
		}
	}
	if small == large {
		return small
	}
	return large + " to " + small
}

// Keep cuts what is smaller than the last of the fields, towards zero.
func (f IntervalFields) Keep(v Span) Span {
	cut := func(unit int64) { v.Micros -= v.Micros % unit }
	switch f.last() {
	case uYear:
		v.Months -= v.Months % 12
		v.Days, v.Micros = 0, 0
	case uMonth:
		v.Days, v.Micros = 0, 0
	case uDay:
		v.Micros = 0
	case uHour:
		cut(MicrosPerHour)
	case uMinute:
		cut(MicrosPerMinute)
	}
	return v
}
