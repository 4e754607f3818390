package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"time"

	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/push"
)

const pushIntro = `
saltsql push copies all of one store to another: rows byte by byte with their timestamps,
and the catalog last, so that the target has all tables or none. Then servers may be started
on the target. It may be killed and run again: what is done is not copied again. At the end,
each piece is read on both sides, and copied again where they differ.

No server may have an embedded source open; push a backup of it instead, restored. On
Bigtable, stop the servers of the source: what they write meanwhile is copied or not, and
push fails where it sees that. What has more versions than one arrives with its newest.

Examples:
  saltsql push --from pebble:./data --to bigtable://my-project/my-instance
  saltsql push --from bigtable://my-project/my-instance --to pebble:./copy`

func pushStore(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	fs := newFlags("push", pushIntro, stdout)
	fromURL := fs.String("from", "", "store `URL` to read: pebble:DIR or bigtable://PROJECT/INSTANCE[?app_profile=NAME]")
	toURL := fs.String("to", "", "store `URL` to write, without a catalog")
	streams := fs.Int("streams", 4, "`NUMBER` of pieces that are copied at a time, from 1 to 64")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	switch {
	case *fromURL == "" || *toURL == "":
		return errors.New("--from and --to are both needed")
	case *fromURL == *toURL:
		return errors.New("--from and --to name one store")
	case *streams < 1 || *streams > 64:
		return fmt.Errorf("--streams %d is not from 1 to 64", *streams)
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	from, err := openToRead(ctx, *fromURL, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	cat, err := live.Open(ctx, from, live.Observer, live.OpenOptions{Logger: log})
	if err != nil {
		return err
	}
	uid := cat.Snapshot().UID()
	for _, t := range cat.Snapshot().Tables() {
		if t.Options.Transactional {
			return errors.Join(fmt.Errorf("table %s.%s is TRANSACTIONAL, which a copy of its storage is not: use saltsql export and import", ident.Quote(t.Schema), ident.Quote(t.Name)), cat.Close())
		}
	}
	if err := cat.Close(); err != nil {
		return err
	}
	to, err := openStore(ctx, *toURL, memoryPlan{}, 0, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	if err := reach(ctx, to, false, log); err != nil {
		return err
	}
	r, err := push.Run(ctx, from, to, push.Options{
		Source: uid, LastTable: versions.SystemTable, LastRow: []byte(versions.RootKey), Streams: *streams, Progress: everySecond(stderr),
	})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%d tables are pushed: %d rows of %s by this run; %d rows compared, %d pieces copied again.\n", r.Tables, r.Rows, memory.Size(r.Bytes), r.Compared, r.Mended)
	return err
}

// everySecond prints how far a push is, at most once in a second.
func everySecond(w io.Writer) func(push.Report) {
	last := time.Now()
	return func(r push.Report) {
		if time.Since(last) < time.Second {
			return
		}
		last = time.Now()
		fmt.Fprintf(w, "%d tables and %d pieces are done; %d rows of %s copied\n", r.Tables, r.Pieces, r.Rows, memory.Size(r.Bytes))
	}
}
