package scan

import (
	"reflect"
	"testing"
	"time"

	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

func TestBucketShares(t *testing.T) {
	s := newBucketShares()
	var cells, values storage.RowBatch
	for _, key := range []string{"\x00a", "\x00b", "\x00c", "\x02a"} {
		cells.StartRow([]byte(key))
		cells.AddCell("f", []byte("q"), 1, []byte("12345"))
	}
	s.add(&cells, 40*time.Millisecond, 3*time.Second)
	values.StartColumns(2)
	copy(values.AddValues([]byte("\x02b")), []storage.ValueRef{{Lo: 0, Hi: 2}, storage.Absent})
	s.add(&values, 5*time.Millisecond, 4*time.Second)
	want := []plan.BucketActual{
		{Bucket: 0, Rows: 3, RowsRead: 3, BytesRead: 24, SharedCalls: 7, FirstRow: 3 * time.Second, Time: 30 * time.Millisecond},
		{Bucket: 1, SharedCalls: 7},
		{Bucket: 2, Rows: 2, RowsRead: 2, BytesRead: 12, SharedCalls: 7, FirstRow: 3 * time.Second, Time: 15 * time.Millisecond},
	}
	read := []int{0, 1, 2, 5}
	if got := s.appendTo(nil, read, 7); !reflect.DeepEqual(got, want) {
		t.Errorf("stopped early:\n got %+v\nwant %+v", got, want)
	}
	s.all = true
	want = append(want, plan.BucketActual{Bucket: 5, SharedCalls: 7})
	if got := s.appendTo(nil, read, 7); !reflect.DeepEqual(got, want) {
		t.Errorf("to the end:\n got %+v\nwant %+v", got, want)
	}
}
