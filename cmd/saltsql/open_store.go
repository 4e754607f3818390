package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
)

// openStore maps a store URL to an open store.
func openStore(ctx context.Context, url string, plan memoryPlan, reserve int64, log *slog.Logger) (storage.Store, error) {
	scheme, rest, ok := strings.Cut(url, ":")
	switch {
	case ok && scheme == "pebble" && rest != "":
		return pebble.OpenContext(ctx, strings.TrimPrefix(rest, "//"), &pebble.Options{
			Logger: log, CacheBytes: plan.cache, MemTableBytes: plan.memTable, ReserveBytes: reserve, OnFatal: endProcess,
		})
	case ok && scheme == "mem" && rest == "":
		return mem.New(), nil
	case ok && scheme == "bigtable":
		cfg, err := bigtable.ParseURL(url)
		if err != nil {
			return nil, err
		}
		return bigtable.Open(ctx, cfg)
	}
	return nil, checkStoreURL(url)
}

// checkStoreURL says what is wrong with a store's URL, before anything is opened.
func checkStoreURL(url string) error {
	scheme, rest, ok := strings.Cut(url, ":")
	switch {
	case ok && scheme == "pebble" && rest != "", ok && scheme == "mem" && rest == "":
		return nil
	case ok && scheme == "bigtable":
		_, err := bigtable.ParseURL(url)
		return err
	}
	return fmt.Errorf("store %q is not one of pebble:DIR, mem:, bigtable://PROJECT/INSTANCE[?app_profile=NAME]", url)
}

// reach makes sure that a remote store answers before the catalog is read.
// wait has it try until it does, or ctx ends.
func reach(ctx context.Context, store storage.Store, wait bool, log *slog.Logger) error {
	remote, ok := store.(*bigtable.Store)
	if !ok {
		return nil
	}
	for {
		err := remote.Reach(ctx)
		if err == nil || !wait || ctx.Err() != nil {
			return err
		}
		log.Warn("the store is not reached; trying again", "err", describe(err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Second):
		}
	}
}
