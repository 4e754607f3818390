package versions

import (
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/catalog"
)

// TestReadGate begins and ends reads on several goroutines while the catalog changes: no version
// is thought to be unread that somebody reads by, and in the end all are.
func TestReadGate(t *testing.T) {
	const versions, perVersion = 200, 20
	c := &Keeper{}
	become := func(version uint64) {
		c.snap.Store(catalog.NewSnapshot(catalog.Root{Version: version}, catalog.Layered[uint32, catalog.Object]{}, nil))
	}
	become(1)
	var readers sync.WaitGroup
	for g := range uint64(4) {
		readers.Add(1)
		go func() {
			defer readers.Done()
			r := rand.New(rand.NewPCG(g, 0))
			var held []uint64
			for range versions * perVersion {
				held = append(held, c.BeginRead().Version())
				for _, v := range held {
					if oldest := c.oldestReadHere(); oldest > v {
						t.Errorf("version %d is read by, and %d is said to be the oldest", v, oldest)
					}
				}
				for len(held) > r.IntN(4) {
					i := r.IntN(len(held))
					c.EndRead(held[i])
					held = append(held[:i], held[i+1:]...)
				}
			}
			for _, v := range held {
				c.EndRead(v)
			}
		}()
	}
	for v := uint64(2); v <= versions; v++ {
		become(v)
		for range perVersion {
			c.EndRead(c.BeginRead().Version())
		}
	}
	readers.Wait()
	if oldest := c.oldestReadHere(); oldest != versions {
		t.Errorf("nobody reads, and %d is the oldest", oldest)
	}
	c.EndRead(c.BeginRead().Version())
	become(versions + 1)
	c.EndRead(c.BeginRead().Version())
	if n := len(c.reads.open); n != 1 {
		t.Errorf("%d versions are kept without readers", n-1)
	}
}
