package plan

import (
	"fmt"

	"github.com/saltsql/saltsql/internal/expr"
)

// pageMargin is how many rows over its fair share each bucket's first page has. Buckets win
// a merge unevenly: with a hash the spread of shares is about their square root.
const pageMargin = 3

// FirstPage is how many rows each of n buckets is asked for first when a merge needs
// limit rows in all; a bucket that keeps winning is asked for more.
func FirstPage(limit int64, n int) int64 {
	if n <= 1 || limit <= pageMargin {
		return limit
	}
	share := (limit + int64(n) - 1) / int64(n)
	return min(limit, share+pageMargin)
}

// limitAttrs shows what the limit means for the scan.
func (n *Scan) limitAttrs() []Attr {
	if n.Limit == nil {
		return nil
	}
	buckets := n.Table.Options.SaltBuckets
	switch {
	case n.Loose:
		return attrs("first", limitText(n.Limit)+" rows")
	case buckets == 0 || n.Access == PointRead || n.Of != nil:
		return attrs("limit", limitText(n.Limit))
	}
	if c, ok := n.Limit.(*expr.Const); ok && !c.Value.Null && n.Order != Unordered && n.Access != MultiPointRead {
		return attrs("first page", fmt.Sprintf("%d rows per bucket", FirstPage(c.Value.Int, buckets)))
	}
	return attrs("limit per bucket", limitText(n.Limit))
}

// limitText prints a limit. The sum of a count and an offset is guarded against
// overflow by a CASE, of which only the sum tells the reader something.
func limitText(e expr.Expr) string {
	if c, ok := e.(*expr.Case); ok && c.Else != nil {
		e = c.Else
	}
	return exprText(e)
}
