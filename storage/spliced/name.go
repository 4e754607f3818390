package spliced

import (
	"strconv"
	"strings"
)

// MaxBuckets is how many buckets the parts of a table have together at most; an unsalted part is one.
const MaxBuckets = 256

// Part is one table of the store.
type Part struct {
	Table   string
	Buckets int // of its keys' first byte; 0: they have none
}

// Places is how many values of the first byte the part takes in the table that it is of.
func (p Part) Places() int { return max(p.Buckets, 1) }

// Name is the name of the table that parts make.
func Name(parts []Part) string {
	var b strings.Builder
	for i, p := range parts {
		if i > 0 {
			b.WriteByte('+')
		}
		b.WriteString(p.Table + ":" + strconv.Itoa(p.Buckets))
	}
	return b.String()
}

// Parts takes a name apart; nil for a table of the store itself, and for no name of Name's.
func Parts(name string) []Part {
	if strings.IndexByte(name, ':') < 0 { // which no store allows in a name
		return nil
	}
	var parts []Part
	places := 0
	for text := range strings.SplitSeq(name, "+") {
		table, n, _ := strings.Cut(text, ":")
		buckets, err := strconv.Atoi(n)
		if err != nil || buckets < 0 || table == "" {
			return nil
		}
		p := Part{table, buckets}
		if places += p.Places(); places > MaxBuckets {
			return nil
		}
		parts = append(parts, p)
	}
	return parts
}

// Tables lists the tables of the store that a name stands for: its own, or those of its parts.
func Tables(name string) []string {
	parts := Parts(name)
	if parts == nil {
		return []string{name}
	}
	tables := make([]string, len(parts))
	for i, p := range parts {
		tables[i] = p.Table
	}
	return tables
}
