package tochar

// Calendar arithmetic as Postgres does it, defined for the odd months and days
// that an interval's fields are.

// julian gives the Julian day number of a date; year 0 is 1 BC.
func julian(y, m, d int64) int64 {
	if m > 2 {
		m++
		y += 4800
	} else {
		m += 13
		y += 4799
	}
	century := y / 100
	return y*365 - 32167 + y/4 - century + century/4 + 7834*m/256 + d
}

// weekStart gives the Julian day of the Monday of an ISO week.
func weekStart(year, week int64) int64 {
	day4 := julian(year, 1, 4)
	return (week-1)*7 + day4 - weekday(day4-1)
}

// weekday is 0 for Sundays.
func weekday(j int64) int64 {
	return ((j+1)%7 + 7) % 7
}

// isoWeekOf gives the ISO year and week of a date.
func isoWeekOf(y, m, d int64) (year, week int64) {
	day := julian(y, m, d)
	start := weekStart(y, 1)
	year = y
	if day < start {
		year--
		start = weekStart(year, 1)
	}
	week = (day-start)/7 + 1
	if week >= 52 {
		if next := weekStart(year+1, 1); day >= next {
			year++
			week = (day-next)/7 + 1
		}
	}
	return year, week
}

// isoYearDay counts days from the first Monday of the ISO year.
func isoYearDay(y, m, d int64) int64 {
	year, _ := isoWeekOf(y, m, d)
	return julian(y, m, d) - weekStart(year, 1) + 1
}
