package tochar

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/race/alloctest"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

const moment20240229 = int64(1709212455678901) // 2024-02-29 13:14:15.678901

func TestDates(t *testing.T) {
	for template, want := range map[string]string{
		"YYYY-MM-DD HH24:MI:SS.US":   "2024-02-29 13:14:15.678901",
		"FMDay, FMDDth FMMonth YYYY": "Thursday, 29th February 2024",
		"HH12:MI AM":                 "01:14 PM",
		`"Q"Q IW IYYY`:               "Q1 09 2024",
		"Mon|DDD|J|RM|CC":            "Feb|060|2460370|II  |21",
	} {
		out, null, err := Dates([]byte(template)).AppendTimestamp(nil, moment20240229)
		if string(out) != want || null || err != nil {
			t.Errorf("%s: got %q %v %v", template, out, null, err)
		}
	}
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	out, _, err := Dates([]byte("HH24 TZ tz OF TZH:TZM")).AppendTimestamptz(nil, moment20240229, berlin)
	if string(out) != "14 CET cet +01 +01:00" || err != nil {
		t.Errorf("got %q %v", out, err)
	}
	if _, null, _ := Dates(nil).AppendTimestamp(nil, 0); !null {
		t.Error("an empty template is not NULL")
	}
	if _, null, _ := Dates([]byte("YYYY")).AppendTimestamp(nil, datetime.PosInfinity); !null {
		t.Error("infinity is not NULL")
	}
}

func TestRead(t *testing.T) {
	for _, c := range []struct {
		template, text, want string
		code                 sqlerr.Code
	}{
		{"YYYY-MM-DD", "2024-02-29", "2024-02-29", sqlerr.Code{}},
		{"DD Mon YY", "5 dec 99", "1999-12-05", sqlerr.Code{}},
		{"IYYY-IW", "2020-53", "2020-12-28", sqlerr.Code{}},
		{"YYYY DDD", "2024 60", "2024-02-29", sqlerr.Code{}},
		{"YYYY-MM-DD", "2023-02-29", "", sqlerr.DatetimeFieldOverflow},
		{"YYYY-MM-DD", "x", "", sqlerr.InvalidDatetimeFormat},
		{"YYYY-IW", "2024-01", "", sqlerr.InvalidDatetimeFormat},
		{"YYYY OF", "2024 +01", "", sqlerr.FeatureNotSupported},
	} {
		d, err := Dates([]byte(c.template)).ToDate(c.text)
		if c.want == "" {
			if sqlerr.CodeOf(err) != c.code {
				t.Errorf("%s of %s: %v", c.template, c.text, err)
			}
			continue
		}
		if got := string(datetime.AppendDate(nil, d)); err != nil || got != c.want {
			t.Errorf("%s of %s: got %s %v", c.template, c.text, got, err)
		}
	}
}

func TestNumbers(t *testing.T) {
	for template, want := range map[string]string{
		"9G999D99":   " 1,234.50",
		"S0000000.0": "+0001234.5",
		"FM999,999":  "1,235",
		"999":        " ###",
		"FMRN":       "MCCXXXV",
		"9.99EEEE":   " 1.23e+03",
		"L9999PR":    "  1235 ",
	} {
		f, err := Numbers([]byte(template))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := f.AppendNumeric(nil, apd.New(12345, -1)); string(got) != want || err != nil {
			t.Errorf("%s: got %q %v", template, got, err)
		}
	}
	f, _ := Numbers([]byte("999V99"))
	if _, err := f.AppendInt4(nil, 1<<30); sqlerr.CodeOf(err) != sqlerr.NumericValueOutOfRange {
		t.Errorf("got %v", err)
	}
	if _, err := Numbers([]byte("9.9.9")); sqlerr.CodeOf(err) != sqlerr.SyntaxError {
		t.Errorf("got %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 500 {
				template := []byte(fmt.Sprintf(`"%d"YYYY`, i*3+g))
				out, _, _ := Dates(template).AppendTimestamp(nil, moment20240229)
				if want := fmt.Sprintf("%d2024", i*3+g); string(out) != want {
					t.Errorf("got %s, want %s", out, want)
				}
			}
		})
	}
	wg.Wait()
	if n := len(dateCache.m); n > maxCached {
		t.Errorf("%d templates cached", n)
	}
}

func TestNoAllocation(t *testing.T) {
	date, number := []byte("YYYY-MM-DD HH24:MI:SS"), []byte("999,999.99")
	v := apd.New(1234567, -2)
	dst := make([]byte, 0, 100)
	for name, f := range map[string]func(){
		"timestamp": func() { _, _, _ = Dates(date).AppendTimestamp(dst, moment20240229) },
		"date":      func() { _, _ = Dates(date).ToDate("2024-02-29 13:14:15") },
		"int8":      func() { f, _ := Numbers(number); _, _ = f.AppendInt8(dst, 12345) },
		"numeric":   func() { f, _ := Numbers(number); _, _ = f.AppendNumeric(dst, v) },
		"float8":    func() { f, _ := Numbers(number); _, _ = f.AppendFloat8(dst, 12345.678) },
	} {
		if n := alloctest.PerRun(100, f); n > 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}

func FuzzTemplates(f *testing.F) {
	for i, tm := range dateTemplates {
		f.Add(tm, timestamps[i%len(timestamps)], int64(i)*1e15)
	}
	for i, tm := range numberTemplates {
		f.Add(tm, numbers[i%len(numbers)], int64(i)*-12345)
	}
	for tm, texts := range readCases {
		f.Add(tm, texts[0], int64(7))
	}
	f.Fuzz(func(t *testing.T, template, text string, v int64) {
		if len(template) > 100 {
			t.Skip()
		}
		d := Dates([]byte(template))
		if datetime.ValidTimestamp(v) {
			_, _, _ = d.AppendTimestamptz(nil, v, time.UTC)
		}
		_, _, _ = d.AppendInterval(nil, int32(v), int32(v>>32), v)
		if day, err := d.ToDate(text); err == nil && !datetime.ValidDate(day) {
			t.Fatalf("date %d", day)
		}
		if ts, err := d.ToTimestamp(text, time.UTC); err == nil && !datetime.ValidTimestamp(ts) {
			t.Fatalf("timestamp %d", ts)
		}
		n, err := Numbers([]byte(template))
		if err != nil {
			return
		}
		_, _ = n.AppendInt8(nil, v)
		_, _ = n.AppendInt4(nil, int32(v))
		_, _ = n.AppendFloat8(nil, float64(v)/1000)
		_, _ = n.AppendFloat4(nil, float32(v)/1000)
		_, _ = n.AppendNumeric(nil, apd.New(v, int32(v%20)))
		var z numeric.Dec
		_, _ = n.ToNumber(&z, text)
	})
}
