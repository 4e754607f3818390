package tochar

// field is what a pattern of a date template stands for.
type field uint8

const (
	noField field = iota
	fAD           // AD, BC
	fADDots       // A.D., B.C.
	fAM           // AM, PM
	fAMDots       // A.M., P.M.
	fCC
	fDay
	fDDD
	fDD
	fDy
	fD
	fFraction // FF1 to FF6: digits is how many
	fFX
	fHH24
	fHH12
	fIDDD
	fID
	fIW
	fIYear // IYYY to I: digits is how many
	fJ
	fMI
	fMM
	fMonth
	fMon
	fMS
	fOF
	fQ
	fRM
	fSSSS
	fSS
	fTZH
	fTZM
	fTZ
	fUS
	fWW
	fW
	fCommaYear
	fYear // YYYY to Y: digits is how many
)

// calendar says which way of counting days a field belongs to; one template
// may not mix them when it reads.
type calendar uint8

const (
	anyCalendar calendar = iota
	gregorian
	isoWeek
)

// letterCase is how a name is written.
type letterCase uint8

const (
	upper letterCase = iota
	title
	lower
)

type keyword struct {
	name     string
	field    field
	digits   int
	numeric  bool // reads digits
	calendar calendar
	letters  letterCase
}

// dateKeywords are tried in order: a name stands before its own beginnings.
var dateKeywords = buildKeywords()

func buildKeywords() []keyword {
	either := []keyword{ // written in capitals or in small letters
		{name: "A.D.", field: fADDots}, {name: "A.M.", field: fAMDots},
		{name: "AD", field: fAD}, {name: "AM", field: fAM},
		{name: "B.C.", field: fADDots}, {name: "BC", field: fAD},
		{name: "CC", field: fCC, numeric: true},
		{name: "DAY", field: fDay},
		{name: "DDD", field: fDDD, numeric: true, calendar: gregorian},
		{name: "DD", field: fDD, numeric: true, calendar: gregorian},
		{name: "DY", field: fDy},
		{name: "D", field: fD, numeric: true, calendar: gregorian},
		{name: "FF1", field: fFraction, digits: 1, numeric: true}, {name: "FF2", field: fFraction, digits: 2, numeric: true},
		{name: "FF3", field: fFraction, digits: 3, numeric: true}, {name: "FF4", field: fFraction, digits: 4, numeric: true},
		{name: "FF5", field: fFraction, digits: 5, numeric: true}, {name: "FF6", field: fFraction, digits: 6, numeric: true},
		{name: "FX", field: fFX},
		{name: "HH24", field: fHH24, numeric: true}, {name: "HH12", field: fHH12, numeric: true}, {name: "HH", field: fHH12, numeric: true},
		{name: "IDDD", field: fIDDD, numeric: true, calendar: isoWeek},
		{name: "ID", field: fID, numeric: true, calendar: isoWeek},
		{name: "IW", field: fIW, numeric: true, calendar: isoWeek},
		{name: "IYYY", field: fIYear, digits: 4, numeric: true, calendar: isoWeek},
		{name: "IYY", field: fIYear, digits: 3, numeric: true, calendar: isoWeek},
		{name: "IY", field: fIYear, digits: 2, numeric: true, calendar: isoWeek},
		{name: "I", field: fIYear, digits: 1, numeric: true, calendar: isoWeek},
		{name: "J", field: fJ, numeric: true},
		{name: "MI", field: fMI, numeric: true},
		{name: "MM", field: fMM, numeric: true, calendar: gregorian},
		{name: "MONTH", field: fMonth, calendar: gregorian},
		{name: "MON", field: fMon, calendar: gregorian},
		{name: "MS", field: fMS, numeric: true},
		{name: "OF", field: fOF},
		{name: "P.M.", field: fAMDots}, {name: "PM", field: fAM},
		{name: "Q", field: fQ, numeric: true},
		{name: "RM", field: fRM, calendar: gregorian},
		{name: "SSSSS", field: fSSSS, numeric: true}, {name: "SSSS", field: fSSSS, numeric: true}, {name: "SS", field: fSS, numeric: true},
		{name: "TZH", field: fTZH}, {name: "TZM", field: fTZM, numeric: true}, {name: "TZ", field: fTZ},
		{name: "US", field: fUS, numeric: true},
		{name: "WW", field: fWW, numeric: true, calendar: gregorian},
		{name: "W", field: fW, numeric: true, calendar: gregorian},
		{name: "Y,YYY", field: fCommaYear, numeric: true, calendar: gregorian},
		{name: "YYYY", field: fYear, digits: 4, numeric: true, calendar: gregorian},
		{name: "YYY", field: fYear, digits: 3, numeric: true, calendar: gregorian},
		{name: "YY", field: fYear, digits: 2, numeric: true, calendar: gregorian},
		{name: "Y", field: fYear, digits: 1, numeric: true, calendar: gregorian},
	}
	all := []keyword{
		{name: "Day", field: fDay, letters: title}, {name: "Dy", field: fDy, letters: title},
		{name: "Month", field: fMonth, calendar: gregorian, letters: title}, {name: "Mon", field: fMon, calendar: gregorian, letters: title},
	}
	all = append(all, either...)
	for _, k := range either {
		k.name, k.letters = lowerASCII(k.name), lower
		all = append(all, k)
	}
	return all
}

func lowerASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
