package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// importNotesFile is where import --resume notes what is done, beside the files.
const importNotesFile = ".imported"

// importNotes say how far an import has come. A file is noted before its COPY is begun and after it
// has ended, so that one of which only the first is known may be there, or not, or on Bigtable in part.
type importNotes struct {
	Target string               `json:"target"`
	Lock   int64                `json:"lock"` // the advisory lock that a run holds until the server has ended its session
	Run    map[string]int       `json:"run"`  // how many statements of a file of them have been run
	Tables map[string]tableNote `json:"tables"`
	Files  map[string]fileNote  `json:"files"` // by name
}

type tableNote struct {
	Empty bool `json:"empty"` // when its first file was begun
	Again bool `json:"again"` // a file of it was loaded over what there was of it
}

type fileNote struct {
	Size     int64 `json:"size"`
	Modified int64 `json:"modified"`
	Done     bool  `json:"done"`
	Rows     int64 `json:"rows"`
}

// resumedImport is an import that goes on where it was ended.
type resumedImport struct {
	importNotes
	path   string
	c      *pgconn.PgConn
	upsert bool
	begun  bool // by a run before
	stdout io.Writer
}

// serverOf names the server of a DSN, without its password.
func serverOf(dsn string) string {
	cfg, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return dsn // it was connected to
	}
	return fmt.Sprintf("%s port %d database %s", cfg.Host, cfg.Port, cfg.Database)
}

// openResumed reads the notes of path, if there are any, which must be of the same target.
func openResumed(c *pgconn.PgConn, path, target string, upsert bool, stdout io.Writer) (*resumedImport, error) {
	r := &resumedImport{path: path, c: c, upsert: upsert, stdout: stdout}
	if err := r.read(target); err != nil {
		return nil, err
	}
	r.Target, r.Lock = target, cmp.Or(r.Lock, rand.Int64())
	return r, nil
}

// read reads the notes.
func (r *resumedImport) read(target string) error {
	r.importNotes = importNotes{}
	text, err := os.ReadFile(r.path)
	if r.begun = err == nil; r.begun {
		if err := json.Unmarshal(text, &r.importNotes); err != nil {
			return fmt.Errorf("%s has no notes of an import: %w", r.path, err)
		}
	} else if !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if r.begun && r.Target != target {
		return fmt.Errorf("%s has the notes of an import into %s, not %s: name another file by --notes, or remove it to begin anew", r.path, r.Target, target)
	}
	if r.Run == nil {
		r.Run = map[string]int{}
	}
	if r.Tables == nil {
		r.Tables, r.Files = map[string]tableNote{}, map[string]fileNote{}
	}
	return nil
}

// alone waits until the server has ended the session of a run before: its last COPY may come to its
// end after whoever sent it. What that run has noted is read after it.
func (r *resumedImport) alone(ctx context.Context) error {
	got, err := ask(ctx, r.c, fmt.Sprintf("SELECT pg_try_advisory_lock(%d)", r.Lock))
	if err != nil {
		return err
	}
	if got[0][0] != "t" {
		fmt.Fprintln(r.stdout, "waiting for the run before, whose session the server has not ended")
		if _, err := ask(ctx, r.c, fmt.Sprintf("SELECT pg_advisory_lock(%d)", r.Lock)); err != nil {
			return err
		}
	}
	if !r.begun {
		return r.note()
	}
	lock := r.Lock
	err = r.read(r.Target)
	r.Lock = lock
	return errors.Join(err, r.note())
}

// note writes the notes down. They outlive the machine, as what is loaded does.
func (r *resumedImport) note() error {
	text, err := json.MarshalIndent(r.importNotes, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.OpenFile(r.path+".part", os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err := os.Rename(r.path+".part", r.path); err != nil {
		return err
	}
	folder, err := os.Open(filepath.Dir(r.path))
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}

// run loads what has not been loaded, between the statements of files before and after.
func (r *resumedImport) run(ctx context.Context, dir string, before, after []string, tables []tableName, files map[tableName][]string) error {
	if err := r.alone(ctx); err != nil {
		return err
	}
	statements := func(names []string) error {
		for _, name := range names {
			if err := r.statements(ctx, dir, name); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
		return nil
	}
	if err := statements(before); err != nil {
		return err
	}
	for _, t := range tables {
		if err := r.table(ctx, t, files[t]); err != nil {
			return fmt.Errorf("table %s: %w", t, err)
		}
	}
	return statements(after)
}

// made are the errors of a definition of what is there.
var made = []string{sqlerr.DuplicateTable.String(), sqlerr.DuplicateSchema.String(), sqlerr.DuplicateObject.String()}

// ofSession says that a statement is for what follows it in its session.
func ofSession(st *tree.Statement) bool {
	switch st.Utility.(type) {
	case *tree.Set, *tree.Reset:
		return true
	}
	return false
}

// statements runs those of a file from the first on that was not run. That one may have been run
// and not noted. What is said for the rest of a session is said again.
func (r *resumedImport) statements(ctx context.Context, dir, name string) error {
	list, err := statementsOf(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	unnoted := r.begun
	for i, st := range list {
		if i < r.Run[name] && !ofSession(st) {
			continue
		}
		_, err := ask(ctx, r.c, st.Text)
		var refused *pgconn.PgError
		if unnoted && errors.As(err, &refused) && slices.Contains(made, refused.Code) {
			err = nil
		}
		if err != nil {
			return err
		}
		if i < r.Run[name] {
			continue
		}
		unnoted, r.Run[name] = false, i+1
		if err := r.note(); err != nil {
			return err
		}
	}
	return nil
}

// table loads the files of a table that are left: each by itself, or all at once where the table has
// no primary key, by which rows could replace themselves.
func (r *resumedImport) table(ctx context.Context, t tableName, paths []string) error {
	var left []string
	before := 0
	for _, path := range paths {
		was, err := r.look(path)
		if err != nil {
			return err
		}
		if was.Done {
			before++
		} else {
			left = append(left, path)
		}
	}
	regclass := ident.Literal(t.String()) + "::regclass"
	keys, err := ask(ctx, r.c, "SELECT 1 FROM pg_index WHERE indisprimary AND indrelid = "+regclass)
	if err != nil {
		return err
	}
	if _, known := r.Tables[t.String()]; !known {
		empty, err := r.empty(ctx, t)
		if err != nil {
			return err
		}
		r.Tables[t.String()] = tableNote{Empty: empty}
	}
	var units [][]string
	if len(keys) > 0 {
		units = slices.Collect(slices.Chunk(left, 1))
	} else if len(left) > 0 {
		units = [][]string{left}
	}
	var rows int64
	for _, unit := range units {
		n, err := r.load(ctx, t, unit, len(keys) > 0)
		if err != nil {
			return err
		}
		rows += n
	}
	if err := r.compare(ctx, t, paths); err != nil {
		return err
	}
	if before > 0 {
		fmt.Fprintf(r.stdout, "%s: %d rows; %d of %d files were loaded before\n", t, rows, before, len(paths))
	} else {
		fmt.Fprintf(r.stdout, "%s: %d rows\n", t, rows)
	}
	return nil
}

// look gives what is noted of a file, which must not have changed since.
func (r *resumedImport) look(path string) (fileNote, error) {
	info, err := os.Stat(path)
	if err != nil {
		return fileNote{}, err
	}
	was, known := r.Files[filepath.Base(path)]
	now := fileNote{Size: info.Size(), Modified: info.ModTime().UnixNano()}
	if !known {
		return now, nil
	}
	if was.Size != now.Size || was.Modified != now.Modified {
		return was, fmt.Errorf("%s has changed since the import was begun", path)
	}
	return was, nil
}

func (r *resumedImport) empty(ctx context.Context, t tableName) (bool, error) {
	some, err := ask(ctx, r.c, "SELECT 1 FROM "+t.String()+" LIMIT 1")
	return len(some) == 0, err
}

// load loads files by one COPY.
func (r *resumedImport) load(ctx context.Context, t tableName, unit []string, keyed bool) (int64, error) {
	of, upsert := r.Tables[t.String()], r.upsert
	begun := slices.ContainsFunc(unit, func(path string) bool { _, ok := r.Files[filepath.Base(path)]; return ok })
	switch {
	case begun && !keyed:
		empty, err := r.empty(ctx, t)
		if err != nil {
			return 0, err
		}
		if !empty {
			return 0, errors.New("it has no primary key and its import was ended, so that which of its rows are of the files is not known: remove them, as by TRUNCATE, and go on with --resume")
		}
	case begun && of.Empty && !upsert:
		of.Again, upsert = true, true
		r.Tables[t.String()] = of
	}
	for _, path := range unit {
		at, err := r.look(path)
		if err != nil {
			return 0, err
		}
		r.Files[filepath.Base(path)] = at
	}
	if err := r.note(); err != nil {
		return 0, err
	}
	n, err := loadFiles(ctx, r.c, unit, t, upsert)
	var refused *pgconn.PgError
	switch {
	case err == nil:
	case errors.As(err, &refused) && begun && !upsert && refused.Code == sqlerr.UniqueViolation.String():
		return 0, fmt.Errorf("%w: the table had rows before the import, and %s was being loaded when that was ended: with --upsert its rows replace those of the same key", err, filepath.Base(unit[0]))
	case errors.As(err, &refused) && !begun && keyed && refused.Code[:2] != "57" && !r.c.IsClosed():
		// The server has refused it and says so: another run does not let rows replace any.
		for _, path := range unit {
			delete(r.Files, filepath.Base(path))
		}
		return 0, errors.Join(err, r.note())
	default:
		return 0, err
	}
	for i, path := range unit {
		at := r.Files[filepath.Base(path)]
		if at.Done = true; i == 0 {
			at.Rows = n
		}
		r.Files[filepath.Base(path)] = at
	}
	return n, r.note()
}

// compare counts the rows of a table whose rows may have replaced others: a key that two rows of the
// files have would be refused by COPY, and is told here.
func (r *resumedImport) compare(ctx context.Context, t tableName, paths []string) error {
	if !r.Tables[t.String()].Again || r.upsert {
		return nil
	}
	var loaded int64
	for _, path := range paths {
		loaded += r.Files[filepath.Base(path)].Rows
	}
	count, err := ask(ctx, r.c, "SELECT count(*) FROM "+t.String())
	if err == nil && count[0][0] != fmt.Sprint(loaded) {
		err = fmt.Errorf("it has %s rows, and its files %d: rows of the files have the same key, or others have written", count[0][0], loaded)
	}
	return err
}
