package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage/pebble"
)

// exitFault is the status of a server whose embedded store has failed: its log
// could not be written or synced, so nothing more could be acknowledged. Starting
// it again is right: all acknowledged commits are there. It is sysexits' EX_IOERR.
const exitFault = 74

// endProcess is a store's OnFatal: nobody is answered after it. The store has
// said why on the log.
func endProcess(error) { os.Exit(exitFault) }

// reserveBytes reads --reserve for pebble.Options.
func reserveBytes(text string) (int64, error) {
	switch text {
	case "":
		return 0, nil
	case "0":
		return -1, nil
	}
	n, err := parseSize(text)
	if err != nil {
		return 0, fmt.Errorf("--reserve %q: %w", text, err)
	}
	return n, nil
}

const upgradeIntro = `
saltsql upgrade raises the format of an embedded store to the newest one that this
version writes, and ends. Nothing else does: without it a store keeps the format
that it was made with. Versions before the one that brought the format cannot open
the store afterwards, so make a copy of the folder first. No server may have it open.`

func upgrade(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	fs := newFlags("upgrade", upgradeIntro, stdout)
	url := fs.String("store", "pebble:./saltsql-data", "store `URL`: pebble:DIR")
	if err := parseFlags(fs, args, stderr); err != nil {
		return err
	}
	dir, ok := strings.CutPrefix(*url, "pebble:")
	if !ok || dir == "" {
		return fmt.Errorf("store %q is not pebble:DIR: only embedded stores have a format of their own", *url)
	}
	dir = strings.TrimPrefix(dir, "//")
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	store, err := pebble.OpenContext(ctx, dir, &pebble.Options{Logger: log, Upgrade: true, OnFatal: endProcess})
	if err != nil {
		return err
	}
	format := store.Format()
	catalogFormat, err := versions.Upgrade(ctx, store)
	if err := errors.Join(err, store.Close()); err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s has format %d, its catalog format %d.\n", dir, format, catalogFormat)
	return err
}

// stoppedEarly says that err is only that a signal came before the store was
// open.
func stoppedEarly(ctx context.Context, err error) bool {
	return ctx.Err() != nil && errors.Is(err, ctx.Err())
}
