package pebble

import (
	"fmt"
	"log/slog"

	"github.com/cockroachdb/pebble/v2"
)

// logger hands Pebble's messages to slog.
type logger struct{ log *slog.Logger }

func (l logger) Infof(format string, args ...any) {
	l.log.Debug("pebble: " + fmt.Sprintf(format, args...))
}

func (l logger) Errorf(format string, args ...any) {
	l.log.Error("pebble: " + fmt.Sprintf(format, args...))
}

// Fatalf is called where Pebble cannot go on, such as a write-ahead log that
// cannot be written. It must not return: going on would acknowledge writes
// that are lost.
func (l logger) Fatalf(format string, args ...any) {
	msg := "pebble: " + fmt.Sprintf(format, args...)
	l.log.Error(msg)
	panic(msg)
}

// eventListener reports what an operator must know of.
func eventListener(log *slog.Logger) pebble.EventListener {
	return pebble.EventListener{
		BackgroundError: func(err error) { log.Error("pebble: background error", "err", err) },
		DataCorruption:  func(info pebble.DataCorruptionInfo) { log.Error("pebble: data corruption", "info", info.String()) },
		DiskSlow:        func(info pebble.DiskSlowInfo) { log.Warn("pebble: slow disk", "info", info.String()) },
		WriteStallBegin: func(info pebble.WriteStallBeginInfo) { log.Warn("pebble: writes are stalled", "info", info.String()) },
		WriteStallEnd:   func() { log.Warn("pebble: writes go on") },
	}
}
