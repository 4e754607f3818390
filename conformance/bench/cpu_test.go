package bench

import (
	"syscall"
	"testing"
	"time"
)

// reportCPU gives what, called after the loop, reports the processor time that
// this process took for a round, on all processors: it says more than the time
// on a machine that has other work. It is in milliseconds, or in microseconds where
// rounds are short.
func reportCPU(b *testing.B) func() {
	from := processorTime(b)
	return func() {
		each := float64((processorTime(b) - from).Nanoseconds()) / float64(b.N)
		if each < 1e6 {
			b.ReportMetric(each/1e3, "cpu-µs/op")
		} else {
			b.ReportMetric(each/1e6, "cpu-ms/op")
		}
	}
}

func processorTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
