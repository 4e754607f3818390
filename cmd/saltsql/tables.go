package main

import (
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
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/wire"
)

const importTablesIntro = `
saltsql import DIR [TABLE…] loads what saltsql export has written, or other files: CSV named
SCHEMA.TABLE.csv, SCHEMA.TABLE.2.csv and so on, each with a header line that names columns,
or Parquet, named in the same way, of scalars and lists. A table is loaded whole or not at
all, on Bigtable in parts. With --upsert rows replace those of the same key, so that an import
may be run again.

With --create it makes what export has found: it runs schema.sql first, after.sql when the rows
are there, and rights.sql, for which the roles must be there, last; without that with --no-rights.

With --resume each file is loaded by itself, and noted in --notes when it is: run again after
it was ended, it goes on with the files that are left. Of the file that was being loaded rows
replace those of the same key, if the table was empty at first. Of a table without a primary
key all files are loaded at once, and where that was ended and has left rows, they are to be
removed before it goes on.

Examples:
  saltsql import --create ./out
  saltsql import --create --resume ./out
  saltsql import --upsert --connect 'postgres://ann@db.example.org:5433/saltsql' ./out`

const (
	schemaFile    = "schema.sql"
	afterFile     = "after.sql"  // for when the rows are there
	rightsFile    = "rights.sql" // owners and grants
	csvSuffix     = ".csv"
	parquetSuffix = ".parquet"
)

// What --connect is, where it is not given, and its words in the manual.
const (
	defaultDSN = "host=127.0.0.1 port=5433 dbname=saltsql sslmode=disable"
	dsnUsage   = "`DSN` of a server, as libpq takes it: a URL, or words of name=value"
)

// connectFlags says which server to ask, or which store to open.
func connectFlags(fs *flag.FlagSet) (connect, store *string) {
	connect = fs.String("connect", defaultDSN, dsnUsage)
	store = fs.String("store", "", "store `URL` to open in the place of a server: pebble:DIR or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	return connect, store
}

// dial connects to a server, or opens a store and connects to it within this process; readOnly
// has it write nothing to the store.
func dial(ctx context.Context, dsn, storeURL string, readOnly bool, stderr io.Writer) (c *pgconn.PgConn, close func() error, err error) {
	if storeURL == "" {
		c, err = pgconn.Connect(ctx, dsn)
		if err != nil {
			return nil, nil, err
		}
		return c, func() error { return c.Close(context.WithoutCancel(ctx)) }, nil
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	if readOnly {
		store, err := openToRead(ctx, storeURL, log)
		if err != nil {
			return nil, nil, err
		}
		return dialStore(ctx, store, true, log)
	}
	store, err := openStore(ctx, storeURL, memoryPlan{}, 0, log)
	if err != nil {
		return nil, nil, err
	}
	if err := reach(ctx, store, false, log); err != nil {
		return nil, nil, errors.Join(err, store.Close())
	}
	return dialStore(ctx, store, false, log)
}

// dialStore connects to a store that it opens a DB on, and closes with it.
func dialStore(ctx context.Context, store storage.Store, readOnly bool, log *slog.Logger) (c *pgconn.PgConn, close func() error, err error) {
	db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: log, ReadOnly: readOnly})
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

func importTables(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("import", importTablesIntro, stdout)
	dsn, store := connectFlags(fs)
	create := fs.Bool("create", false, "run the statements of DIR/"+schemaFile+" before, and of "+afterFile+" and "+rightsFile+" after")
	noRights := fs.Bool("no-rights", false, "with --create, leave out DIR/"+rightsFile)
	upsert := fs.Bool("upsert", false, "let rows replace those of the same key")
	resume := fs.Bool("resume", false, "note what is loaded, and leave out what has been")
	notes := fs.String("notes", "", "`FILE` of what --resume notes, of one target (default DIR/"+importNotesFile+")")
	args, err = parseArgs(fs, args, stderr, "DIR", "TABLE…")
	if err != nil {
		return err
	}
	if *notes != "" && !*resume {
		return errors.New("--notes goes with --resume")
	}
	if *noRights && !*create {
		return errors.New("--no-rights goes with --create")
	}
	dir := args[0]
	var before, after []string
	if *create {
		before, after = []string{schemaFile}, []string{afterFile, rightsFile}
		if *noRights {
			after = after[:1]
		}
	}
	tables, files, err := tableFiles(dir)
	if err != nil {
		return err
	}
	if tables, err = named(tables, args[1:]); err != nil {
		return err
	}
	c, close, err := dial(ctx, *dsn, *store, false, stderr)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, close()) }()
	if *resume {
		if *notes == "" {
			*notes = filepath.Join(dir, importNotesFile)
		}
		target := *store
		if target == "" {
			target = serverOf(*dsn)
		}
		r, err := openResumed(c, *notes, target, *upsert, stdout)
		if err != nil {
			return err
		}
		return r.run(ctx, dir, before, after, tables, files)
	}
	run := func(names []string) error {
		for _, name := range names {
			statements, err := statementsOf(filepath.Join(dir, name))
			if err != nil {
				return err
			}
			for _, st := range statements {
				if _, err := ask(ctx, c, st.Text); err != nil {
					return fmt.Errorf("%s: %s: %w", name, st.Text, err)
				}
			}
		}
		return nil
	}
	if err := run(before); err != nil {
		return err
	}
	for _, t := range tables {
		n, err := loadFiles(ctx, c, files[t], t, *upsert)
		if err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
		fmt.Fprintf(stdout, "%s: %d rows\n", t, n)
	}
	return run(after)
}

// statementsOf reads the statements of a file. Of the files for after the rows one may be missing.
func statementsOf(path string) ([]*tree.Statement, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) && filepath.Base(path) != schemaFile {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list, err := dialect.Parse(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Base(path), err)
	}
	return list, nil
}

// tableFiles lists the tables that a folder has files of, and each one's files
// in order.
func tableFiles(dir string) (tables []tableName, files map[tableName][]string, err error) {
	parts, suffixes := map[tableName]map[int]string{}, map[tableName]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range entries {
		suffix := filepath.Ext(e.Name())
		if suffix != csvSuffix && suffix != parquetSuffix {
			continue
		}
		if suffix == parquetSuffix && errNoParquet != nil {
			return nil, nil, errNoParquet
		}
		schema, name, ok := strings.Cut(strings.TrimSuffix(e.Name(), suffix), ".")
		part := 1
		if base, number, more := strings.Cut(name, "."); more {
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
			tables, parts[t], suffixes[t] = append(tables, t), map[int]string{}, suffix
		}
		if suffixes[t] != suffix {
			return nil, nil, fmt.Errorf("there are both %s and %s files of table %s", suffixes[t], suffix, t)
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
				return nil, nil, fmt.Errorf("of the %d files of table %s one is missing, %s", len(names), t, t.file(suffixes[t], n+1))
			}
			files[t] = append(files[t], filepath.Join(dir, names[n+1]))
		}
	}
	return tables, files, nil
}

// loadFiles loads files of a table, which are of one format, by one COPY.
func loadFiles(ctx context.Context, c *pgconn.PgConn, paths []string, t tableName, upsert bool) (int64, error) {
	if strings.HasSuffix(paths[0], parquetSuffix) {
		return importParquet(ctx, c, paths, t, upsert)
	}
	return importCSV(ctx, c, paths, t, upsert)
}

// importCSV loads the files of a table by one COPY: of all but the first the header is left out.
func importCSV(ctx context.Context, c *pgconn.PgConn, paths []string, t tableName, upsert bool) (int64, error) {
	var header []string
	var all []io.Reader
	for i, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		in := csv.NewReader(f)
		names, err := in.Read()
		if err != nil {
			return 0, fmt.Errorf("%s: its header line: %w", path, err)
		}
		if i == 0 {
			header = names
		} else if !slices.Equal(header, names) {
			return 0, fmt.Errorf("%s has other columns than %s", path, paths[0])
		}
		if _, err := f.Seek(in.InputOffset(), io.SeekStart); err != nil {
			return 0, err
		}
		all = append(all, &csvBody{f: f, newline: newlineBefore(f, in.InputOffset())})
	}
	return copyFrom(ctx, c, io.MultiReader(all...), t, header, "FORMAT csv", upsert)
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
