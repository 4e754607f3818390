package join

import (
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/vec"
)

// Where outer rows come by sinks, a matcher is driven by push and pushEnd in next's place.

// push joins the rows of one outer batch, whose candidates the source knows, and gives to
// what is joined, but for rows that are too few for a batch. The first call is after start and
// clearOut.
func (m *matcher) push(b *vec.Batch, to op.Sink) error {
	m.begin(b)
	for {
		if m.listAt < len(m.listO) && m.give() {
			if err := m.pushOut(to); err != nil {
				return err
			}
			continue
		}
		if m.at < len(m.sel) {
			if err := m.step(); err != nil {
				return err
			}
			continue
		}
		out := m.endBatch()
		if out == nil {
			return nil
		}
		if out == m.out {
			return m.pushOut(to)
		}
		return to.Add(out)
	}
}

// pushOut gives the batch of joined rows and begins another.
func (m *matcher) pushOut(to op.Sink) error {
	err := to.Add(m.out)
	m.clearOut()
	return err
}

// pushEnd gives what is left after the last outer batch: joined rows, and inner rows at
// their end where what is seen of them is known.
func (m *matcher) pushEnd(to op.Sink) error {
	for {
		if m.listAt < len(m.listO) && m.give() {
			if err := m.pushOut(to); err != nil {
				return err
			}
			continue
		}
		if m.listInner() {
			continue
		}
		if m.out != nil && m.out.N > 0 {
			return m.pushOut(to)
		}
		return nil
	}
}
