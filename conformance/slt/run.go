package slt

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Engine is what a file runs against.
type Engine interface {
	// Open starts a session.
	Open(ctx context.Context) (Conn, error)
	// Names are the engine's names for onlyif and skipif.
	Names() []string
	// Salt is what ${SALT} becomes, and Buckets how many salt buckets tables then have,
	// 1 without salt.
	Salt() string
	Buckets() int
	// Desc says which of the key columns whose order a file leaves open descend: ${Dn}
	// is DESC where bit n-1 is set. The answers must not depend on it.
	Desc() uint
	// RulesOff says that the planner's rules are off: work is not asserted.
	RulesOff() bool
}

// Conn is one session.
type Conn interface {
	// Exec runs one statement and gives its rows as texts, nil for NULL.
	Exec(ctx context.Context, sql string) (rows [][]*string, tag string, err error)
	Close()
}

// sqlState is what errors of both engines can tell.
type sqlState interface{ SQLState() string }

// Run runs a file and gives what is wrong, and what each query gave, for Rewrite.
func Run(ctx context.Context, f *File, e Engine) (faults []string, got map[*Record][]string) {
	r := &runner{e: e, conns: map[string]Conn{}, got: map[*Record][]string{}}
	defer r.close()
	for _, rec := range f.Records {
		if !rec.Applies(e.Names()) {
			continue
		}
		if err := r.record(ctx, rec); err != nil {
			faults = append(faults, fmt.Sprintf("%s:%d: %v\n%s", f.Path, rec.Line, err, rec.SQL))
		}
	}
	return faults, r.got
}

// Applies says whether an engine of these names runs the record.
func (r *Record) Applies(names []string) bool {
	for _, n := range r.OnlyIf {
		if !hasAll(names, n) {
			return false
		}
	}
	for _, n := range r.SkipIf {
		if hasAll(names, n) {
			return false
		}
	}
	return true
}

// hasAll says that an engine has each of the names, which spaces part.
func hasAll(names []string, wanted string) bool {
	for n := range strings.FieldsSeq(wanted) {
		if !slices.Contains(names, n) {
			return false
		}
	}
	return true
}

type runner struct {
	e     Engine
	conns map[string]Conn
	name  string
	got   map[*Record][]string
}

func (r *runner) close() {
	for _, c := range r.conns {
		c.Close()
	}
}

func (r *runner) conn(ctx context.Context) (Conn, error) {
	if c := r.conns[r.name]; c != nil {
		return c, nil
	}
	c, err := r.e.Open(ctx)
	if err == nil {
		r.conns[r.name] = c
	}
	return c, err
}

func (r *runner) record(ctx context.Context, rec *Record) error {
	if rec.Kind == "session" {
		r.name = rec.Name
		return nil
	}
	c, err := r.conn(ctx)
	if err != nil {
		return err
	}
	lines, err := Check(ctx, r.e, c, rec)
	if lines != nil {
		r.got[rec] = lines
	}
	return err
}

// Check runs one record in a session and gives a query's lines. The error says
// what is wrong; it wraps the engine's error where there was one.
func Check(ctx context.Context, e Engine, c Conn, rec *Record) (lines []string, err error) {
	sql := directed(strings.ReplaceAll(rec.SQL, "${SALT}", e.Salt()), e.Desc())
	if rec.Kind == "work" || rec.Kind == "explain" {
		if e.RulesOff() || !slices.Contains(e.Names(), "saltsql") {
			return nil, nil
		}
		if rec.Kind == "work" {
			return nil, work(ctx, c, rec, sql, int64(e.Buckets()))
		}
		sql = "EXPLAIN " + sql
	}
	rows, tag, err := c.Exec(ctx, sql)
	if rec.Kind == "error" {
		return nil, wantError(rec, err)
	}
	if err != nil {
		return nil, describe(err)
	}
	switch rec.Kind {
	case "count":
		n, _ := strconv.ParseInt(tag[strings.LastIndexByte(tag, ' ')+1:], 10, 64)
		if n != rec.Count {
			return lines, fmt.Errorf("tag %q, want a count of %d", tag, rec.Count)
		}
	case "query", "explain":
		lines = format(rows)
		want := rec.Want
		if rec.Sort {
			sort.Strings(lines)
			want = slices.Sorted(slices.Values(want))
		}
		if !slices.Equal(lines, want) {
			return lines, fmt.Errorf("got\n  %s\nwant\n  %s", strings.Join(lines, "\n  "), strings.Join(want, "\n  "))
		}
	}
	return lines, nil
}

func describe(err error) error {
	var st sqlState
	if errors.As(err, &st) {
		return fmt.Errorf("error %s: %w", st.SQLState(), err)
	}
	return err
}

func wantError(rec *Record, err error) error {
	if err == nil {
		return fmt.Errorf("no error, want %s %s", rec.Code, rec.Message)
	}
	var st sqlState
	if !errors.As(err, &st) || st.SQLState() != rec.Code || !strings.Contains(err.Error(), rec.Message) {
		return fmt.Errorf("%w, want %s %s", describe(err), rec.Code, rec.Message)
	}
	return nil
}

// format prints rows as files show them.
func format(rows [][]*string) []string {
	lines := make([]string, 0, len(rows))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, v := range row {
			switch {
			case v == nil:
				cells[i] = "NULL"
			case *v == "":
				cells[i] = "(empty)"
			default:
				cells[i] = strings.ReplaceAll(*v, "\n", `\n`)
			}
		}
		lines = append(lines, strings.Join(cells, "|"))
	}
	return lines
}

// planNode is what work reads of EXPLAIN (ANALYZE, FORMAT JSON).
type planNode map[string]any

func work(ctx context.Context, c Conn, rec *Record, sql string, buckets int64) error {
	rows, _, err := c.Exec(ctx, "EXPLAIN (ANALYZE, FORMAT JSON) "+sql)
	if err != nil {
		return describe(err)
	}
	var text strings.Builder
	for _, row := range rows {
		text.WriteString(*row[0])
	}
	var plans []struct{ Plan planNode }
	if err := json.Unmarshal([]byte(text.String()), &plans); err != nil || len(plans) != 1 {
		return fmt.Errorf("EXPLAIN's JSON: %v\n%s", err, text.String())
	}
	sum := map[string]int64{}
	nodes := map[string]bool{}
	var walk func(n planNode)
	walk = func(n planNode) {
		for k, v := range n {
			if f, ok := v.(float64); ok {
				sum[strings.ToLower(strings.ReplaceAll(strings.TrimPrefix(k, "Actual "), " ", "_"))] += int64(f)
			}
		}
		if t, ok := n["Node Type"].(string); ok {
			nodes[t] = true
		}
		subs, _ := n["Plans"].([]any)
		for _, s := range subs {
			if m, ok := s.(map[string]any); ok {
				walk(m)
			}
		}
	}
	walk(plans[0].Plan)
	for _, cond := range rec.Conds {
		v, want, ok := sum[cond.Counter], cond.N+cond.Each*buckets, true
		switch {
		case cond.Counter == "nosort":
			if nodes["Sort"] || nodes["Top N"] {
				return fmt.Errorf("the plan sorts:\n%s", text.String())
			}
			continue
		case cond.Node != "":
			if nodes[cond.Node] != (cond.Counter == "with") {
				return fmt.Errorf("the plan is not %s %s:\n%s", cond.Counter, cond.Node, text.String())
			}
			continue
		case cond.Op == "=":
			ok = v == want
		default:
			ok = v <= want
		}
		if !ok {
			return fmt.Errorf("%s is %d, want %s %d:\n%s", cond.Counter, v, cond.Op, want, text.String())
		}
	}
	return nil
}
