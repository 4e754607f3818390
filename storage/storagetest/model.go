package storagetest

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"github.com/saltsql/saltsql/storage"
)

// model is the trivial store that random operations are compared with: no
// index, no packing, every version kept.
type model map[string]map[string]map[int64]string // key, "f:q", timestamp

func (m model) apply(key string, muts []storage.Mutation) {
	r := m[key]
	if r == nil {
		r = map[string]map[int64]string{}
	}
	for _, mu := range muts {
		c := mu.Family + ":" + string(mu.Qualifier)
		switch mu.Op {
		case storage.SetCell:
			if r[c] == nil {
				r[c] = map[int64]string{}
			}
			r[c][mu.Timestamp] = string(mu.Value)
		case storage.DeleteCell:
			delete(r, c)
		case storage.DeleteFamily:
			for name := range r {
				if strings.HasPrefix(name, mu.Family+":") {
					delete(r, name)
				}
			}
		case storage.DeleteRow:
			clear(r)
		}
	}
	m[key] = r
	if len(r) == 0 {
		delete(m, key)
	}
}

// latest gives the newest cell of a column.
func (m model) latest(key, col string) (ts int64, ok bool) {
	ts = -1
	for t := range m[key][col] {
		ts = max(ts, t)
	}
	return ts, ts >= 0
}

// show gives a row as text does, "" where there is nothing to see.
func (m model) show(key string, req *storage.ScanRequest) string {
	line := key
	names := make([]string, 0, len(m[key]))
	for c := range m[key] {
		names = append(names, c)
	}
	sort.Strings(names)
	any := false
	for _, c := range names {
		if len(req.Project) > 0 && !slices.ContainsFunc(req.Project, func(p storage.Col) bool { return p.Family+":"+string(p.Qualifier) == c }) {
			continue
		}
		var stamps []int64
		for ts := range m[key][c] {
			if ts >= req.MinTS {
				stamps = append(stamps, ts)
			}
		}
		slices.Sort(stamps)
		slices.Reverse(stamps)
		for _, ts := range stamps[:min(len(stamps), max(1, req.Versions))] {
			any = true
			if !req.KeysOnly {
				line += fmt.Sprintf(" %s@%d=%s", c, ts/1000, m[key][c][ts])
			}
		}
	}
	if !any && req.EveryRow {
		all := *req
		all.Project, all.EveryRow = nil, false
		any = m.show(key, &all) != ""
	}
	if !any {
		return ""
	}
	return line
}

func (m model) keys() []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func inSpans(key string, spans []storage.Span) bool {
	return slices.ContainsFunc(spans, func(s storage.Span) bool {
		return key >= string(s.Start) && (len(s.End) == 0 || key < string(s.End))
	})
}

func (m model) scan(req *storage.ScanRequest, pass func(key string) bool) []string {
	var out []string
	for _, k := range m.keys() {
		if inSpans(k, req.Spans) && pass(k) {
			if l := m.show(k, req); l != "" {
				out = append(out, l)
			}
		}
	}
	if req.Reverse {
		slices.Reverse(out)
	}
	if req.Limit > 0 && int64(len(out)) > req.Limit {
		out = out[:req.Limit]
	}
	return out
}
