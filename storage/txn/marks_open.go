package txn

import (
	"sync"
	"time"
)

// openMarks are the staged writes of this server that may still write a row: those under way, and
// those of unknown outcome, whose last call may land when they have ended. Every mark of a write is
// younger than its beginning, so that marks from before the oldest of these are of writes that have ended.
type openMarks struct {
	mu       sync.Mutex
	underWay map[*StagedWrite]int64 // when each began, µs
	doubts   []doubt                // by when they are over
}

// doubt is a time after which writes of unknown outcome began, the last of which may land until over.
type doubt struct {
	began int64
	over  time.Time
}

// doubtsAtOnce is how many doubts are told apart: those that are over at almost the same time are one.
const doubtsAtOnce = 64

// begin is the beginning of w.
func (o *openMarks) begin(w *StagedWrite, clock *Clock) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.underWay == nil {
		o.underWay = map[*StagedWrite]int64{}
	}
	o.underWay[w] = clock.Now()
}

// end is the end of w. A write of unknown outcome may land for so long after it.
func (o *openMarks) end(w *StagedWrite, unknown bool, late time.Duration) {
	o.mu.Lock()
	defer o.mu.Unlock()
	began, over := o.underWay[w], time.Now().Add(late)
	delete(o.underWay, w)
	if !unknown {
		return
	}
	if n := len(o.doubts); n > 0 && over.Sub(o.doubts[n-1].over) < late/doubtsAtOnce {
		o.doubts[n-1] = doubt{min(began, o.doubts[n-1].began), over}
		return
	}
	o.doubts = append(o.doubts, doubt{began, over})
}

// oldest gives the time from before which no mark is of a write that is open, µs.
func (o *openMarks) oldest(clock *Clock) int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	t := clock.Now()
	for _, began := range o.underWay {
		t = min(t, began)
	}
	for len(o.doubts) > 0 && !time.Now().Before(o.doubts[0].over) {
		o.doubts = o.doubts[1:]
	}
	for _, d := range o.doubts {
		t = min(t, d.began)
	}
	return t
}

// MarksEnded gives a time, in µs by this manager's clock: every mark that it has made in an entry
// before is of a write that has ended, and will not land.
func (m *Manager) MarksEnded() int64 { return m.marks.oldest(m.clock) }
