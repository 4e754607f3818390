package exec

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// TestTooLargeWording: a limit is told with its unit, the table and the column.
func TestTooLargeWording(t *testing.T) {
	table := testTable(0)
	if err := table.Finish(); err != nil {
		t.Fatal(err)
	}
	cell := storage.CheckRows(storage.OpMutate, "metrics", []storage.RowMutation{{Key: []byte("k"), Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: "0", Qualifier: table.Columns[4].Qualifier, Timestamp: 1000, Value: make([]byte, storage.MaxCellBytes+1),
	}}}})
	for _, tt := range []struct {
		err  error
		want string
	}{
		{cell, `cell of 104857601 bytes exceeds the limit of 104857600 bytes in table "metrics", column "note"`},
		{storage.Errorf(storage.CodeTooLarge, storage.OpMultiGet, "metrics", "the rows asked for are over 4 GiB"), "the rows asked for are over 4 GiB"},
	} {
		e := sqlerr.As(op.MapError(context.Background(), tt.err, []*catalog.Table{table}))
		if e.Code != sqlerr.ProgramLimitExceeded || e.Message != tt.want {
			t.Errorf("%s %s, want %s", e.Code, e.Message, tt.want)
		}
	}
}
