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

// abbreviations are offsets in minutes of Postgres's Default set that clients
// meet.
var abbreviations = map[string]int{
	"z": 0, "zulu": 0, "utc": 0, "ut": 0, "uct": 0, "gmt": 0, "wet": 0,
	"west": 60, "bst": 60, "cet": 60, "met": 60, "mez": 60, "cest": 120, "cetdst": 120, "mest": 120, "mesz": 120, "metdst": 120,
	"eet": 120, "sast": 120, "eest": 180, "eetdst": 180, "msk": 180, "msd": 240, "eat": 180,
	"ist": 120, "idt": 180, "pkt": 300, "npt": 345, "ict": 420, "wib": 420, "hkt": 480, "sgt": 480, "awst": 480, "pht": 480,
	"jst": 540, "kst": 540, "acst": 570, "acsst": 630, "acdt": 630, "aest": 600, "aesst": 660, "aedt": 660,
	"nzst": 720, "nzt": 720, "nzdt": 780,
	"nst": -210, "ndt": -150, "ast": -240, "adt": -180, "art": -180, "brt": -180, "brst": -120, "clt": -240, "clst": -180,
	"est": -300, "edt": -240, "cst": -360, "cdt": -300, "mst": -420, "mdt": -360,
	"pst": -480, "pdt": -420, "akst": -540, "akdt": -480, "hst": -600,
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
	if off, ok := abbreviations[key]; ok {
		return time.FixedZone(strings.ToUpper(key), off*60)
	}
	return regionZone(name, key)
}

// regionZone finds a zone in the system's files; key is its name in lower case.
func regionZone(name, key string) *time.Location {
	if key == "" || key == "local" || key[0] < 'a' || key[0] > 'z' || len(key) > 64 {
		return nil
	}
	for _, try := range []string{name, titleZone(key), strings.ToUpper(key)} {
		if loc, err := time.LoadLocation(try); err == nil {
			return loc
		}
	}
	return nil
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

// parseOffset reads ±h, ±hh, ±hhmm, ±hh:mm, ±hh:mm:ss into seconds.
func parseOffset(s string) (int, bool) {
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	var parts [3]int
	body := s[1:]
	if !strings.Contains(body, ":") && len(body) > 2 {
		if len(body) == 3 {
			body = "0" + body
		}
		switch len(body) {
		case 4:
			body = body[:2] + ":" + body[2:]
		case 6:
			body = body[:2] + ":" + body[2:4] + ":" + body[4:]
		default:
			return 0, false
		}
	}
	for i, p := range strings.Split(body, ":") {
		if i > 2 || p == "" || len(p) > 2 {
			return 0, false
		}
		for _, c := range p {
			if c < '0' || c > '9' {
				return 0, false
			}
			parts[i] = parts[i]*10 + int(c-'0')
		}
	}
	if parts[0] > 15 || parts[1] > 59 || parts[2] > 59 {
		return 0, false
	}
	off := parts[0]*3600 + parts[1]*60 + parts[2]
	if s[0] == '-' {
		off = -off
	}
	return off, true
}
