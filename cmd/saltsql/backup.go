package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/pebble/backup"
)

const backupIntro = `
saltsql backup DIR adds a backup of an embedded store to folder DIR: one moment of all
tables, while the server goes on. Of files that DIR has from backups before, nothing is
copied. DIR may lie on another disk, and should; nothing else may write there.

Without a server that has the store open, the folder is copied as it lies. It runs as the
server's user, on the server's machine: it reads the store's folder.

On Bigtable it has the service back up all tables, into a cluster of the instance; the
service removes them after --expire. DDL waits meanwhile. The tables are of moments close
together, not of one: restore mends indexes.

Examples:
  saltsql backup --store pebble:/var/lib/saltsql /mnt/backups/saltsql
  saltsql backup --store pebble:/var/lib/saltsql --keep 14 /mnt/backups/saltsql
  saltsql backup --store bigtable://my-project/my-instance --cluster my-instance-c1`

const restoreIntro = `
saltsql restore DIR writes the newest backup in folder DIR, or the one that --at names,
into the folder of --store, which must be empty. What was killed may be run again, and
goes on. Until it is done, no server opens the folder.

On Bigtable it makes the tables of a backup in another instance of the project, or in one
that has lost them, by the names they had. No server may use that one until it is done.

Examples:
  saltsql restore --store pebble:./restored /mnt/backups/saltsql
  saltsql restore --store bigtable://my-project/new --cluster my-instance-c1 bigtable://my-project/my-instance`

const verifyIntro = `
saltsql verify DIR reads every file of every backup in folder DIR and compares it with
what was written, then opens the newest one and checks its catalog and its rows.

saltsql verify --cluster NAME bigtable://PROJECT/INSTANCE lists the backups of an instance
on Bigtable, and says whether each has all its tables.

It ends with status 0 where all is well, 1 where something was found, and 2 where it
could not look.`

// errFound ends the program with status 1: what was found is printed already.
var errFound = errors.New("found")

// folderOf gives the folder of an embedded store's URL.
func folderOf(url string) (string, error) {
	dir, ok := strings.CutPrefix(url, "pebble:")
	if !ok || dir == "" {
		return "", fmt.Errorf("store %q is not pebble:DIR", url)
	}
	return filepath.Abs(strings.TrimPrefix(dir, "//"))
}

// storeVar is the flag --store.
func storeVar(fs *flag.FlagSet, doc string) *string {
	return fs.String("store", "pebble:./saltsql-data", doc)
}

func backupStore(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("backup", backupIntro, stdout)
	url := storeVar(fs, "store `URL`: pebble:DIR or bigtable://PROJECT/INSTANCE")
	keep := fs.Int("keep", 0, "remove all backups but the newest `NUMBER`; 0 keeps all")
	cluster := clusterVar(fs)
	var expire time.Duration
	fs.Var(durationVar(&expire, 7*24*time.Hour), "expire", "`DURATION` after which Bigtable removes the backup, from 6h to 2160h")
	args, err := parseArgs(fs, args, stderr, "DIR…")
	if err != nil {
		return err
	}
	if *keep < 0 {
		return fmt.Errorf("--keep %d is below 0", *keep)
	}
	if onBigtable(*url) {
		if len(args) > 0 {
			return misused(fs, stderr, fmt.Errorf("unexpected argument %q: on Bigtable the service keeps backups, in --cluster", args[0]))
		}
		return backupBigtable(ctx, *url, *cluster, expire, *keep, stdout, stderr)
	}
	switch {
	case len(args) == 0:
		return misused(fs, stderr, errors.New("it takes DIR"))
	case len(args) > 1:
		return misused(fs, stderr, fmt.Errorf("unexpected argument %q", args[1]))
	}
	from, err := folderOf(*url)
	if err != nil {
		return err
	}
	done, err := makeBackup(ctx, from, args[0], stderr)
	if err != nil {
		return err
	}
	m := done.Manifest
	fmt.Fprintf(stdout, "backup %s: %d files of %s, of which %d of %s were new; %d tables.\n",
		m.Name(), len(m.Files), memory.Size(m.Bytes()), done.Copied, memory.Size(done.Bytes), m.Tables)
	if *keep == 0 {
		return nil
	}
	removed, err := backup.Prune(args[0], *keep)
	if removed > 0 {
		fmt.Fprintf(stdout, "%d older ones are removed.\n", removed)
	}
	return err
}

// liesIn says that dir, which may be still to be made, is folder or in it, wherever links lead.
func liesIn(dir, folder string) (bool, error) {
	at, err := filepath.Abs(dir)
	if err != nil {
		return false, err
	}
	for {
		real, err := filepath.EvalSymlinks(at)
		if err == nil {
			at = real
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			return false, err
		}
		at = filepath.Dir(at)
	}
	of, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	for err == nil {
		var here os.FileInfo
		if here, err = os.Stat(at); err == nil && os.SameFile(here, of) {
			return true, nil
		}
		if at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	return false, err
}

// makeBackup copies what the store's server gives, or, where there is none, the folder.
func makeBackup(ctx context.Context, from, dir string, stderr io.Writer) (*backup.Done, error) {
	switch in, err := liesIn(dir, from); {
	case err != nil:
		return nil, err
	case in:
		return nil, fmt.Errorf("folder %s lies in the store's own", dir)
	}
	checkpoint, release, err := askCheckpoint(from)
	if err == nil {
		defer release()
		about, _, err := lookInto(ctx, checkpoint, stderr)
		if err != nil {
			return nil, err
		}
		return backup.Make(ctx, checkpoint, dir, about)
	}
	if !errors.Is(err, errNoServer) {
		return nil, err
	}
	about, close, err := lookInto(ctx, from, stderr)
	if err != nil {
		return nil, err
	}
	done, err := backup.Make(ctx, from, dir, about)
	return done, errors.Join(err, close())
}

// lookInto opens the store in dir without changing it. A checkpoint is one store more of
// this process; a folder stays locked until close.
func lookInto(ctx context.Context, dir string, stderr io.Writer) (about backup.About, close func() error, err error) {
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := pebble.OpenContext(ctx, dir, &pebble.Options{Logger: log, ReadOnly: true, CacheBytes: 8 << 20})
	if err != nil {
		return backup.About{}, nil, err
	}
	about = backup.About{Version: version(), StoreFormat: store.Format()}
	cat, err := live.Open(ctx, store, live.Observer, live.OpenOptions{Logger: log})
	switch {
	case err == nil:
		about.CatalogVersion, about.Tables = cat.Snapshot().Version(), len(cat.Snapshot().Tables())
		err = cat.Close()
	case storage.CodeOf(err) == storage.CodeNotFound: // an empty store
		err = nil
	}
	if err != nil {
		return backup.About{}, nil, errors.Join(err, store.Close())
	}
	return about, store.Close, nil
}

func restore(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("restore", restoreIntro, stdout)
	url := storeVar(fs, "`URL` of the store to make: pebble:DIR or bigtable://PROJECT/INSTANCE")
	at := fs.String("at", "", "`NAME` of a backup, as it was told when it was made (default the newest)")
	cluster := clusterVar(fs)
	args, err := parseArgs(fs, args, stderr, "DIR")
	if err != nil {
		return err
	}
	if onBigtable(*url) || onBigtable(args[0]) {
		return restoreBigtable(ctx, *url, args[0], *cluster, *at, stdout, stderr)
	}
	target, err := folderOf(*url)
	if err != nil {
		return err
	}
	m, err := backup.Restore(ctx, args[0], *at, target)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "backup %s is restored into %s: %d files of %s, %d tables.\n", m.Name(), target, len(m.Files), memory.Size(m.Bytes()), m.Tables)
	return err
}

func verify(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("verify", verifyIntro, stdout)
	cluster := clusterVar(fs)
	tables := fs.Bool("tables", false, "say of each table of a backup on Bigtable when it was begun and ended")
	args, err := parseArgs(fs, args, stderr, "DIR")
	if err != nil {
		return err
	}
	dir := args[0]
	if onBigtable(dir) {
		return verifyBigtable(ctx, dir, *cluster, *tables, stdout, stderr)
	}
	found, err := backup.Verify(ctx, dir)
	for _, f := range found {
		fmt.Fprintln(stdout, f)
	}
	switch {
	case err != nil:
		return couldNot(err)
	case len(found) > 0:
		return errFound
	}
	m, err := backup.Load(dir, "")
	if err != nil {
		return couldNot(err)
	}
	view, err := os.MkdirTemp("", "saltsql-verify-")
	if err != nil {
		return couldNot(err)
	}
	defer os.RemoveAll(view)
	if err := backup.View(dir, m, view); err != nil {
		return couldNot(err)
	}
	fmt.Fprintf(stdout, "backup %s: %d files of %s are as they were written.\n", m.Name(), len(m.Files), memory.Size(m.Bytes()))
	return checkURL(ctx, "pebble:"+view, stdout, stderr)
}
