package main

import (
	"bufio"
	"context"
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/wire"
)

const exportIntro = `
saltsql export DIR [TABLE…] writes tables as CSV files with a header line, or as Parquet
files, into folder DIR, which is made, and their definitions into schema.sql. Without names
it writes all tables. Parquet files end at 256 MiB, and a table goes on in the next; what
Parquet has no type for is text.
On an embedded store all files are of one moment; on Bigtable each row is as it was when
it was read. Sequences and views are not written, and it says how many there are.

Examples:
  saltsql export ./out
  saltsql export --connect 'postgres://ann@db.example.org:5433/saltsql' ./out public.metrics
  saltsql export --format parquet ./out public.metrics
  saltsql export --store pebble:./data ./out        without a server`

const importTablesIntro = `
saltsql import DIR [TABLE…] loads what saltsql export has written, or other files: CSV named
SCHEMA.TABLE.csv whose header line names columns, Parquet named SCHEMA.TABLE.parquet and
SCHEMA.TABLE.2.parquet and so on, of scalars and lists. A table is loaded whole or not at
all, on Bigtable in parts. With --upsert rows replace those of the same key, so that an import
may be run again.

Examples:
  saltsql import --create ./out
  saltsql import --upsert --connect 'postgres://ann@db.example.org:5433/saltsql' ./out`

const (
	schemaFile    = "schema.sql"
	csvSuffix     = ".csv"
	parquetSuffix = ".parquet"
)

// connectFlags says which server to ask, or which store to open.
func connectFlags(fs *flag.FlagSet) (connect, store *string) {
	connect = fs.String("connect", "host=127.0.0.1 port=5433 dbname=saltsql sslmode=disable", "`DSN` of a server, as libpq takes it: a URL, or words of name=value")
	store = fs.String("store", "", "store `URL` to open in the place of a server: pebble:DIR or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	return connect, store
}

// dial connects to a server, or opens a store and connects to it within this process.
func dial(ctx context.Context, dsn, storeURL string, stderr io.Writer) (c *pgconn.PgConn, close func() error, err error) {
	if storeURL == "" {
		c, err = pgconn.Connect(ctx, dsn)
		if err != nil {
			return nil, nil, err
		}
		return c, func() error { return c.Close(context.WithoutCancel(ctx)) }, nil
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := openStore(ctx, storeURL, memoryPlan{}, 0, log)
	if err != nil {
		return nil, nil, err
	}
	if err := reach(ctx, store, false, log); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log})
	if err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	srv := wire.NewServer(db, wire.Config{Logger: log})
	cfg, err := pgconn.ParseConfig("host=127.0.0.1 user=saltsql dbname=saltsql sslmode=disable")
	if err == nil {
		cfg.DialFunc = srv.Dial
		c, err = pgconn.ConnectConfig(ctx, cfg)
	}
	if err != nil {
		return nil, nil, errors.Join(err, db.Close(), store.Close())
	}
	return c, func() error {
		return errors.Join(c.Close(context.WithoutCancel(ctx)), srv.Shutdown(context.WithoutCancel(ctx)), db.Close(), store.Close())
	}, nil
}

// ask gives the rows of a query, as texts.
func ask(ctx context.Context, c *pgconn.PgConn, query string) (rows [][]string, err error) {
	results, err := c.Exec(ctx, query).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range results {
		for _, row := range r.Rows {
			var texts []string
			for _, v := range row {
				texts = append(texts, string(v))
			}
			rows = append(rows, texts)
		}
	}
	return rows, nil
}

// tableName is schema and name.
type tableName [2]string

func (t tableName) String() string { return ident.Quote(t[0]) + "." + ident.Quote(t[1]) }

// file names the n-th file of a table, from 1 on.
func (t tableName) file(suffix string, n int) string {
	escape := func(s string) string { return strings.ReplaceAll(url.PathEscape(s), ".", "%2E") }
	if n > 1 {
		suffix = "." + strconv.Itoa(n) + suffix
	}
	return escape(t[0]) + "." + escape(t[1]) + suffix
}

// named keeps those tables that args name, as table or schema.table; all where there are none.
func named(tables []tableName, args []string) ([]tableName, error) {
	if len(args) == 0 {
		return tables, nil
	}
	var out []tableName
	for _, arg := range args {
		schema, name, ok := strings.Cut(arg, ".")
		if !ok {
			schema, name = "public", arg
		}
		if !slices.Contains(tables, tableName{schema, name}) {
			return nil, fmt.Errorf("there is no table %s", arg)
		}
		out = append(out, tableName{schema, name})
	}
	return out, nil
}

func exportTables(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("export", exportIntro, stdout)
	dsn, store := connectFlags(fs)
	format := fs.String("format", "csv", "`FORMAT` of the files: csv or parquet")
	args, err = parseArgs(fs, args, stderr, "DIR", "TABLE…")
	if err != nil {
		return err
	}
	write := exportCSV
	switch *format {
	case "csv":
	case "parquet":
		write = exportParquet
	default:
		return fmt.Errorf("--format is csv or parquet, not %q", *format)
	}
	dir := args[0]
	c, close, err := dial(ctx, *dsn, *store, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, close()) }()
	if _, err := ask(ctx, c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return err
	}
	rows, err := ask(ctx, c, "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'saltsql') ORDER BY 1, 2")
	if err != nil {
		return err
	}
	var tables []tableName
	for _, r := range rows {
		tables = append(tables, tableName{r[0], r[1]})
	}
	if tables, err = named(tables, args[1:]); err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	var ddl strings.Builder
	schemas := map[string]bool{"public": true}
	for _, t := range tables {
		made, err := ask(ctx, c, "SHOW CREATE TABLE "+t.String())
		if err != nil {
			return err
		}
		if !schemas[t[0]] {
			schemas[t[0]] = true
			fmt.Fprintf(&ddl, "CREATE SCHEMA IF NOT EXISTS %s;\n", ident.Quote(t[0]))
		}
		text := made[0][len(made[0])-1]
		fmt.Fprintf(&ddl, "%s;\n", strings.TrimSuffix(strings.TrimSpace(text), ";"))
		n, err := write(ctx, c, dir, t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
		fmt.Fprintf(stdout, "%s: %d rows\n", t, n)
	}
	if err := newFile(filepath.Join(dir, schemaFile), func(w io.Writer) error { _, err := io.WriteString(w, ddl.String()); return err }); err != nil {
		return err
	}
	left, err := ask(ctx, c, `SELECT count(*) FILTER (WHERE relkind = 'S'), count(*) FILTER (WHERE relkind = 'v') FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
		WHERE nspname NOT IN ('pg_catalog', 'information_schema', 'saltsql')`)
	if err == nil && (left[0][0] != "0" || left[0][1] != "0") {
		fmt.Fprintf(stdout, "not written: %s sequences, %s views\n", left[0][0], left[0][1])
	}
	return err
}

func exportCSV(ctx context.Context, c *pgconn.PgConn, dir string, t tableName) (rows int64, err error) {
	err = newFile(filepath.Join(dir, t.file(csvSuffix, 1)), func(w io.Writer) error {
		tag, err := c.CopyTo(ctx, w, "COPY "+t.String()+" TO STDOUT (FORMAT csv, HEADER)")
		rows = tag.RowsAffected()
		return err
	})
	return rows, err
}

// newFile writes a file that is there when it is whole, and was not there before.
func newFile(path string, fill func(io.Writer) error) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s is there already", path)
	}
	part := path + ".part"
	f, err := os.OpenFile(part, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	err = fill(w)
	if err == nil {
		err = w.Flush()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(part))
	}
	return os.Rename(part, path)
}

func importTables(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("import", importTablesIntro, stdout)
	dsn, store := connectFlags(fs)
	create := fs.Bool("create", false, "run the statements of DIR/"+schemaFile+" before")
	upsert := fs.Bool("upsert", false, "let rows replace those of the same key")
	args, err = parseArgs(fs, args, stderr, "DIR", "TABLE…")
	if err != nil {
		return err
	}
	dir := args[0]
	tables, files, err := tableFiles(dir)
	if err != nil {
		return err
	}
	if tables, err = named(tables, args[1:]); err != nil {
		return err
	}
	c, close, err := dial(ctx, *dsn, *store, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, close()) }()
	if *create {
		text, err := os.ReadFile(filepath.Join(dir, schemaFile))
		if err != nil {
			return err
		}
		if _, err := ask(ctx, c, string(text)); err != nil {
			return fmt.Errorf("%s: %w", schemaFile, err)
		}
	}
	for _, t := range tables {
		load := importCSV
		if strings.HasSuffix(files[t][0], parquetSuffix) {
			load = importParquet
		}
		n, err := load(ctx, c, files[t], t, *upsert)
		if err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
		fmt.Fprintf(stdout, "%s: %d rows\n", t, n)
	}
	return nil
}

// tableFiles lists the tables that a folder has files of, and each one's files
// in order.
func tableFiles(dir string) (tables []tableName, files map[tableName][]string, err error) {
	parts := map[tableName]map[int]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		suffix := filepath.Ext(e.Name())
		if suffix != csvSuffix && suffix != parquetSuffix {
			continue
		}
		schema, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), suffix), ".")
		part := 1
		if base, number, more := strings.Cut(name, "."); more && suffix == parquetSuffix {
			name = base
			part, err = strconv.Atoi(number)
			ok = ok && err == nil && part > 1
		}
		schema, err1 := url.PathUnescape(schema)
		name, err2 := url.PathUnescape(name)
		if !ok || err1 != nil || err2 != nil {
			return nil, nil, fmt.Errorf("%s is not named SCHEMA.TABLE%s", filepath.Join(dir, e.Name()), suffix)
		}
		t := tableName{schema, name}
		if parts[t] == nil {
			tables, parts[t] = append(tables, t), map[int]string{}
		}
		if other := parts[t][part]; other != "" {
			return nil, nil, fmt.Errorf("%s and %s are both of table %s", other, e.Name(), t)
		}
		parts[t][part] = e.Name()
	}
	if len(tables) == 0 {
		return nil, nil, fmt.Errorf("there are no files SCHEMA.TABLE%s or SCHEMA.TABLE%s in %s", csvSuffix, parquetSuffix, dir)
	}
	files = map[tableName][]string{}
	for t, names := range parts {
		for n := range len(names) {
			if names[n+1] == "" {
				return nil, nil, fmt.Errorf("of the %d files of table %s one is missing, %s", len(names), t, t.file(parquetSuffix, n+1))
			}
			files[t] = append(files[t], filepath.Join(dir, names[n+1]))
		}
	}
	return tables, files, nil
}

func importCSV(ctx context.Context, c *pgconn.PgConn, paths []string, t tableName, upsert bool) (int64, error) {
	f, err := os.Open(paths[0])
	if err != nil {
		return 0, err
	}
	defer f.Close()
	header, err := csv.NewReader(f).Read()
	if err != nil {
		return 0, fmt.Errorf("its header line: %w", err)
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	return copyFrom(ctx, c, f, t, header, "FORMAT csv, HEADER", upsert)
}

func copyFrom(ctx context.Context, c *pgconn.PgConn, in io.Reader, t tableName, columns []string, options string, upsert bool) (int64, error) {
	quoted := make([]string, len(columns))
	for i, name := range columns {
		quoted[i] = ident.Quote(name)
	}
	if upsert {
		options += ", UPSERT"
	}
	tag, err := c.CopyFrom(ctx, in, fmt.Sprintf("COPY %s (%s) FROM STDIN (%s)", t, strings.Join(quoted, ", "), options))
	return tag.RowsAffected(), err
}
