package bench

import (
	"syscall"
	"testing"
	"time"
)

// reportCPU gives what, called after the loop, reports the processor time that
// this process took for a round, on all processors: it says more than the time
// on a machine that has other work.
func reportCPU(b *testing.B) func() {
	from := processorTime(b)
	return func() {
		b.ReportMetric(float64((processorTime(b)-from).Microseconds())/1000/float64(b.N), "cpu-ms/op")
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
