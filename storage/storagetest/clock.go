package storagetest

import (
	"sync"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// testClock asks what a store's clock shows, which may differ from this machine's: it stands still at
// most, whatever was in the cell before, and however many ask.
func testClock(e *env) {
	t, at := e.table("t"), col("f:clock")
	if !e.s.Caps().Clock {
		_, err := t.Clock(e.ctx, []byte("k"), at)
		e.code(err, storage.CodeUnsupported)
		return
	}
	e.put(t, "k f:a@1=x f:clock@4102444800000=ahead g:clock@2=y") // in the year 2100
	ask := func(key string) time.Time {
		now, err := t.Clock(e.ctx, []byte(key), at)
		e.must(err)
		return now
	}
	first := ask("k")
	if off := time.Since(first).Abs(); off > 24*time.Hour {
		e.t.Errorf("the store's clock is off by %v", off)
	}
	var wg sync.WaitGroup
	var shown [4][8]time.Time
	for i := range shown {
		wg.Go(func() {
			for j := range shown[i] {
				var err error
				if shown[i][j], err = t.Clock(e.ctx, []byte("k"), at); err != nil {
					e.t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	last := ask("another")
	for _, list := range shown {
		was := first
		for _, now := range list {
			if now.Before(was) || now.After(last) {
				e.t.Errorf("%v after %v, before %v", now, was, last)
			}
			was = now
		}
	}
	req := storage.ScanRequest{Project: cols("f:a", "g:clock")}
	e.want(e.get(t, req, "k"), "k f:a@1=x g:clock@2=y")
	_, err := e.s.Table("none").Clock(e.ctx, []byte("k"), at)
	e.code(err, storage.CodeNotFound)
}
