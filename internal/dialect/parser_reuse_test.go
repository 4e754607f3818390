package dialect

import (
	"sync"
	"testing"

	"github.com/pingcap/tidb/pkg/parser/ast"
)

// positions sums up where the nodes of a tree stand.
type positions struct{ sum int }

func (p *positions) Enter(n ast.Node) (ast.Node, bool) {
	p.sum += n.OriginTextPosition()
	return n, false
}

func (p *positions) Leave(n ast.Node) (ast.Node, bool) { return n, true }

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
					var p positions
					stmts[0].AST.Accept(&p)
				}
			}
		})
	}
	wg.Wait()
}
