package saltsql

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// loadZone finds a time zone by its IANA name, or by an offset as SET TIME
// ZONE takes it: hours, east positive, or [+-]hh[:mm[:ss]].
func loadZone(name string) (*time.Location, error) {
	switch strings.ToLower(name) {
	case "", "utc", "gmt", "z", "zulu", "default", "local":
		return time.UTC, nil
	}
	if h, err := strconv.ParseFloat(name, 64); err == nil {
		if h < -15.999 || h > 15.999 {
			return nil, fmt.Errorf("time zone offset %s is out of range", name)
		}
		return time.FixedZone(offsetName(int(h*3600)), int(h*3600)), nil
	}
	if loc, err := time.LoadLocation(name); err == nil {
		return loc, nil
	}
	// IANA names are looked up without regard to case.
	parts := strings.Split(strings.ToLower(name), "/")
	for i, p := range parts {
		words := strings.Split(p, "_")
		for j, w := range words {
			if w != "" && w != "of" && w != "es" {
				words[j] = strings.ToUpper(w[:1]) + w[1:]
			}
		}
		parts[i] = strings.Join(words, "_")
	}
	if loc, err := time.LoadLocation(strings.Join(parts, "/")); err == nil {
		return loc, nil
	}
	return time.LoadLocation(strings.ToUpper(name))
}

func offsetName(sec int) string {
	sign := '+'
	if sec < 0 {
		sign, sec = '-', -sec
	}
	return fmt.Sprintf("<%c%02d:%02d>", sign, sec/3600, sec/60%60)
}

func parseInt(s string) (int, error) { return strconv.Atoi(s) }
