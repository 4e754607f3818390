package op

import (
	"reflect"
	"testing"

	"github.com/saltsql/saltsql/planner/plan"
)

func TestMergeBuckets(t *testing.T) {
	got := mergeBuckets(nil, []plan.BucketActual{
		{Bucket: 3, Rows: 1, StorageCalls: 1, RowsRead: 2, BytesRead: 3, FirstRow: 9, Time: 4},
		{Bucket: 1, Rows: 1, SharedCalls: 2},
		{Bucket: 3, Rows: 10, SharedCalls: 2, RowsRead: 20, BytesRead: 30, FirstRow: 5, Time: 40},
		{Bucket: 1, FirstRow: 8},
	})
	want := []plan.BucketActual{
		{Bucket: 1, Rows: 1, SharedCalls: 2, FirstRow: 8},
		{Bucket: 3, Rows: 11, StorageCalls: 1, SharedCalls: 2, RowsRead: 22, BytesRead: 33, FirstRow: 5, Time: 44},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf(" got %+v\nwant %+v", got, want)
	}
}
