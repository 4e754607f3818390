package javatime

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestAsJava formats and parses what testdata/record recorded of Java's SimpleDateFormat.
func TestAsJava(t *testing.T) {
	b, err := os.ReadFile("testdata/vectors.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	if len(lines) < 700 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		f := strings.Split(line, "\t")
		what, pattern, given, want := f[0], f[2], f[3], f[4]
		zone, err := Zone(f[1])
		if err != nil {
			t.Fatal(err)
		}
		p, err := Read(pattern)
		if err != nil {
			t.Errorf("%s: %v", line, err)
			continue
		}
		got := "ERROR"
		if what == "format" {
			millis, _ := strconv.ParseInt(given, 10, 64)
			b, err := p.Append(nil, 1000*millis, zone)
			if sqlerr.As(err) != nil && p.zone == "z" {
				continue // refused
			}
			got = string(b)
		} else if micros, err := p.Parse(given, zone); err == nil {
			got = strconv.FormatInt(micros/1000, 10)
		} else if p.zone == "z" {
			continue
		}
		if got != want {
			t.Errorf("%s %s in %s by %q is %s, want %s", what, given, zone, pattern, got, want)
		}
	}
}

// TestRefused: letters that have no meaning here are refused, and so is what Go would take for
// one of its own.
func TestRefused(t *testing.T) {
	for _, pattern := range []string{"yyyy-ww", "K", "SSS", "G", "'15'", "2006", "'unclosed", "yyy", "u", "'January'"} {
		_, err := Read(pattern)
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.FeatureNotSupported || e.Hint == "" {
			t.Errorf("%s: %v", pattern, err)
		}
	}
	for _, name := range []string{"Nowhere/Land", "Local", "GMT+abc"} {
		if _, err := Zone(name); err == nil {
			t.Errorf("zone %s is known", name)
		}
	}
}

// FuzzParse: no pattern and no text does harm, and what a whole pattern prints it reads.
func FuzzParse(f *testing.F) {
	f.Add("yyyy-MM-dd HH:mm:ss", "2024-02-29 12:00:00")
	f.Add("'it''s' d.M.yy", "it's 1.2.03")
	f.Fuzz(func(t *testing.T, pattern, text string) {
		p, err := Read(pattern)
		if err != nil {
			return
		}
		if micros, err := p.Parse(text, time.UTC); err == nil {
			if _, err := p.Append(nil, micros, time.UTC); err != nil {
				t.Errorf("%q reads %q as %d, and does not print it: %v", pattern, text, micros, err)
			}
		}
	})
}
