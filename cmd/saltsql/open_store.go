package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"

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
	return nil, fmt.Errorf("store %q is not one of pebble:DIR, mem:, bigtable://PROJECT/INSTANCE[?app_profile=NAME]", url)
}
