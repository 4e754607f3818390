package longlock

import (
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestTimeGoesOn: the holder of a mutex waits for time to pass while others wait for the mutex.
func TestTimeGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Mutex
		var all sync.WaitGroup
		began, held := time.Now(), 0
		for range 5 {
			all.Go(func() {
				m.Lock()
				defer m.Unlock()
				held++
				time.Sleep(time.Second)
			})
		}
		all.Wait()
		if took := time.Since(began); held != 5 || took != 5*time.Second {
			t.Errorf("%d have held it, in %v", held, took)
		}
	})
}

// TestReaders: readers hold it together, and let one in that waits to hold it alone.
func TestReaders(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var m Mutex
		var all sync.WaitGroup
		began := time.Now()
		at := func(d time.Duration, what string) {
			if now := time.Since(began); now != d {
				t.Errorf("%s after %v, not %v", what, now, d)
			}
		}
		for range 3 {
			all.Go(func() {
				m.RLock()
				defer m.RUnlock()
				at(0, "a reader")
				time.Sleep(2 * time.Second)
			})
		}
		time.Sleep(time.Second)
		all.Go(func() {
			m.Lock()
			defer m.Unlock()
			at(2*time.Second, "who holds it alone")
			time.Sleep(time.Second)
		})
		synctest.Wait()
		m.RLock() // behind the one who waits
		at(3*time.Second, "the last reader")
		m.RUnlock()
		all.Wait()
	})
}

func TestUnlockOfAFreeOne(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a mutex that nobody holds was given back")
		}
	}()
	new(Mutex).Unlock()
}
