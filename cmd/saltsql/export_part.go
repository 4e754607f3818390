package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/ident"
)

// share is the part of each table that a process writes, from 1 on; of 0 is all.
type share struct{ part, of int }

// mostShares is how many processes may share an export: no table has more buckets.
const mostShares = 256

// parseShare reads I/N.
func parseShare(text string) (s share, err error) {
	if text == "" {
		return s, nil
	}
	part, of, ok := strings.Cut(text, "/")
	s.part, err = strconv.Atoi(part)
	if err == nil {
		s.of, err = strconv.Atoi(of)
	}
	if !ok || err != nil || s.part < 1 || s.part > s.of || s.of > mostShares {
		return s, fmt.Errorf("--part is I/N, as 3/16 is, with an I from 1 to N and an N of at most %d, not %q", mostShares, text)
	}
	return s, nil
}

// first says that the process writes the definitions, too.
func (s share) first() bool { return s.part <= 1 }

// has says whether the share has the i-th of n buckets, from 0 on. Each is in one share, and those of a share
// are neighbours.
func (s share) has(i, n int) bool { return i*s.of/n == s.part-1 }

// path names the n-th file that the process writes of a table: its part's, where there are parts.
func (x *exporter) path(t tableName, suffix string, n int) string {
	if x.share.of > 0 {
		n = x.share.part
	}
	return filepath.Join(x.dir, t.file(suffix, n))
}

// doneFile is where the process notes which tables are done.
func (x *exporter) doneFile() string {
	name := doneFile
	if x.share.of > 0 {
		name += fmt.Sprintf(".%d", x.share.part)
	}
	return filepath.Join(x.dir, name)
}

// query reads the process's part of a table: all columns but those that are computed from others.
func (x *exporter) query(ctx context.Context, t tableName) (string, error) {
	names, err := ask(ctx, x.c, "SELECT attname FROM pg_attribute WHERE attrelid = "+ident.Literal(t.String())+"::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum")
	if err != nil {
		return "", err
	}
	list := make([]string, len(names))
	for i, n := range names {
		list[i] = ident.Quote(n[0])
	}
	query := "SELECT " + strings.Join(list, ", ") + " FROM " + t.String()
	if x.share.of == 0 {
		return query, nil
	}
	// Without a number there is a part for each bucket: the same for all processes, whatever is written.
	parts, err := ask(ctx, x.c, "SELECT predicate FROM saltsql.parts("+ident.Literal(t.String())+"::regclass) ORDER BY part")
	if err != nil {
		return "", err
	}
	var of string
	var tokens []string
	for i, p := range parts {
		if x.share.has(i, len(parts)) {
			at := strings.LastIndex(p[0], " = ")
			of = p[0][:at]
			tokens = append(tokens, p[0][at+3:])
		}
	}
	if tokens == nil {
		return query + " WHERE false", nil
	}
	return query + " WHERE " + of + " IN (" + strings.Join(tokens, ", ") + ")", nil
}
