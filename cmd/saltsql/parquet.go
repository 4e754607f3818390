//go:build parquet

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/guard"
	"github.com/saltsql/saltsql/internal/parquetfile"
)

var errNoParquet error // there is Parquet

// parquet writes a table as Parquet files: SCHEMA.TABLE.parquet,
// SCHEMA.TABLE.2.parquet and so on. Columns that are computed from others are
// left out, as COPY does.
func (x *exporter) parquet(ctx context.Context, t tableName) (rows int64, err error) {
	c := x.c
	query, err := x.query(ctx, t)
	if err != nil {
		return 0, err
	}
	q, err := c.Prepare(ctx, "", query, nil)
	if err != nil {
		return 0, err
	}
	var cols []parquetfile.Column
	for _, f := range q.Fields {
		cols = append(cols, parquetfile.Column{Name: f.Name, OID: f.DataTypeOID, Modifier: f.TypeModifier})
	}
	in := c.ExecPrepared(ctx, "", nil, nil, parquetfile.Formats(cols))
	more := in.NextRow()
	for part := 1; err == nil && (more || part == 1); part++ {
		err = newFile(x.path(t, parquetSuffix, part), func(w io.Writer) error {
			to := &counted{Writer: w}
			out, err := parquetfile.NewWriter(to, t[1], cols)
			if err != nil {
				return err
			}
			for ; more && to.n < x.fileSize; more = in.NextRow() {
				if err := out.Row(in.Values()); err != nil {
					return fmt.Errorf("row %d, %w", rows+1, err)
				}
				rows++
			}
			return out.Close()
		})
	}
	if err != nil {
		// Nobody wants the rows that are left.
		return rows, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
	}
	_, err = in.Close()
	return rows, err
}

// importParquet loads the files of a table by one COPY.
func importParquet(ctx context.Context, c *pgconn.PgConn, paths []string, t tableName, upsert bool) (int64, error) {
	var files []*parquetfile.Reader
	for _, path := range paths {
		f, err := os.Open(path)
		if err != nil {
			return 0, err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return 0, err
		}
		r, err := parquetfile.NewReader(f, info.Size())
		if err != nil {
			return 0, fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, r)
		if !slices.Equal(files[0].Columns(), r.Columns()) {
			return 0, fmt.Errorf("%s has other columns than %s", path, paths[0])
		}
	}
	out, in := io.Pipe()
	go func() {
		in.CloseWithError(guard.Run(func() error {
			for i, r := range files {
				if err := r.WriteCSV(in); err != nil {
					return fmt.Errorf("%s: %w", paths[i], err)
				}
			}
			return nil
		}))
	}()
	defer out.Close()
	return copyFrom(ctx, c, out, t, files[0].Columns(), "FORMAT csv", upsert)
}
