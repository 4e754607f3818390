package pgcatalog

import (
	"embed"
	"strconv"
	"strings"
	"sync"
)

// facts are what PostgreSQL 15 says of itself: the OIDs and attributes of what is built
// in. They are looked up for what saltsql has; what they list is not what there is.
//
//go:embed facts/*.tsv
var facts embed.FS

// fields is a line of a file of facts. Its methods read from left to right.
type fields []string

func (f *fields) str() string {
	s := (*f)[0]
	*f = (*f)[1:]
	if s == `\N` {
		return ""
	}
	return s
}

func (f *fields) int() int64 {
	n, _ := strconv.ParseFloat(f.str(), 64) // procost is a real number
	return int64(n)
}

func (f *fields) float() float64 {
	n, _ := strconv.ParseFloat(f.str(), 64)
	return n
}

func (f *fields) oid() uint32 { return uint32(f.int()) }
func (f *fields) bool() bool  { return f.str() == "t" }

// char is a "char".
func (f *fields) char() byte {
	s := f.str()
	if s == "" {
		return 0
	}
	return s[0]
}

func (f *fields) oids() []uint32 {
	var list []uint32
	for _, s := range strings.Fields(f.str()) {
		n, _ := strconv.ParseUint(s, 10, 32)
		list = append(list, uint32(n))
	}
	return list
}

// read gives each line of a file.
func read(name string, line func(f *fields)) {
	b, err := facts.ReadFile("facts/" + name + ".tsv")
	if err != nil {
		panic(err) // it is embedded
	}
	for l := range strings.Lines(string(b)) {
		f := fields(strings.Split(strings.TrimSuffix(l, "\n"), "\t"))
		line(&f)
	}
}

// list reads a file at its first use.
func list[E any](name string, parse func(f *fields) E) func() []E {
	return sync.OnceValue(func() []E {
		var out []E
		read(name, func(f *fields) { out = append(out, parse(f)) })
		return out
	})
}

// byOID indexes a list at its first use.
func byOID[E any](of func() []E, oid func(*E) uint32) func() map[uint32]*E {
	return sync.OnceValue(func() map[uint32]*E {
		m := map[uint32]*E{}
		for i := range of() {
			m[oid(&of()[i])] = &of()[i]
		}
		return m
	})
}
