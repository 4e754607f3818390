package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql"
)

// printQuery prints a query's result in psql's aligned format.
func printQuery(ctx context.Context, s *saltsql.Session, out io.Writer, query string) error {
	rows, err := s.Query(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	cols := rows.Columns()
	width := make([]int, len(cols))
	right := make([]bool, len(cols))
	for i, c := range cols {
		width[i] = utf8.RuneCountInString(c.Name)
		right[i] = numeric(c.Type.Name())
	}
	var cells [][]string
	for rows.Next() {
		row := make([]string, len(cols))
		for i := range cols {
			row[i] = rows.Text(i)
			width[i] = max(width[i], utf8.RuneCountInString(row[i]))
		}
		cells = append(cells, row)
	}
	if err := rows.Err(); err != nil {
		return err
	}
	line := func(f func(i int) string, sep string) {
		parts := make([]string, len(cols))
		for i := range cols {
			parts[i] = f(i)
		}
		fmt.Fprintln(out, strings.TrimRight(strings.Join(parts, sep), " "))
	}
	line(func(i int) string {
		gap := width[i] - utf8.RuneCountInString(cols[i].Name)
		return " " + strings.Repeat(" ", gap/2) + cols[i].Name + strings.Repeat(" ", gap-gap/2) + " "
	}, "|")
	line(func(i int) string { return strings.Repeat("-", width[i]+2) }, "+")
	for _, row := range cells {
		line(func(i int) string {
			gap := strings.Repeat(" ", width[i]-utf8.RuneCountInString(row[i]))
			if right[i] {
				return " " + gap + row[i] + " "
			}
			return " " + row[i] + gap + " "
		}, "|")
	}
	noun := "rows"
	if len(cells) == 1 {
		noun = "row"
	}
	_, err = fmt.Fprintf(out, "(%d %s)\n", len(cells), noun)
	return err
}

// numeric types are aligned to the right, as psql does.
func numeric(typ string) bool {
	switch typ {
	case "int2", "int4", "int8", "float4", "float8", "numeric", "oid":
		return true
	}
	return false
}
