package storage

import (
	"context"
	"errors"
	"io"
)

// FirstRows is Table.ReadSpans by a Scan, for tables that have nothing cheaper.
func FirstRows(ctx context.Context, t Table, req *ScanRequest, dst *RowBatch) (did ScanStats, ended bool, err error) {
	dst.Reset()
	sc, err := t.Scan(ctx, req)
	if err != nil {
		return did, false, err
	}
	err = sc.Next(dst)
	if ended = errors.Is(err, io.EOF); ended {
		err = nil
	}
	err = errors.Join(err, sc.Close())
	if err != nil {
		dst.Reset()
	}
	return sc.Stats(), ended, err
}

// EachBatch shows all rows of a scan, batch by batch; a batch is visit's until it returns.
// An error of visit ends the scan. A scan that the store breaks off is not begun again: visit
// may have seen some of its rows.
func EachBatch(ctx context.Context, t Table, req *ScanRequest, visit func(*RowBatch) error) error {
	sc, err := t.Scan(ctx, req)
	if err != nil {
		return err
	}
	defer sc.Close()
	var b RowBatch
	for {
		err := sc.Next(&b)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := visit(&b); err != nil {
			return err
		}
	}
}
