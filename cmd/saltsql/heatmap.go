package main

import (
	"context"
	"fmt"
	"io"
)

const heatmapIntro = `
saltsql heatmap asks a server which buckets of a table, or which ranges of its keys, were
read and written of late, and writes the map as an SVG picture to standard output.

Examples:
  saltsql heatmap events > events.svg
  saltsql heatmap events --metric reads --last '3 h' --connect 'postgres://ann@db.example.org:5433/saltsql' > events.svg
  saltsql heatmap events --by key --text`

// heatmap prints saltsql.heatmap_svg, or saltsql.draw_heatmap.
func heatmap(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("heatmap", heatmapIntro, stdout)
	dsn := fs.String("connect", defaultDSN, dsnUsage)
	metric := fs.String("metric", "writes", "`WHAT` the map is of: writes, reads, rows_read, rows_returned, bytes_read or bytes_written")
	last := fs.String("last", "1 h", "`INTERVAL` until now that the map is of, up to 3 h")
	by := fs.String("by", "", "`ROWS` of the map: bucket or key; without it a salted table's are its buckets, and others' ranges of keys")
	lines := fs.Bool("text", false, "draw with letters, for a terminal")
	names, err := parseArgs(fs, args, stderr, "TABLE")
	if err != nil {
		return err
	}
	c, close, err := dial(ctx, *dsn, "", true, stderr)
	if err != nil {
		return err
	}
	defer func() { _ = close() }()
	function := "heatmap_svg"
	if *lines {
		function = "draw_heatmap"
	}
	query, params := "SELECT saltsql."+function+"($1::text::regclass, $2, $3::text::interval", [][]byte{[]byte(names[0]), []byte(*metric), []byte(*last)}
	if *by != "" {
		query, params = query+", $4", append(params, []byte(*by))
	}
	r := c.ExecParams(ctx, query+")", params, nil, nil, nil)
	for r.NextRow() {
		fmt.Fprintln(stdout, string(r.Values()[0]))
	}
	_, err = r.Close()
	return err
}
