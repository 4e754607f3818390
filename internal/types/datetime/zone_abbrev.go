package datetime

import (
	"slices"
	"strings"
	"time"
)

// abbreviation is a short name of a zone: an offset east of Greenwich in seconds, or the
// region whose history says what the name meant at a time.
type abbreviation struct {
	offset int
	dst    bool
	zone   string
}

// abbreviations are those of the set Default of timezone_abbreviations.
var abbreviations = map[string]abbreviation{
	"acdt": {offset: 37800, dst: true}, "acsst": {offset: 37800, dst: true}, "acst": {offset: 34200},
	"act": {offset: -18000}, "acwst": {offset: 31500}, "adt": {offset: -10800, dst: true},
	"aedt": {offset: 39600, dst: true}, "aesst": {offset: 39600, dst: true}, "aest": {offset: 36000},
	"aft": {offset: 16200}, "akdt": {offset: -28800, dst: true}, "akst": {offset: -32400},
	"almst": {offset: 25200, dst: true}, "almt": {offset: 21600}, "amt": {offset: -14400}, "ast": {offset: -14400},
	"awsst": {offset: 32400, dst: true}, "awst": {offset: 28800}, "azost": {offset: 0, dst: true},
	"azot": {offset: -3600}, "bdst": {offset: 7200, dst: true}, "bdt": {offset: 21600}, "bnt": {offset: 28800},
	"bort": {offset: 28800}, "bot": {offset: -14400}, "bra": {offset: -10800}, "brst": {offset: -7200, dst: true},
	"brt": {offset: -10800}, "bst": {offset: 3600, dst: true}, "btt": {offset: 21600},
	"cadt": {offset: 37800, dst: true}, "cast": {offset: 34200}, "cct": {offset: 28800},
	"cdt": {offset: -18000, dst: true}, "cest": {offset: 7200, dst: true}, "cet": {offset: 3600},
	"cetdst": {offset: 7200, dst: true}, "chadt": {offset: 49500, dst: true}, "chast": {offset: 45900},
	"chut": {offset: 36000}, "clst": {offset: -10800, dst: true}, "cot": {offset: -18000}, "cst": {offset: -21600},
	"cxt": {offset: 25200}, "ddut": {offset: 36000}, "eat": {offset: 10800}, "edt": {offset: -14400, dst: true},
	"eest": {offset: 10800, dst: true}, "eet": {offset: 7200}, "eetdst": {offset: 10800, dst: true},
	"egst": {offset: 0, dst: true}, "egt": {offset: -3600}, "est": {offset: -18000}, "fet": {offset: 10800},
	"fjst": {offset: 46800, dst: true}, "fjt": {offset: 43200}, "fnst": {offset: -3600, dst: true},
	"fnt": {offset: -7200}, "galt": {offset: -21600}, "gamt": {offset: -32400}, "gft": {offset: -10800},
	"gilt": {offset: 43200}, "gmt": {offset: 0}, "hkt": {offset: 28800}, "hst": {offset: -36000}, "ict": {offset: 25200},
	"idt": {offset: 10800, dst: true}, "irt": {offset: 12600}, "ist": {offset: 7200}, "jayt": {offset: 32400},
	"jst": {offset: 32400}, "kdt": {offset: 36000, dst: true}, "kgst": {offset: 21600, dst: true},
	"kst": {offset: 32400}, "lhst": {offset: 37800}, "ligt": {offset: 36000}, "mart": {offset: -34200},
	"mdt": {offset: -21600, dst: true}, "mest": {offset: 7200, dst: true}, "mesz": {offset: 7200, dst: true},
	"met": {offset: 3600}, "metdst": {offset: 7200, dst: true}, "mez": {offset: 3600}, "mht": {offset: 43200},
	"mmt": {offset: 23400}, "mpt": {offset: 36000}, "msd": {offset: 14400, dst: true}, "mst": {offset: -25200},
	"must": {offset: 18000, dst: true}, "mut": {offset: 14400}, "mvt": {offset: 18000}, "myt": {offset: 28800},
	"ndt": {offset: -9000, dst: true}, "nft": {offset: -12600}, "npt": {offset: 20700}, "nst": {offset: -12600},
	"nzdt": {offset: 46800, dst: true}, "nzst": {offset: 43200}, "nzt": {offset: 43200},
	"pdt": {offset: -25200, dst: true}, "pet": {offset: -18000}, "pgt": {offset: 36000}, "pht": {offset: 28800},
	"pkst": {offset: 21600, dst: true}, "pkt": {offset: 18000}, "pmdt": {offset: -7200, dst: true},
	"pmst": {offset: -10800}, "pont": {offset: 39600}, "pst": {offset: -28800}, "pwt": {offset: 32400},
	"pyst": {offset: -10800, dst: true}, "ret": {offset: 14400}, "sadt": {offset: 37800, dst: true},
	"sast": {offset: 7200}, "sct": {offset: 14400}, "taht": {offset: -36000}, "tft": {offset: 18000},
	"tjt": {offset: 18000}, "tot": {offset: 46800}, "trut": {offset: 36000}, "tvt": {offset: 43200}, "uct": {offset: 0},
	"ulast": {offset: 32400, dst: true}, "ut": {offset: 0}, "utc": {offset: 0}, "uyst": {offset: -7200, dst: true},
	"uyt": {offset: -10800}, "uzst": {offset: 21600, dst: true}, "uzt": {offset: 18000}, "vut": {offset: 39600},
	"wadt": {offset: 28800, dst: true}, "wakt": {offset: 43200}, "wast": {offset: 25200}, "wat": {offset: 3600},
	"wdt": {offset: 32400, dst: true}, "wet": {offset: 0}, "wetdst": {offset: 3600, dst: true}, "wft": {offset: 43200},
	"wgst": {offset: -7200, dst: true}, "wgt": {offset: -10800}, "xjt": {offset: 21600}, "yapt": {offset: 36000},
	"yekst": {offset: 21600, dst: true}, "z": {offset: 0}, "zulu": {offset: 0},

	"amst": {zone: "Asia/Yerevan"}, "anast": {zone: "Asia/Anadyr"}, "anat": {zone: "Asia/Anadyr"},
	"arst": {zone: "America/Argentina/Buenos_Aires"}, "art": {zone: "America/Argentina/Buenos_Aires"},
	"azst": {zone: "Asia/Baku"}, "azt": {zone: "Asia/Baku"}, "ckt": {zone: "Pacific/Rarotonga"},
	"clt": {zone: "America/Santiago"}, "davt": {zone: "Antarctica/Davis"}, "easst": {zone: "Pacific/Easter"},
	"east": {zone: "Pacific/Easter"}, "fkst": {zone: "Atlantic/Stanley"}, "fkt": {zone: "Atlantic/Stanley"},
	"gest": {zone: "Asia/Tbilisi"}, "get": {zone: "Asia/Tbilisi"}, "gyt": {zone: "America/Guyana"},
	"iot": {zone: "Indian/Chagos"}, "irkst": {zone: "Asia/Irkutsk"}, "irkt": {zone: "Asia/Irkutsk"},
	"kgt": {zone: "Asia/Bishkek"}, "kost": {zone: "Pacific/Kosrae"}, "krast": {zone: "Asia/Krasnoyarsk"},
	"krat": {zone: "Asia/Krasnoyarsk"}, "lhdt": {zone: "Australia/Lord_Howe"}, "lint": {zone: "Pacific/Kiritimati"},
	"lkt": {zone: "Asia/Colombo"}, "magst": {zone: "Asia/Magadan"}, "magt": {zone: "Asia/Magadan"},
	"mawt": {zone: "Antarctica/Mawson"}, "msk": {zone: "Europe/Moscow"}, "novst": {zone: "Asia/Novosibirsk"},
	"novt": {zone: "Asia/Novosibirsk"}, "nut": {zone: "Pacific/Niue"}, "omsst": {zone: "Asia/Omsk"},
	"omst": {zone: "Asia/Omsk"}, "petst": {zone: "Asia/Kamchatka"}, "pett": {zone: "Asia/Kamchatka"},
	"pyt": {zone: "America/Asuncion"}, "sgt": {zone: "Asia/Singapore"}, "tkt": {zone: "Pacific/Fakaofo"},
	"tmt": {zone: "Asia/Ashgabat"}, "ulat": {zone: "Asia/Ulaanbaatar"}, "vet": {zone: "America/Caracas"},
	"vlast": {zone: "Asia/Vladivostok"}, "vlat": {zone: "Asia/Vladivostok"}, "volt": {zone: "Europe/Volgograd"},
	"yakst": {zone: "Asia/Yakutsk"}, "yakt": {zone: "Asia/Yakutsk"}, "yekt": {zone: "Asia/Yekaterinburg"},
}

// Abbreviation is one of the short names of zones.
type Abbreviation struct {
	Name   string // in capital letters
	Offset int    // east of Greenwich in seconds
	DST    bool
}

// Abbreviations lists them by name, with what they mean at an instant.
func Abbreviations(now time.Time) []Abbreviation {
	list := make([]Abbreviation, 0, len(abbreviations))
	for name, a := range abbreviations {
		one := Abbreviation{Name: strings.ToUpper(name), Offset: a.offset, DST: a.dst}
		if a.zone != "" {
			loc, err := time.LoadLocation(a.zone)
			if err != nil {
				continue
			}
			at := now.In(loc)
			_, off := at.Zone()
			one.Offset = meaning(now.Unix(), off, []byte(name), loc)
			one.DST = at.IsDST() && one.Offset == off
		}
		list = append(list, one)
	}
	slices.SortFunc(list, func(a, b Abbreviation) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// findAbbreviation finds a name in lower case.
func findAbbreviation(name []byte) (abbreviation, bool) {
	a, ok := abbreviations[string(tokenKey(name))]
	return a, ok
}

// determineOffset gives the offset of loc east of Greenwich in seconds when its clocks show
// local, in seconds since 1970-01-01 00:00, and that instant. It looks at the first change
// that comes later than a day before; in a gap the time is read with the offset before it,
// in a repeated hour with the one after it.
func determineOffset(local int64, loc *time.Location) (off int, at int64) {
	t := time.Unix(local-86400, 0).In(loc)
	_, before := t.Zone()
	_, end := t.ZoneBounds()
	if end.IsZero() {
		return before, local - int64(before)
	}
	_, after := end.Zone()
	change := end.Unix()
	first, second := local-int64(before), local-int64(after)
	switch {
	case first < change && second < change:
		return before, first
	case first > change && second >= change:
		return after, second
	case first > second:
		return before, first
	}
	return after, second
}

// abbreviatedOffset gives what the abbreviation meant in loc at local: as in the newest
// period that has it and began by then, or in the oldest of later ones; where loc never had
// it, the offset of loc.
func abbreviatedOffset(local int64, name []byte, loc *time.Location) int {
	off, at := determineOffset(local, loc)
	return meaning(at, off, name, loc)
}

// meaning is abbreviatedOffset at an instant, when the offset of loc is off.
func meaning(at int64, off int, name []byte, loc *time.Location) int {
	// Rules for the time after the last listed change repeat, so nothing new is met later.
	const horizon = 4102444800 // 2100-01-01
	key := strings.ToUpper(string(name))
	start := time.Unix(min(at, horizon), 0).In(loc)
	for t := start; ; {
		begin, _ := t.ZoneBounds()
		if begin.IsZero() {
			break
		}
		if abbrev, o := t.Zone(); abbrev == key {
			return o
		}
		if t = begin.Add(-time.Second); t.Unix() < -horizon {
			break
		}
	}
	for t := start; ; {
		_, end := t.ZoneBounds()
		if end.IsZero() || end.Unix() > horizon {
			return off
		}
		t = laterThan(t, end)
		if abbrev, o := t.Zone(); abbrev == key {
			return o
		}
	}
}

// constantOffset gives the offset of a zone that never changed it.
func constantOffset(loc *time.Location) (off int, constant bool) {
	t := time.Unix(-1<<36, 0).In(loc)
	_, off = t.Zone()
	for {
		_, end := t.ZoneBounds()
		if end.IsZero() || end.Year() > 2100 {
			return off, true
		}
		t = laterThan(t, end)
		if _, o := t.Zone(); o != off {
			return 0, false
		}
	}
}

// laterThan gives end, the end of t's period, or a day after t where end is not later: the
// standard library ends each year of rules after 365 days.
func laterThan(t, end time.Time) time.Time {
	if end.After(t) {
		return end
	}
	return t.Add(24 * time.Hour)
}
