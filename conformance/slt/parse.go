package slt

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// Record is one record of a file.
type Record struct {
	Line    int
	Kind    string // "ok", "count", "error", "query", "work", "explain", "session"
	Count   int64
	Code    string // error
	Message string // error: a part of the message
	Sort    bool   // query
	Conds   []Cond // work
	OnlyIf  []string
	SkipIf  []string
	SQL     string
	Want    []string // query and explain: lines as written
	Name    string   // session
}

// Cond is one condition of a work record.
type Cond struct {
	Counter string // "rows_read", "storage_calls", "buckets", "nosort", "with", "without"
	Op      string // "=", "<="
	N       int64
	Each    int64  // more for each bucket
	Node    string // with, without
}

// File is a parsed file.
type File struct {
	Path    string
	Records []*Record
	lines   []string
}

// Parse reads a file.
func Parse(path string) (*File, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	f := &File{Path: path, lines: strings.Split(string(b), "\n")}
	var only, skip, skipAll []string
	for i := 0; i < len(f.lines); {
		line := strings.TrimSpace(f.lines[i])
		word, rest, _ := strings.Cut(line, " ")
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
			i++
			continue
		case word == "onlyif":
			only = append(only, strings.TrimSpace(rest))
			i++
			continue
		case word == "skipall": // skipif for all that follows
			skipAll = append(skipAll, strings.TrimSpace(rest))
			i++
			continue
		case word == "skipif":
			skip = append(skip, strings.TrimSpace(rest))
			i++
			continue
		}
		r := &Record{Line: i + 1, OnlyIf: only, SkipIf: append(skip, skipAll...)}
		only, skip = nil, nil
		if err := r.head(word, rest); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", path, i+1, err)
		}
		i++
		if r.Kind != "session" {
			i = f.body(r, i)
		}
		f.Records = append(f.Records, r)
	}
	return f, nil
}

var direction = regexp.MustCompile(` *\$\{D([1-9])\}`)

// Directions gives how many key columns a file leaves open the order of.
func (f *File) Directions() int {
	n := 0
	for _, r := range f.Records {
		for _, m := range direction.FindAllStringSubmatch(r.SQL, -1) {
			n = max(n, int(m[1][0]-'0'))
		}
	}
	return n
}

// directed writes DESC for ${Dn} where bit n-1 of desc is set.
func directed(sql string, desc uint) string {
	return direction.ReplaceAllStringFunc(sql, func(s string) string {
		if bit := s[len(s)-2] - '1'; desc>>bit&1 != 0 {
			return " DESC"
		}
		return ""
	})
}

func (r *Record) head(word, rest string) error {
	args := strings.Fields(rest)
	switch word {
	case "statement":
		if len(args) == 0 {
			return fmt.Errorf("statement what?")
		}
		r.Kind = args[0]
		switch {
		case r.Kind == "ok" && len(args) == 1:
			return nil
		case r.Kind == "count" && len(args) == 2:
			n, err := strconv.ParseInt(args[1], 10, 64)
			r.Count = n
			return err
		case r.Kind == "error" && len(args) >= 2 && len(args[1]) == 5:
			r.Code = args[1]
			_, r.Message, _ = strings.Cut(rest, args[1])
			r.Message = strings.TrimSpace(r.Message)
			return nil
		}
	case "query":
		r.Kind = "query"
		r.Sort = len(args) == 1 && args[0] == "rowsort"
		if len(args) == 0 || r.Sort {
			return nil
		}
	case "explain":
		r.Kind = "explain"
		if len(args) == 0 {
			return nil
		}
	case "session":
		r.Kind, r.Name = "session", rest
		if len(args) == 1 {
			return nil
		}
	case "work":
		r.Kind = "work"
		for _, a := range args {
			c, err := parseCond(a)
			if err != nil {
				return err
			}
			r.Conds = append(r.Conds, c)
		}
		if len(args) > 0 {
			return nil
		}
	}
	return fmt.Errorf("cannot read %q", strings.TrimSpace(word+" "+rest))
}

func parseCond(s string) (Cond, error) {
	if s == "nosort" {
		return Cond{Counter: s}, nil
	}
	for _, op := range []string{"<=", "="} {
		name, n, ok := strings.Cut(s, op)
		switch {
		case !ok:
			continue
		case name == "with" || name == "without":
			return Cond{Counter: name, Node: strings.ReplaceAll(n, "_", " ")}, nil
		}
		c := Cond{Counter: name, Op: op}
		for _, part := range strings.Split(n, "+") {
			sum := &c.N
			if times, ok := strings.CutSuffix(part, "N"); ok {
				sum, part = &c.Each, cmp.Or(times, "1")
			}
			v, err := strconv.ParseInt(part, 10, 64)
			if err != nil {
				return c, err
			}
			*sum += v
		}
		return c, nil
	}
	return Cond{}, fmt.Errorf("cannot read condition %q", s)
}

// body reads the SQL and what follows ----, up to a blank line.
func (f *File) body(r *Record, i int) int {
	var sql []string
	for ; i < len(f.lines) && strings.TrimSpace(f.lines[i]) != ""; i++ {
		if f.lines[i] == "----" {
			for i++; i < len(f.lines) && f.lines[i] != ""; i++ {
				r.Want = append(r.Want, f.lines[i])
			}
			break
		}
		sql = append(sql, f.lines[i])
	}
	r.SQL = strings.Join(sql, "\n")
	return i
}

// Rewrite puts got in the place of each record's Want and writes the file.
func (f *File) Rewrite(got map[*Record][]string) error {
	var out []string
	last := 0
	for _, r := range f.Records {
		lines, ok := got[r]
		if !ok {
			continue
		}
		i := r.Line // the line after the head
		for i < len(f.lines) && f.lines[i] != "----" && strings.TrimSpace(f.lines[i]) != "" {
			i++
		}
		out = append(out, f.lines[last:i]...)
		out = append(out, "----")
		out = append(out, lines...)
		if i < len(f.lines) && f.lines[i] == "----" {
			i += 1 + len(r.Want)
		}
		last = i
	}
	out = append(out, f.lines[last:]...)
	return os.WriteFile(f.Path, []byte(strings.Join(out, "\n")), 0o644)
}
