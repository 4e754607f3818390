package datetime

import (
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

// FuzzText reads any text as every type: values are in range and read back as they print.
func FuzzText(f *testing.F) {
	for _, s := range []string{"2024-02-29 10:30:59.5+05:30", "y2024m02d29 t101010", "J2451187.5", "jan 5 24 3pm msk", "1 year -2 days 03:04", "P1Y2M3DT4H", "epoch", "-infinity", "x5:30:60T23:6:60", "2023.366"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, r := range readers {
			ctx := &Context{Zone: time.UTC, Now: time.Unix(1700000000, 0)}
			v, err := r.read(s, ctx, Style{})
			if err != nil {
				continue
			}
			if again, err := r.read(v, ctx, Style{}); err != nil || again != v {
				t.Fatalf("%s %q reads as %s, and that as %s, %v", r.name, s, v, again, err)
			}
		}
	})
}

// TestCommonTextsDoNotAllocate holds what loads of rows cost.
func TestCommonTextsDoNotAllocate(t *testing.T) {
	zone := time.FixedZone("", 3600)
	for _, s := range []string{"2024-02-29", "2024-02-29 10:30:59", "2024-02-29T10:30:59.123456", "2024-02-29 10:30", "20240229", "Feb 29, 2024 10:30 pm"} {
		ctx := &Context{Zone: zone}
		if n := alloctest.PerRun(100, func() {
			if _, err := ParseTimestamp(s, ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := ParseDate(s, ctx); err != nil {
				t.Fatal(err)
			}
			if _, err := ParseTimestamptz(s, ctx); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s allocates %v times", s, n)
		}
	}
	for _, s := range []string{"1 year 2 mons 3 days 04:05:06.789", "3 days", "-1 hour"} {
		if n := alloctest.PerRun(100, func() {
			if _, err := ParseInterval(s, AllFields); err != nil {
				t.Fatal(err)
			}
		}); n > 0 {
			t.Errorf("%s allocates %v times", s, n)
		}
	}
}

// TestNamesOfRegions finds every region that the machine has, without regard to case.
func TestNamesOfRegions(t *testing.T) {
	for key, name := range oddZones {
		if _, err := time.LoadLocation(name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if titleZone(key) == name {
			t.Errorf("%s is not odd", name)
		}
	}
	for name, a := range abbreviations {
		if a.zone != "" && zoneInText([]byte(strings.ToLower(a.zone))) == nil {
			t.Errorf("%s: there is no %s", name, a.zone)
		}
	}
}
