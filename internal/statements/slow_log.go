package statements

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// slowPerSecond is how many statements the slow log tells of in a second.
const slowPerSecond = 100

// SlowLog writes a line for each statement that took log_min_duration_statement, up to
// a bound.
type SlowLog struct {
	Logger *slog.Logger

	mu      sync.Mutex
	second  int64
	lines   int
	dropped int64 // since the last line
	total   int64
}

// Log writes the line that what makes, unless there were too many in this second.
func (l *SlowLog) Log(what func() []slog.Attr) {
	dropped, ok := l.take(time.Now())
	if !ok {
		return
	}
	attrs := what()
	if dropped > 0 {
		attrs = append(attrs, slog.Int64("lines_dropped", dropped))
	}
	l.Logger.LogAttrs(context.Background(), slog.LevelInfo, "slow statement", attrs...)
}

// take says whether a line may be written now, and how many were not since the last one.
func (l *SlowLog) take(now time.Time) (dropped int64, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if s := now.Unix(); s != l.second {
		l.second, l.lines = s, 0
	}
	if l.lines == slowPerSecond {
		l.dropped++
		l.total++
		return 0, false
	}
	l.lines++
	dropped, l.dropped = l.dropped, 0
	return dropped, true
}

// Dropped is how many lines were left out since the beginning.
func (l *SlowLog) Dropped() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.total
}
