package dialect

import (
	"reflect"
	"sync"
	"testing"
)

// TestTreesAreLeftAlone is for the race detector: a statement is bound while its
// parser has gone on to another on another goroutine.
func TestTreesAreLeftAlone(t *testing.T) {
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				for _, text := range []string{"UPDATE t SET v = 0 WHERE v IS NULL", "UPDATE t SET v = -1 WHERE k = $1", "SELECT a, b IS NOT NULL FROM t ORDER BY a"} {
					stmts, err := Parse(text)
					if err != nil {
						t.Error(err)
						return
					}
					whole(t, stmts[0], reflect.ValueOf(stmts[0].DML))
				}
			}
		})
	}
	wg.Wait()
}
