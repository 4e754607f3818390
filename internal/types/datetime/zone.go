package datetime

import (
	"strings"
	"sync"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// OffsetAt gives the offset of loc from UTC in seconds, east positive, at a
// finite timestamptz.
func OffsetAt(ts int64, loc *time.Location) int {
	if loc == time.UTC {
		return 0
	}
	_, off := time.Unix(floorDiv(ts, MicrosPerSecond), 0).In(loc).Zone()
	return off
}

// LocalToUTC gives the instant at which the clocks of loc show local. In a gap
// the time is read with the offset before it, in a repeated hour with the one
// after it, as Postgres does.
func LocalToUTC(local int64, loc *time.Location) int64 {
	if loc == time.UTC || IsInf(local) {
		return local
	}
	before := int64(OffsetAt(local-MicrosPerDay, loc)) * MicrosPerSecond
	after := int64(OffsetAt(local+MicrosPerDay, loc)) * MicrosPerSecond
	if before == after {
		return local - before
	}
	if int64(OffsetAt(local-after, loc))*MicrosPerSecond == after {
		return local - after
	}
	return local - before
}

// UTCToLocal gives what the clocks of loc show.
func UTCToLocal(ts int64, loc *time.Location) int64 {
	if IsInf(ts) {
		return ts
	}
	return ts + int64(OffsetAt(ts, loc))*MicrosPerSecond
}

// ToZone gives what clocks show at an instant, in µs, by the name of a zone or by an abbreviation,
// which may have meant another offset then: 22023 if there is none.
func ToZone(ts int64, zone string) (int64, error) {
	return byZone(ts, zone, UTCToLocal, func(name []byte, loc *time.Location) int64 {
		return ts + int64(meaning(floorDiv(ts, MicrosPerSecond), OffsetAt(ts, loc), name, loc))*MicrosPerSecond
	})
}

// FromZone gives the instant at which clocks show local: ToZone the other way.
func FromZone(local int64, zone string) (int64, error) {
	return byZone(local, zone, LocalToUTC, func(name []byte, loc *time.Location) int64 {
		return local - int64(abbreviatedOffset(floorDiv(local, MicrosPerSecond), name, loc))*MicrosPerSecond
	})
}

// FromSignedZone is FromZone where a number is one of hours, minutes and seconds with its sign, and
// positive is east, as in a timestamp: 22023 for one without a sign, or out of range.
func FromSignedZone(local int64, zone string) (int64, error) {
	if zone != "" && isDigit(zone[0]) {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, `invalid input syntax for type numeric time zone: "%s"`, zone).
			WithHint(`Numeric time zones must have "-" or "+" as first character.`)
	}
	switch off, p := readOffset([]byte(zone)); p {
	case good:
		return local - int64(off)*MicrosPerSecond, nil
	case zoneOverflow:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, `numeric time zone "%s" out of range`, zone)
	}
	return FromZone(local, zone)
}

func byZone(ts int64, zone string, convert func(int64, *time.Location) int64, dynamic func([]byte, *time.Location) int64) (int64, error) {
	if IsInf(ts) {
		return ts, nil
	}
	loc, err := LoadZone(zone)
	if err != nil {
		return 0, err
	}
	name := []byte(strings.ToLower(strings.TrimSpace(zone)))
	if a, ok := findAbbreviation(name); ok && a.zone != "" {
		return dynamic(name, loc), nil
	}
	return convert(ts, loc), nil
}

var zones sync.Map // lower-case name -> *time.Location, known names only

// LoadZone finds a time zone by name, without regard to case: a region
// (Europe/Berlin), an abbreviation (PST), or as POSIX writes it (UTC+3, -05:30:
// positive is west). 22023 if there is none.
func LoadZone(name string) (*time.Location, error) {
	key := strings.ToLower(strings.TrimSpace(name))
	if key == "utc" || key == "gmt" || key == "z" || key == "zulu" {
		return time.UTC, nil
	}
	if loc, ok := zones.Load(key); ok {
		return loc.(*time.Location), nil
	}
	if loc := findZone(strings.TrimSpace(name), key); loc != nil {
		zones.Store(key, loc)
		return loc, nil
	}
	if loc, ok := posixZone(name); ok {
		return loc, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidParameterValue, `time zone "%s" not recognized`, name)
}

func findZone(name, key string) *time.Location {
	if a, ok := findAbbreviation([]byte(key)); ok {
		if a.zone != "" {
			return regionZone(a.zone, strings.ToLower(a.zone))
		}
		return time.FixedZone(strings.ToUpper(key), a.offset)
	}
	return regionZone(name, key)
}

// zoneInText finds a zone by its name in lower case, of a region or as POSIX writes it; nil
// if there is none.
func zoneInText(name []byte) *time.Location {
	if loc, ok := regions.Load(string(name)); ok {
		return loc.(*time.Location)
	}
	key := string(name)
	if key == "gmt" {
		return time.UTC
	}
	if loc := regionZone(key, key); loc != nil {
		return loc
	}
	if loc, ok := posixZone(strings.ToUpper(key)); ok {
		return loc
	}
	return nil
}

var regions sync.Map // name in lower case -> *time.Location, known names only

// regionZone finds a zone in the system's files; key is its name in lower case.
func regionZone(name, key string) *time.Location {
	if key == "" || key == "local" || key[0] < 'a' || key[0] > 'z' || len(key) > 64 {
		return nil
	}
	if loc, ok := regions.Load(key); ok {
		return loc.(*time.Location)
	}
	for _, try := range []string{name, titleZone(key), strings.ToUpper(key), oddZones[key]} {
		if try == "" {
			continue
		}
		if loc, err := time.LoadLocation(try); err == nil {
			regions.Store(key, loc)
			return loc
		}
	}
	return nil
}

// oddZones are the regions whose names have capitals where titleZone has none, or none where
// it has them.
var oddZones = map[string]string{
	"america/argentina/comodrivadavia": "America/Argentina/ComodRivadavia", "america/knox_in": "America/Knox_IN",
	"america/port-au-prince": "America/Port-au-Prince", "antarctica/dumontdurville": "Antarctica/DumontDUrville",
	"antarctica/mcmurdo": "Antarctica/McMurdo", "australia/act": "Australia/ACT", "australia/lhi": "Australia/LHI",
	"australia/nsw": "Australia/NSW", "brazil/denoronha": "Brazil/DeNoronha", "chile/easterisland": "Chile/EasterIsland",
	"etc/gmt": "Etc/GMT", "etc/gmt+0": "Etc/GMT+0", "etc/gmt+1": "Etc/GMT+1", "etc/gmt+10": "Etc/GMT+10",
	"etc/gmt+11": "Etc/GMT+11", "etc/gmt+12": "Etc/GMT+12", "etc/gmt+2": "Etc/GMT+2", "etc/gmt+3": "Etc/GMT+3",
	"etc/gmt+4": "Etc/GMT+4", "etc/gmt+5": "Etc/GMT+5", "etc/gmt+6": "Etc/GMT+6", "etc/gmt+7": "Etc/GMT+7",
	"etc/gmt+8": "Etc/GMT+8", "etc/gmt+9": "Etc/GMT+9", "etc/gmt-0": "Etc/GMT-0", "etc/gmt-1": "Etc/GMT-1",
	"etc/gmt-10": "Etc/GMT-10", "etc/gmt-11": "Etc/GMT-11", "etc/gmt-12": "Etc/GMT-12", "etc/gmt-13": "Etc/GMT-13",
	"etc/gmt-14": "Etc/GMT-14", "etc/gmt-2": "Etc/GMT-2", "etc/gmt-3": "Etc/GMT-3", "etc/gmt-4": "Etc/GMT-4",
	"etc/gmt-5": "Etc/GMT-5", "etc/gmt-6": "Etc/GMT-6", "etc/gmt-7": "Etc/GMT-7", "etc/gmt-8": "Etc/GMT-8",
	"etc/gmt-9": "Etc/GMT-9", "etc/gmt0": "Etc/GMT0", "etc/uct": "Etc/UCT", "etc/utc": "Etc/UTC", "gb-eire": "GB-Eire",
	"mexico/bajanorte": "Mexico/BajaNorte", "mexico/bajasur": "Mexico/BajaSur", "us/alaska": "US/Alaska",
	"us/aleutian": "US/Aleutian", "us/arizona": "US/Arizona", "us/central": "US/Central",
	"us/east-indiana": "US/East-Indiana", "us/eastern": "US/Eastern", "us/hawaii": "US/Hawaii",
	"us/indiana-starke": "US/Indiana-Starke", "us/michigan": "US/Michigan", "us/mountain": "US/Mountain",
	"us/pacific": "US/Pacific", "us/samoa": "US/Samoa",
}

// titleZone writes america/port_of_spain as tzdata does.
func titleZone(key string) string {
	b := []byte(key)
	start := true
	for i, c := range b {
		word := b[i:]
		if start && c >= 'a' && c <= 'z' && !hasWord(word, "of") && !hasWord(word, "es") {
			b[i] = c - 'a' + 'A'
		}
		start = c == '/' || c == '_' || c == '-'
	}
	return string(b)
}

func hasWord(b []byte, w string) bool {
	return len(b) > len(w) && string(b[:len(w)]) == w && b[len(w)] == '_'
}
