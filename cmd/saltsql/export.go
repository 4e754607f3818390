package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/storage/pebble/backup"
)

const exportIntro = `
saltsql export DIR [TABLE…] writes tables as CSV files with a header line, or as Parquet
files, into folder DIR, which is made. Without names it writes all tables. A file ends at
--file-size, and a table goes on in the next, which import reads too; what Parquet has no type
for is text.

schema.sql has the statements that make all there is: schemas, types, sequences, tables with
their constraints and indexes, views and comments. after.sql has those for when the rows are
there: foreign keys, the values of sequences and REFRESH. rights.sql has owners and grants; the
roles themselves are not written. With names they are of these tables and what these need,
without views. With --postgres they leave out what PostgreSQL does not know, as SALT_BUCKETS.

On an embedded store all files are of one moment; on Bigtable each row is as it was when
it was read. With --backup they are of the moment of a backup, which nothing is changed in.

With --part I/N it writes the I-th of N parts of each table, into one file, so that N processes
share the work: their files, in one folder, are an export that import reads. A part is of whole
salt buckets, so that each of them is read by one process; of a table with fewer buckets than N
some files have no rows. The definitions are written with part 1. With --snapshot all parts are of
the moment of a transaction that stays open meanwhile and has asked for pg_export_snapshot().

An export that was ended goes on with --resume, after the tables that it had written: those
that follow are of a later moment, but with --backup of the same.

Examples:
  saltsql export ./out
  saltsql export --connect 'postgres://ann@db.example.org:5433/saltsql' ./out public.metrics
  saltsql export --format parquet ./out public.metrics
  saltsql export --part 3/16 ./out public.metrics   with 1/16, 2/16, … beside it
  saltsql export --postgres ./out && cat ./out/schema.sql
  saltsql export --store pebble:./data ./out        without a server
  saltsql export --backup /mnt/backups/saltsql --at 20260102T030405.000Z ./out    as of then`

// doneFile names the tables that an export has written, one a line after the format, until all are.
const doneFile = ".exported"

// exporter writes tables into a folder.
type exporter struct {
	c        *pgconn.PgConn
	dir      string
	fileSize int64 // when a table goes on in a further file, so that readers share the work
	share    share // of each table that it writes
}

func exportTables(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("export", exportIntro, stdout)
	dsn, store := connectFlags(fs)
	format := fs.String("format", "csv", "`FORMAT` of the files: csv or parquet")
	size := fs.String("file-size", "256MB", "`SIZE` of a file from which on a table goes on in the next")
	from := fs.String("backup", "", "`FOLDER` of backups to read in the place of a server: see saltsql backup")
	at := fs.String("at", "", "`NAME` of a backup in --backup, as it was told when it was made (default the newest)")
	part := fs.String("part", "", "`I/N`: write part I of N of each table, as N processes do side by side")
	snapshot := fs.String("snapshot", "", "`ID` of what pg_export_snapshot gave to a transaction that is open: read what it reads")
	postgres := fs.Bool("postgres", false, "write definitions that PostgreSQL takes")
	resume := fs.Bool("resume", false, "go on with an export into DIR that was ended")
	args, err = parseArgs(fs, args, stderr, "DIR", "TABLE…")
	if err != nil {
		return err
	}
	x := exporter{dir: args[0]}
	write, suffix := x.csv, csvSuffix
	switch *format {
	case "csv":
	case "parquet":
		if errNoParquet != nil {
			return errNoParquet
		}
		write, suffix = x.parquet, parquetSuffix
	default:
		return fmt.Errorf("--format is csv or parquet, not %q", *format)
	}
	if x.fileSize, err = parseSize(*size); err != nil || x.fileSize <= 0 {
		return fmt.Errorf("--file-size %q is not a size, as 256MB is", *size)
	}
	if x.share, err = parseShare(*part); err != nil {
		return err
	}
	if x.share.of > 0 {
		x.fileSize = math.MaxInt64
		fs.Visit(func(f *flag.Flag) {
			if f.Name == "file-size" {
				err = errors.New("--file-size does not go with --part: each table is one file")
			}
		})
		if err != nil {
			return err
		}
	}
	if *at != "" && *from == "" || *from != "" && *store != "" {
		return errors.New("--at goes with --backup, and --backup without --store")
	}
	var close func() error
	if *from != "" {
		x.c, close, err = dialBackup(ctx, *from, *at, stderr)
	} else {
		x.c, close, err = dial(ctx, *dsn, *store, true, stderr)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, close()) }()
	if _, err := ask(ctx, x.c, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"); err != nil {
		return err
	}
	if *snapshot != "" {
		if _, err := ask(ctx, x.c, "SET TRANSACTION SNAPSHOT "+ident.Literal(*snapshot)); err != nil {
			return err
		}
	}
	rows, err := ask(ctx, x.c, "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema', 'saltsql') ORDER BY 1, 2")
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
	done, err := x.begin(suffix, *resume)
	if err != nil {
		return err
	}
	var files map[string]string
	if x.share.first() {
		if files, err = x.definitions(ctx, tables, len(args) > 1, *postgres); err != nil {
			return err
		}
	}
	for _, t := range tables {
		if slices.Contains(done, t.String()) {
			fmt.Fprintf(stdout, "%s: written before\n", t)
			continue
		}
		if *resume {
			if err := x.removeParts(t, suffix); err != nil {
				return err
			}
		}
		n, err := write(ctx, t)
		if err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
		done = append(done, t.String())
		if err := x.note(suffix, done); err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d rows\n", t, n)
	}
	for _, name := range []string{afterFile, rightsFile, schemaFile} { // by which it is known to be done
		if !x.share.first() {
			break
		}
		path := filepath.Join(x.dir, name)
		if name != schemaFile {
			if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) { // of an export that was ended
				return err
			}
		}
		if err := newFile(path, func(w io.Writer) error { _, err := io.WriteString(w, files[name]); return err }); err != nil {
			return err
		}
	}
	return os.Remove(x.doneFile())
}

// dialBackup is dial to a backup, as it lies.
func dialBackup(ctx context.Context, dir, name string, stderr io.Writer) (c *pgconn.PgConn, close func() error, err error) {
	m, err := backup.Load(dir, name)
	if err != nil {
		return nil, nil, err
	}
	view, err := os.MkdirTemp("", "saltsql-export-")
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(view))
		}
	}()
	if err := backup.View(dir, m, view); err != nil {
		return nil, nil, err
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := openToRead(ctx, "pebble:"+view, log)
	if err != nil {
		return nil, nil, err
	}
	c, end, err := dialStore(ctx, store, true, log)
	if err != nil {
		return nil, nil, err
	}
	return c, func() error { return errors.Join(end(), os.RemoveAll(view)) }, nil
}

// begin makes the folder, or finds in it what an export before had done.
func (x *exporter) begin(suffix string, resume bool) (done []string, err error) {
	if err := os.MkdirAll(x.dir, 0o700); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(x.doneFile())
	switch {
	case errors.Is(err, os.ErrNotExist):
		if _, err := os.Lstat(filepath.Join(x.dir, schemaFile)); err == nil && x.share.first() {
			return nil, fmt.Errorf("%s is there already: the export into %s was done", filepath.Join(x.dir, schemaFile), x.dir)
		}
		return nil, x.note(suffix, nil)
	case err != nil:
		return nil, err
	case !resume:
		return nil, fmt.Errorf("an export into %s was ended before it was done: go on with --resume", x.dir)
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
	if lines[0] != suffix {
		return nil, fmt.Errorf("the export into %s was of %s files", x.dir, lines[0])
	}
	return lines[1:], nil
}

// note writes down which tables are done.
func (x *exporter) note(suffix string, done []string) error {
	path := x.doneFile()
	text := strings.Join(append([]string{suffix}, done...), "\x00") + "\x00"
	if err := os.WriteFile(path+".part", []byte(text), 0o600); err != nil {
		return err
	}
	return os.Rename(path+".part", path)
}

// removeParts removes the files of a table that was not written to its end.
func (x *exporter) removeParts(t tableName, suffix string) error {
	for part := 1; ; part++ {
		path := x.path(t, suffix, part)
		err := os.Remove(path)
		if err2 := os.Remove(path + ".part"); err2 != nil && !errors.Is(err2, os.ErrNotExist) {
			return err2
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil
		}
		if err != nil || x.share.of > 0 {
			return err
		}
	}
}

// csv writes a table as CSV files: SCHEMA.TABLE.csv, SCHEMA.TABLE.2.csv and so on.
func (x *exporter) csv(ctx context.Context, t tableName) (rows int64, err error) {
	source := t.String()
	if x.share.of > 0 {
		query, err := x.query(ctx, t)
		if err != nil {
			return 0, err
		}
		source = "(" + query + ")"
	}
	out, in := io.Pipe()
	copied := make(chan struct{})
	go func() {
		defer close(copied)
		in.CloseWithError(guard.Run(func() error {
			tag, err := x.c.CopyTo(ctx, in, "COPY "+source+" TO STDOUT (FORMAT csv, HEADER)")
			rows = tag.RowsAffected()
			return err
		}))
	}()
	records := csvRecords{in: bufio.NewReaderSize(out, 1<<20)}
	var header bytes.Buffer
	err = records.next(&header)
	for part := 1; err == nil && (part == 1 || records.more()); part++ {
		err = newFile(x.path(t, csvSuffix, part), func(w io.Writer) error {
			to := &counted{Writer: w}
			if _, err := to.Write(header.Bytes()); err != nil {
				return err
			}
			for to.n < x.fileSize && records.more() {
				if err := records.next(to); err != nil {
					return err
				}
			}
			return records.err
		})
	}
	if err == nil {
		err = records.err
	}
	out.CloseWithError(err) // nobody wants the rows that are left
	<-copied
	if err != nil {
		return rows, errors.Join(err, x.c.Close(context.WithoutCancel(ctx)))
	}
	return rows, nil
}

// csvRecords cuts CSV into records: a line's end within quotes does not end one.
type csvRecords struct {
	in  *bufio.Reader
	err error // but for io.EOF
}

// more says whether there is a further record.
func (r *csvRecords) more() bool {
	_, err := r.in.Peek(1)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return err == nil
}

// next writes the next record to w.
func (r *csvRecords) next(w io.Writer) error {
	quoted := false
	for {
		line, err := r.in.ReadSlice('\n')
		if _, err := w.Write(line); err != nil {
			return err
		}
		quoted = quoted != (bytes.Count(line, []byte{'"'})%2 == 1)
		switch {
		case err == bufio.ErrBufferFull:
		case err != nil:
			return err
		case !quoted:
			return nil
		}
	}
}

// counted counts the bytes that go through it.
type counted struct {
	io.Writer
	n int64
}

func (c *counted) Write(b []byte) (int, error) {
	n, err := c.Writer.Write(b)
	c.n += int64(n)
	return n, err
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
