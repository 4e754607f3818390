package expr

// Size is how many nodes e has.
func Size(e Expr) int {
	n := 0
	Walk(e, func(Expr) bool { n++; return true })
	return n
}

// freeCopies is how many nodes putting expressions in the place of columns may add beside one
// copy of each expression.
const freeCopies = 64

// Copies says that e, with an expression in the place of each column, would have copies of
// what it computes in a number that makes queries in queries grow with a power of their depth:
// SELECT x + x AS x FROM (SELECT x + x AS x FROM …). by gives the expression of a column, or the
// column.
func Copies(e Expr, by func(*Col) Expr) bool {
	var sizes map[int]int
	extra := 0
	Walk(e, func(x Expr) bool {
		if c, ok := x.(*Col); ok && extra <= freeCopies {
			if n, again := sizes[c.Index]; again {
				extra += n - 1
			} else {
				if sizes == nil {
					sizes = map[int]int{}
				}
				sizes[c.Index] = Size(by(c))
			}
		}
		return extra <= freeCopies
	})
	return extra > freeCopies
}
