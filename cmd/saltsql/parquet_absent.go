//go:build !parquet

package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"
)

// errNoParquet is what the commands say, before they do anything, where a build has left out the
// library for Parquet, which takes as long to compile as Pebble does: see the Makefile.
var errNoParquet = errors.New("this program was built without Parquet: build it by make build, or by go build -tags parquet ./cmd/saltsql, or take CSV")

func (x *exporter) parquet(context.Context, tableName) (int64, error) { return 0, errNoParquet }

func importParquet(context.Context, *pgconn.PgConn, []string, tableName, bool) (int64, error) {
	return 0, errNoParquet
}
