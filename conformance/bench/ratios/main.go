package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/perf/benchfmt"
)

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintln(os.Stderr, "usage: bench.test -test.bench … | ratios\n\nPrints how the rates of a run stand to their goals. Where a benchmark was run several times, its median counts.")
		os.Exit(2)
	}
	times, err := read(os.Stdin)
	if err == nil {
		err = report(os.Stdout, goals(), times)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "ratios:", err)
		os.Exit(1)
	}
}

// processors is what Go puts behind a benchmark's name.
var processors = regexp.MustCompile(`-\d+$`)

// read gives the time of an operation of each benchmark, the median of its runs.
func read(in io.Reader) (map[string]time.Duration, error) {
	runs := map[string][]float64{}
	r := benchfmt.NewReader(in, "standard input")
	for r.Scan() {
		res, ok := r.Result().(*benchfmt.Result)
		if !ok {
			continue
		}
		if sec, ok := res.Value("sec/op"); ok {
			name := processors.ReplaceAllString(res.Name.String(), "")
			runs[name] = append(runs[name], sec)
		}
	}
	times := map[string]time.Duration{}
	for name, all := range runs {
		slices.Sort(all)
		times[name] = time.Duration((all[len(all)/2] + all[(len(all)-1)/2]) / 2 * float64(time.Second))
	}
	return times, r.Err()
}

// report prints the goals whose benchmarks were run, and then why goals are missed. It is an error
// where none was run.
func report(out io.Writer, goals []goal, times map[string]time.Duration) error {
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', 0)
	fmt.Fprintln(w, "| what\t| saltsql\t| beside\t| rate\t| goal\t| floor\t| to it\t|\t|")
	fmt.Fprintln(w, "|---\t|---\t|---\t|---\t|---\t|---\t|---\t|---\t|")
	var missed []goal
	var absent []string
	ran := 0
	for _, g := range goals {
		own, beside, atop := times[g.own], times[g.beside], times[g.atop]
		if own == 0 || beside == 0 {
			absent = append(absent, g.what)
			continue
		}
		ran++
		floor, to, met := "", "", ""
		if atop > 0 {
			floor, to = round(atop).String(), fmt.Sprintf("%.2f", own.Seconds()/atop.Seconds())
		}
		rate := beside.Seconds() / own.Seconds()
		if rate < g.want {
			met, missed = "missed", append(missed, g)
		}
		fmt.Fprintf(w, "| %s\t| %v\t| %v\t| %.2f\t| %.2f\t| %s\t| %s\t| %s\t|\n", g.what, round(own), round(beside), rate, g.want, floor, to, met)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if ran == 0 {
		return errors.New("no goal's benchmarks are in the input")
	}
	fmt.Fprintf(out, "\n%d of %d goals are met.\n", ran-len(missed), ran)
	why := ""
	slices.SortStableFunc(missed, func(a, b goal) int { return strings.Compare(a.why, b.why) })
	for i, g := range missed {
		if i == 0 || g.why != why {
			why = g.why
			fmt.Fprintf(out, "\nMissed: %s\n", cmp.Or(why, "for no reason that is known; it was met before"))
		}
		fmt.Fprintln(out, "-", g.what)
	}
	if len(absent) > 0 {
		fmt.Fprintf(out, "\nNot run:\n- %s\n", strings.Join(absent, "\n- "))
	}
	return nil
}

// round leaves three digits of a time.
func round(d time.Duration) time.Duration {
	unit := time.Duration(1)
	for d/unit >= 1000 {
		unit *= 10
	}
	return d.Round(unit)
}
