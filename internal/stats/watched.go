package stats

import (
	"time"

	"github.com/saltsql/saltsql/storage"
)

// What follows is asked for by tests alone. They are outside of the package, because sessions, which
// import it, are what they watch it through; in a test file of it, it would have session and all
// between compiled again for them.

// MaxRemoteCalls is how many calls measuring one table may make over a network.
const MaxRemoteCalls = 2 + readsRemote + 1

// MaxWork is how many calls and rows measuring one table may take.
func MaxWork() int64 {
	return storage.MaxSampleWork(mostPieces) + countedRows + measuredReads*readRows + 1
}

// SetDeadlines gives measurements more time.
func (z *Estimates) SetDeadlines(d time.Duration) { z.measureDeadline, z.explainDeadline = d, d }

// Known is how many tables there is something known of, and how many are being measured
// in the background.
func (z *Estimates) Known() (tables, busy int) {
	z.mu.Lock()
	defer z.mu.Unlock()
	return len(z.by), z.busy
}

// MaxAnalyzeWork is how many calls and rows looking at the columns may take besides.
func MaxAnalyzeWork() int64 { return storage.MaxSampleWork(2*sampledReads) + sampledReads }

// Forward has all that was done by time done so much earlier.
func (z *Estimates) Forward(d time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	for _, e := range z.by {
		e.at, e.tried = e.at.Add(-d), e.tried.Add(-d)
	}
}
