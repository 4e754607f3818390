package pebble

import (
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/cockroachdb/pebble/v2"
)

// logger hands Pebble's messages to slog.
type logger struct {
	log *slog.Logger
	s   *Store
}

func (l logger) Infof(format string, args ...any) {
	l.log.Debug("pebble: " + fmt.Sprintf(format, args...))
}

func (l logger) Errorf(format string, args ...any) {
	l.log.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf is called where Pebble cannot go on. It must not return: going on would
// acknowledge writes that are lost.
func (l logger) Fatalf(format string, args ...any) {
	l.s.trip(fmt.Errorf(format, args...))
	halt()
}

// complaintPause is the least time between two reports of background errors:
// Pebble tries again at once, and each try may fail.
const complaintPause = 10 * time.Second

// eventListener reports what an operator must know of.
func eventListener(log *slog.Logger) pebble.EventListener {
	var last atomic.Int64
	var quiet atomic.Int64
	return pebble.EventListener{
		BackgroundError: func(err error) {
			now, was := time.Now().UnixNano(), last.Load()
			if now-was < int64(complaintPause) || !last.CompareAndSwap(was, now) {
				quiet.Add(1)
				return
			}
			log.Error("pebble: background error", "err", err.Error(), "more_since_last", quiet.Swap(0))
		},
		DataCorruption:  func(info pebble.DataCorruptionInfo) { log.Error("pebble: data corruption", "info", info.String()) },
		DiskSlow:        func(info pebble.DiskSlowInfo) { log.Warn("pebble: slow disk", "info", info.String()) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) { log.Warn("pebble: writes are stalled", "info", info.String()) },
		WriteStallEnd:   func() { log.Warn("pebble: writes go on") },
	}
}
