package random

import "fmt"

// txState is what the generator knows of the transaction block it has opened.
// Whether a statement in it failed it does not know.
type txState struct {
	open       bool
	left       int // statements until its end
	savepoints []string
	cursors    []string
	n          int
}

// InTransaction says that a transaction block is open.
func (g *Gen) InTransaction() bool { return g.tx.open }

// transaction sometimes gives a statement of transaction control or of cursors.
func (g *Gen) transaction() (Statement, bool) {
	tx := &g.tx
	if !tx.open {
		if !g.one(20) {
			return Statement{}, false
		}
		*tx = txState{open: true, left: 2 + g.r.IntN(10), n: tx.n}
		return Statement{Head: g.pick([]string{"BEGIN", "START TRANSACTION", "BEGIN ISOLATION LEVEL REPEATABLE READ"})}, true
	}
	if tx.left--; tx.left < 0 {
		tx.open = false
		return Statement{Head: g.pick([]string{"COMMIT", "COMMIT", "ROLLBACK", "END"})}, true
	}
	switch g.r.IntN(10) {
	case 0:
		tx.n++
		name := fmt.Sprintf("s%d", tx.n)
		tx.savepoints = append(tx.savepoints, name)
		return Statement{Head: "SAVEPOINT " + name}, true
	case 1, 2:
		if len(tx.savepoints) == 0 {
			return Statement{}, false
		}
		i := g.r.IntN(len(tx.savepoints))
		name := tx.savepoints[i]
		if g.one(3) {
			tx.savepoints = tx.savepoints[:i]
			return Statement{Head: "RELEASE SAVEPOINT " + name}, true
		}
		tx.savepoints = tx.savepoints[:i+1]
		return Statement{Head: "ROLLBACK TO SAVEPOINT " + name}, true
	case 3:
		tx.n++
		q := g.query()
		for !q.Ordered {
			g.args = nil
			q = g.query()
		}
		name := fmt.Sprintf("cur%d", tx.n)
		tx.cursors = append(tx.cursors, name)
		tx.left += 3
		q.Head = fmt.Sprintf("DECLARE %s CURSOR FOR %s", name, q.Head)
		q.Query = false
		return g.literals(q), true
	case 4, 5, 6:
		if len(tx.cursors) == 0 {
			return Statement{}, false
		}
		name := tx.cursors[g.r.IntN(len(tx.cursors))]
		return Statement{Head: fmt.Sprintf("FETCH %s FROM %s", g.pick([]string{"1", "2", "3", "5", "ALL", "NEXT"}), name), Query: true, Ordered: true}, true
	}
	return Statement{}, false
}

// literals finishes a statement that takes no parameters.
func (g *Gen) literals(s Statement) Statement {
	s.literal = true
	return g.finish(s)
}
