package datetime

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"
)

// posixZone reads a zone as POSIX writes it: a name, an offset that is positive west of
// Greenwich, and where there is daylight saving time its name, its offset and when it
// begins and ends: EST5EDT,M3.2.0,M11.1.0. Without the last, the rules of the United
// States are taken. The first name may be empty.
func posixZone(spec string) (*time.Location, bool) {
	name, rest, ok := posixName(spec)
	if !ok {
		return nil, false
	}
	off, rest, ok := posixOffset(rest)
	if !ok {
		return nil, false
	}
	if rest == "" {
		return time.FixedZone(name, -off), true
	}
	saving, rest, ok := posixName(rest + ",") // it may end with the name
	if !ok || saving == "" {
		return nil, false
	}
	rest = strings.TrimSuffix(rest, ",")
	savingOff := off - 3600
	if rest != "" && rest[0] != ',' && rest[0] != ';' {
		if savingOff, rest, ok = posixOffset(rest); !ok {
			return nil, false
		}
	}
	switch {
	case rest == "":
		rest = ",M3.2.0,M11.1.0"
	case rest[0] != ',' && rest[0] != ';':
		return nil, false
	}
	// Go takes names of any form in <> only.
	rules := posixNamed(name, -off) + posixNamed(saving, -savingOff) + "," + rest[1:]
	loc, err := time.LoadLocationFromTZData(spec, zoneFile(rules))
	if err != nil {
		return nil, false
	}
	// Rules that cannot be read leave the file's own zone.
	if abbrev, _ := time.Unix(0, 0).In(loc).Zone(); abbrev == unread {
		return nil, false
	}
	return loc, true
}

// unread names the zone that stands where there are no rules.
const unread = "?"

// zoneFile is a file of zone information (RFC 8536) that holds nothing but rules.
func zoneFile(rules string) []byte {
	const types, chars = 1, 2
	block := make([]byte, 0, 128)
	for range 2 { // the second is for readers of version 2 and later
		block = append(block, "TZif2"...)
		block = append(block, make([]byte, 15)...)
		for _, n := range []uint32{0, 0, 0, 0, types, chars} {
			block = binary.BigEndian.AppendUint32(block, n)
		}
		block = append(block, 0, 0, 0, 0, 0, 0) // offset, daylight saving, name
		block = append(block, unread+"\x00"...)
	}
	return append(block, "\n"+rules+"\n"...)
}

// posixName reads letters, or anything in <>.
func posixName(s string) (name, rest string, ok bool) {
	if strings.HasPrefix(s, "<") {
		end := strings.IndexByte(s, '>')
		if end < 0 {
			return "", "", false
		}
		return s[1:end], s[end+1:], true
	}
	end := strings.IndexAny(s, "0123456789,-+")
	if end < 0 {
		return "", "", false
	}
	return s[:end], s[end:], true
}

// posixOffset reads [+-]hh[:mm[:ss]] into seconds; hours may be a week's.
func posixOffset(s string) (sec int, rest string, ok bool) {
	neg := false
	if s != "" && (s[0] == '+' || s[0] == '-') {
		neg, s = s[0] == '-', s[1:]
	}
	for i, most := range []int{7*24 - 1, 59, 60} {
		if i > 0 {
			if s == "" || s[0] != ':' {
				break
			}
			s = s[1:]
		}
		n, digits := 0, 0
		for digits < len(s) && isDigit(s[digits]) {
			if n = n*10 + int(s[digits]-'0'); n > most {
				return 0, "", false
			}
			digits++
		}
		if digits == 0 {
			return 0, "", false
		}
		s = s[digits:]
		sec += n * [...]int{3600, 60, 1}[i]
	}
	if neg {
		sec = -sec
	}
	return sec, s, true
}

// posixNamed writes a name and an offset in seconds east of Greenwich as POSIX does.
func posixNamed(name string, east int) string {
	anonymous := posixOf(east)
	return "<" + name + ">" + anonymous[strings.IndexByte(anonymous, '>')+1:]
}

// posixOf writes an offset in seconds east of Greenwich as a POSIX zone.
func posixOf(east int) string {
	sign, opposite, n := '+', '-', east
	if east < 0 {
		sign, opposite, n = '-', '+', -east
	}
	text := fmt.Sprintf("%02d", n/3600)
	if n%3600 != 0 {
		text += fmt.Sprintf(":%02d", n/60%60)
	}
	if n%60 != 0 {
		text += fmt.Sprintf(":%02d", n%60)
	}
	return fmt.Sprintf("<%c%s>%c%s", sign, text, opposite, text)
}
