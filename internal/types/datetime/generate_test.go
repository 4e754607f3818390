package datetime

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// generator makes texts of dates, times and intervals, most of them odd.
type generator struct{ *rand.Rand }

func (g generator) pick(from ...string) string { return from[g.IntN(len(from))] }

func (g generator) digits(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('0' + g.IntN(10))
	}
	return string(b)
}

// num is a number of a likely width.
func (g generator) num() string {
	switch g.IntN(12) {
	case 0:
		return g.pick("0", "00", "000", "0000", "1", "12", "13", "31", "32", "59", "60", "61", "24", "25", "99", "100", "366", "367", "365", "999",
			"2147483647", "2147483648", "4294967297", "9223372036854775807", "9223372036854775808", "1000000000000000", "1000000000000001")
	case 1:
		return g.digits(1 + g.IntN(25))
	case 2, 3:
		return fmt.Sprint(1 + g.IntN(12))
	case 4, 5:
		return fmt.Sprintf("%02d", 1+g.IntN(31))
	case 6, 7:
		return fmt.Sprint(1900 + g.IntN(150))
	case 8:
		return fmt.Sprintf("%04d%02d%02d", 1900+g.IntN(200), g.IntN(14), g.IntN(33))
	case 9:
		return fmt.Sprintf("%02d%02d%02d", g.IntN(26), g.IntN(62), g.IntN(62))
	case 10:
		return g.digits(2 + 2*g.IntN(4))
	}
	return g.digits(1 + g.IntN(6))
}

func (g generator) fraction() string {
	switch g.IntN(8) {
	case 0:
		return "."
	case 1:
		return g.pick(".5", ".9999995", ".9999994", ".0000005", ".0000015", ".999999999999", ".5e1", ".e", ".1e400", ".inf", ".nan", ".060", ".366")
	}
	return "." + g.digits(1+g.IntN(9))
}

func (g generator) month() string {
	return g.pick("jan", "Feb", "MAR", "april", "may", "june", "jul", "august", "Sept", "sep", "oct", "november", "dec", "december", "janu", "septembers")
}

func (g generator) date() string {
	sep := g.pick("-", "-", "-", "/", ".", " ", "--", "_")
	part := func() string {
		switch g.IntN(6) {
		case 0:
			return g.month()
		case 1:
			return g.num()
		case 2:
			return fmt.Sprint(1900 + g.IntN(150))
		}
		return fmt.Sprint(1 + g.IntN(31))
	}
	switch g.IntN(8) {
	case 0:
		return fmt.Sprintf("%04d-%02d-%02d", g.IntN(2200), g.IntN(14), g.IntN(33))
	case 1:
		return fmt.Sprintf("%d-%d-%d", 1+g.IntN(9999), 1+g.IntN(12), 1+g.IntN(28))
	case 2:
		return g.num() + sep + fmt.Sprintf("%03d", g.IntN(370))
	case 3:
		return part() + sep + part()
	case 4:
		return part() + sep + part() + g.pick("-", "/", ".") + part()
	case 5:
		return g.pick("294276", "294277", "5874897", "5874898", "4713", "4714", "290000", "99999999") + sep + fmt.Sprint(1+g.IntN(12)) + sep + fmt.Sprint(1+g.IntN(31))
	}
	return part() + sep + part() + sep + part()
}

func (g generator) clock() string {
	s := g.pick("0", "00", "1", "10", "12", "13", "23", "24", "25", "010", "99", g.num()) + ":" + g.pick("00", "0", "5", "30", "59", "60", "", g.num())
	if g.IntN(3) > 0 {
		s += ":" + g.pick("00", "1", "59", "60", "61", "", g.num())
	}
	if g.IntN(4) == 0 {
		s += ":" + g.num()
	}
	if g.IntN(3) == 0 {
		s += g.fraction()
	}
	return s
}

func (g generator) zone() string {
	switch g.IntN(9) {
	case 0, 1:
		return g.pick("+", "-") + g.pick("0", "5", "05", "15", "16", "0530", "530", "05:30", "5:3", "05:30:15", "053015", "05:60", "5:30:60", "99", "", ":30", "5:", "5-3", "5.5", "1530", "1560",
			"15:59:59", "2147483648", " 5", "	05:30")
	case 2, 3:
		return g.pick("z", "Z", "utc", "GMT", "est", "EDT", "met", "cest", "msk", "MSD", "ist", "art", "clt", "lkt", "kost", "pgt", "wadt", "almst", "zulu", "sast", "met dst", "dst", "est dst", "edt dst",
			"vet", "pyt", "azt", "nut", "amst", "tkt", "anat", "petst")
	case 4, 5:
		return g.pick("America/New_York", "europe/berlin", "Asia/Kolkata", "Etc/GMT+5", "etc/gmt-14", "GMT+0", "gmt0", "EST5EDT", "PST8PDT", "posixrules", "localtime", "GB-Eire", "W-SU", "NZ-CHAT", "PRC",
			"Asia/Ust-Nera", "antarctica/dumontdurville", "America/Port_of_Spain", "Foo/Bar", "europe/", "America/Argentina/Buenos_Aires", "Factory", "universal", "iran", "japan", "US/East-Indiana", "europe", "Africa/Monrovia")
	case 6, 7:
		return g.pick("UTC+3", "foo5", "FOO-5", "foo5bar", "foo+5:30", "<x>5", "EST+5EDT,M3.2.0,M11.1.0", "x-24", "x168", "x167", "foo5bar,j60,j300", "aaa3bbb4", "q", "foo", "x5:60", "x5:30:60", "x5:30:61", "utc0", "yyy12:30zz", "abc/5")
	}
	return g.pick("+", "-") + g.num()
}

func (g generator) word() string {
	switch g.IntN(5) {
	case 0:
		return g.pick("bc", "ad", "AM", "pm", "t", "j", "jd", "julian", "y", "m", "d", "h", "mm", "s", "dow", "doy", "isodow", "isoyear")
	case 1:
		return g.pick("now", "today", "tomorrow", "yesterday", "epoch", "infinity", "-infinity", "+infinity", "allballs", "inf", "- infinity", "early", "late", "current", "invalid", "undefined")
	case 2:
		return g.pick("monday", "mon", "tue", "weds", "thurs", "fri", "sat", "sunday", "wednesdayx", "at", "on", "at", "of", "th", "noon", "abstime", "dst")
	case 3:
		return g.month()
	}
	return g.unit()
}

func (g generator) unit() string {
	return g.pick("us", "usec", "microsecond", "microsecondsss", "ms", "millisecond", "s", "sec", "seconds", "m", "min", "mins", "minutes", "h", "hrs", "hour", "d", "day", "days", "w", "week", "weeks", "mon", "month",
		"mons", "y", "yr", "years", "decade", "decs", "c", "cent", "centuries", "mil", "millennium", "millenniums", "qtr", "quarter", "timezone", "timezone_hour", "ago", "@", "year", "dec", "month", "day", "hour", "minute", "second")
}

func (g generator) junk() string {
	switch g.IntN(5) {
	case 0:
		return g.pick("", "é", "\x01", "٣", "\u00a0", "日")
	case 1:
		return strings.Repeat(g.pick("1", "a", " ", "0", "1 ", "-", "0:"), g.IntN(300))
	}
	const ascii = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~"
	b := make([]byte, 1+g.IntN(5))
	for i := range b {
		b[i] = ascii[g.IntN(len(ascii))]
	}
	return string(b)
}

func (g generator) iso() string {
	b := "P"
	for range g.IntN(7) {
		switch g.IntN(9) {
		case 0, 1:
			b += "T"
		case 2:
			b += g.pick("-", ":", "e5", ".", "p", "0x1p3", "inf", "1e15", "1e16", "nan", "+1")
		default:
			b += g.pick("", "-", "") + g.pick(g.num(), fmt.Sprint(g.IntN(20)), g.digits(8), g.digits(6)) + g.pick("", "", g.fraction()) + g.pick("Y", "M", "D", "W", "H", "S", "-", ":", "T", "", "y")
		}
	}
	return b
}

// field is a part of a text.
func (g generator) field() string {
	switch g.IntN(14) {
	case 0, 1, 2:
		return g.date()
	case 3, 4:
		return g.clock()
	case 5:
		return g.num() + g.fraction()
	case 6, 7:
		return g.num()
	case 8, 9:
		return g.zone()
	case 10, 11:
		return g.word()
	case 12:
		return g.pick("j", "J", "jd", "t", "y", "m", "d", "h", "s", "T", "mm") + g.pick("", " ") + g.pick("2451187", "2451187.5", "2451187-05", "101010", "101010.5", "101010-05", "1010-03", "ab-5", "janu-5", "12:30", "5.7", g.num(), g.num()+g.fraction())
	}
	return g.junk()
}

// dateText is a text for a date, a time or a timestamp.
func (g generator) dateText() string {
	switch g.IntN(16) {
	case 0:
		return fmt.Sprintf("%04d-%02d-%02d%s%s", 1800+g.IntN(400), 1+g.IntN(12), 1+g.IntN(31), g.pick(" ", "T", "t", "  "), g.clock()) + g.pick("", " ", "") + g.pick("", g.zone()) + g.pick("", "", "", " bc")
	case 1:
		return g.date() + " " + g.clock() + g.pick("", " am", "pm", " PM") + g.pick("", " ") + g.zone() + g.pick("", " bc", " ad", " mon")
	case 2:
		return g.clock() + g.pick(" ", "") + g.zone()
	case 3:
		return fmt.Sprintf("y%dm%02dd%02d", 1990+g.IntN(50), g.IntN(14), g.IntN(33)) + g.pick("", " ") + g.pick("", "h4mm5s6", "h10 m20 s30", "h99mm99s99.5", "t101010", "h25mm0s0", "h2147483647mm5s5") + g.pick("", " ", " +05", " z", " msk")
	case 4:
		return g.date() + " " + g.clock() + " " + g.pick("msk", "ist", "art", "kost", "lkt", "pyt", "vet", "novst", "magst", "uzt", "petst", "gyt", "tmt", "ulat")
	case 5: // in and about hours that the clocks skip or repeat
		return fmt.Sprintf("%d-%s %02d:%02d:%02d", 1880+g.IntN(180), g.pick("03-10", "03-31", "10-27", "11-03", "04-07", "10-06"), g.IntN(4), g.IntN(60), g.IntN(60)) +
			g.pick("", "", " europe/berlin", " America/New_York", " australia/lord_howe", " Africa/Monrovia", " asia/manila", " pacific/apia", " foo5bar", " aaa-1bbb", " x5y3", " foo5bar,m3.2.0,m11.1.0", " aaa-10bbb,m10.1.0,m4.1.0/3")
	}
	return g.joined(g.field)
}

// intervalText is a text for an interval.
func (g generator) intervalText() string {
	signed := func() string { return g.pick("", "", "-", "+", "- ") + g.num() + g.pick("", "", g.fraction()) }
	switch g.IntN(8) {
	case 0:
		return g.iso()
	case 1:
		return g.joined(g.field)
	case 2:
		return signed() + g.pick("-", " ", "-") + g.num() + g.pick("", " "+signed()) + g.pick("", " "+g.pick("", "-")+g.clock())
	case 3:
		return g.clock()
	}
	return g.joined(func() string {
		switch g.IntN(10) {
		case 0:
			return g.pick("-", "+", "") + g.clock()
		case 1:
			return g.unit()
		case 2:
			return signed()
		case 3:
			return g.pick("ago", "@", ",", "and", "{", g.junk())
		}
		return signed() + g.pick("", " ") + g.unit()
	})
}

func (g generator) joined(part func() string) string {
	n := 1 + g.IntN(4)
	if g.IntN(20) == 0 {
		n = g.IntN(30)
	}
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteString(g.pick(" ", " ", " ", " ", "", "T", ",", "  ", "\t", "\n", "-", "/"))
		}
		b.WriteString(part())
	}
	return b.String()
}
