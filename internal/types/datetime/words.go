package datetime

type wordKind uint8

const (
	wordUnknown wordKind = iota
	wordMonth
	wordDow
	wordAmPm // 0 AM, 1 PM
	wordAdBc // 0 AD, 1 BC
	wordSpecial
	wordIgnore
	wordISOTime
	wordUnit
	wordAgo
	wordSummer // DST, an hour
)

// Special words.
const (
	spNow = iota
	spToday
	spTomorrow
	spYesterday
	spEpoch
	spInfinity
	spNegInfinity
	spAllballs
)

type unit uint8

const (
	uNone unit = iota
	uMicro
	uMilli
	uSecond
	uMinute
	uHour
	uDay
	uWeek
	uMonth
	uYear
	uDecade
	uCentury
	uMillennium
	uJulian
	uISOTime
	uOther // a unit that no text is read in
)

type word struct {
	kind wordKind
	val  int
}

// tokenLength is how much of a word counts.
const tokenLength = 10

func tokenKey(s []byte) []byte { return s[:min(len(s), tokenLength)] }

// findWord finds a word of dates and times.
func findWord(s []byte) word { return words[string(tokenKey(s))] }

// findUnit finds a word of intervals.
func findUnit(s []byte) word { return unitWords[string(tokenKey(s))] }

var words = map[string]word{
	"january": {wordMonth, 1}, "february": {wordMonth, 2}, "march": {wordMonth, 3}, "april": {wordMonth, 4},
	"may": {wordMonth, 5}, "june": {wordMonth, 6}, "july": {wordMonth, 7}, "august": {wordMonth, 8},
	"september": {wordMonth, 9}, "october": {wordMonth, 10}, "november": {wordMonth, 11}, "december": {wordMonth, 12},
	"jan": {wordMonth, 1}, "feb": {wordMonth, 2}, "mar": {wordMonth, 3}, "apr": {wordMonth, 4},
	"jun": {wordMonth, 6}, "jul": {wordMonth, 7}, "aug": {wordMonth, 8}, "sep": {wordMonth, 9}, "sept": {wordMonth, 9},
	"oct": {wordMonth, 10}, "nov": {wordMonth, 11}, "dec": {wordMonth, 12},
	"sunday": {wordDow, 0}, "monday": {wordDow, 1}, "tuesday": {wordDow, 2}, "wednesday": {wordDow, 3},
	"thursday": {wordDow, 4}, "friday": {wordDow, 5}, "saturday": {wordDow, 6},
	"sun": {wordDow, 0}, "mon": {wordDow, 1}, "tue": {wordDow, 2}, "tues": {wordDow, 2}, "wed": {wordDow, 3}, "weds": {wordDow, 3},
	"thu": {wordDow, 4}, "thur": {wordDow, 4}, "thurs": {wordDow, 4}, "fri": {wordDow, 5}, "sat": {wordDow, 6},
	"am": {wordAmPm, 0}, "pm": {wordAmPm, 1},
	"ad": {wordAdBc, 0}, "bc": {wordAdBc, 1},
	"now": {wordSpecial, spNow}, "today": {wordSpecial, spToday}, "tomorrow": {wordSpecial, spTomorrow},
	"yesterday": {wordSpecial, spYesterday}, "epoch": {wordSpecial, spEpoch}, "infinity": {wordSpecial, spInfinity},
	"-infinity": {wordSpecial, spNegInfinity}, "allballs": {wordSpecial, spAllballs},
	"at": {wordIgnore, 0}, "on": {wordIgnore, 0}, "t": {wordISOTime, 0}, "dst": {wordSummer, 3600},
	"y": {wordUnit, int(uYear)}, "m": {wordUnit, int(uMonth)}, "d": {wordUnit, int(uDay)},
	"h": {wordUnit, int(uHour)}, "mm": {wordUnit, int(uMinute)}, "s": {wordUnit, int(uSecond)},
	"j": {wordUnit, int(uJulian)}, "jd": {wordUnit, int(uJulian)}, "julian": {wordUnit, int(uJulian)},
	"dow": {wordUnit, int(uOther)}, "doy": {wordUnit, int(uOther)},
	"isodow": {wordUnit, int(uOther)}, "isoyear": {wordUnit, int(uOther)},
}

var unitWords = map[string]word{"ago": {wordAgo, 0}}

func init() {
	for u, names := range map[unit][]string{
		uMicro:      {"us", "usec", "usecs", "usecond", "useconds", "microsecon"},
		uMilli:      {"ms", "msec", "msecs", "msecond", "mseconds", "millisecon"},
		uSecond:     {"s", "sec", "secs", "second", "seconds"},
		uMinute:     {"m", "min", "mins", "minute", "minutes"},
		uHour:       {"h", "hr", "hrs", "hour", "hours"},
		uDay:        {"d", "day", "days"},
		uWeek:       {"w", "week", "weeks"},
		uMonth:      {"mon", "mons", "month", "months"},
		uYear:       {"y", "yr", "yrs", "year", "years"},
		uDecade:     {"dec", "decs", "decade", "decades"},
		uCentury:    {"c", "cent", "century", "centuries"},
		uMillennium: {"mil", "mils", "millennia", "millennium"},
		uOther:      {"qtr", "quarter", "timezone", "timezone_h", "timezone_m"},
	} {
		for _, name := range names {
			unitWords[name] = word{wordUnit, int(u)}
		}
	}
}
