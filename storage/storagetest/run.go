package storagetest

import (
	"context"
	"testing"

	"go.uber.org/goleak"

	"github.com/saltsql/saltsql/storage"
)

// Run runs the suite. open makes an empty store of its own for each test and
// closes it by t.Cleanup; the suite may close it earlier.
func Run(t *testing.T, open func(t testing.TB) storage.Store) {
	tests := []struct {
		name string
		run  func(*env)
	}{
		{"Caps", testCaps},
		{"ScanSpans", testScanSpans},
		{"ScanBatches", testScanBatches},
		{"ScanFillings", testScanFillings},
		{"ScanManySpans", testScanManySpans},
		{"ScanSparseSpans", testScanSparseSpans},
		{"ScanProjection", testScanProjection},
		{"ScanVersions", testScanVersions},
		{"ScanFilter", testScanFilter},
		{"ScanBytes", testScanBytes},
		{"ScanRequests", testScanRequests},
		{"ScanStats", testScanStats},
		{"MultiGet", testMultiGet},
		{"MultiGetMany", testMultiGetMany},
		{"Mutate", testMutate},
		{"MutateMany", testMutateMany},
		{"MutateOldTimestamp", testMutateOldTimestamp},
		{"MutateLatest", testMutateLatest},
		{"MutateWide", testMutateWide},
		{"CheckAndMutate", testCheckAndMutate},
		{"CheckAndMutateArms", testCheckAndMutateArms},
		{"Clock", testClock},
		{"Increment", testIncrement},
		{"DeleteSpan", testDeleteSpan},
		{"Columns", testColumns},
		{"Tablets", testTablets},
		{"Sample", testSample},
		{"Split", testSplit},
		{"Admin", testAdmin},
		{"AdminAlter", testAdminAlter},
		{"NoSuchTable", testNoSuchTable},
		{"NoSuchFamily", testNoSuchFamily},
		{"Limits", testLimits},
		{"LargeCells", testLargeCells},
		{"AnyBytes", testAnyBytes},
		{"Snapshot", testSnapshot},
		{"Batch", testBatch},
		{"BatchAtomic", testBatchAtomic},
		{"Canceled", testCanceled},
		{"CanceledScan", testCanceledScan},
		{"Close", testClose},
		{"CloseWhileBusy", testCloseWhileBusy},
		{"ConcurrentCAS", testConcurrentCAS},
		{"ConcurrentInsert", testConcurrentInsert},
		{"ConcurrentParts", testConcurrentParts},
		{"RowsAreAtomic", testRowsAreAtomic},
		{"LimitIsReached", testLimitIsReached},
		{"Random", testRandom},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			leaks := goleak.IgnoreCurrent()
			t.Cleanup(func() { // after the store's own cleanup
				if err := goleak.Find(leaks); err != nil && !t.Failed() {
					t.Errorf("after Close: %v", err)
				}
			})
			e := &env{t: t, ctx: context.Background(), s: open(t)}
			tt.run(e)
		})
	}
}
