package wire

import (
	"context"
	"io"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// boundPortal is a portal and how far its rows have been sent.
type boundPortal struct {
	portal  *session.Portal
	empty   bool // of an empty statement: there is no portal
	formats formats
	args    []types.Datum // the engine reads them while the portal lives

	batch *vec.Batch // being sent
	next  int        // its first row not sent
	done  bool
	sent  int64 // by the Execute at hand

	untold bool // RowDescription goes out before the first row, the end or an error
}

// slot gives the place of a portal: the unnamed one is used over and over.
func (c *conn) slot(name string) *boundPortal {
	if name == "" {
		return &c.unnamed
	}
	return new(boundPortal)
}

func (c *conn) setPortal(name string, slot *boundPortal, b boundPortal) {
	*slot = b
	if name == "" {
		return
	}
	if c.portals == nil {
		c.portals = map[string]*boundPortal{}
	}
	c.portals[name] = slot
}

// portal finds a portal of Bind, or a cursor of DECLARE: 34000 if there is none. The
// session knows which ones live; what is kept here is how far they are.
func (c *conn) portal(name string) (*boundPortal, error) {
	b := &c.unnamed
	if name != "" {
		b = c.portals[name]
	}
	if b != nil && b.empty {
		return b, nil
	}
	p, err := c.sess.Portal(name)
	if err != nil {
		return nil, err
	}
	if b == nil || b.portal != p {
		b = c.slot(name)
		c.setPortal(name, b, boundPortal{portal: p})
	}
	return b, nil
}

func (c *conn) closePortal(name string) {
	c.sess.ClosePortal(name)
	if name == "" {
		c.unnamed = boundPortal{formats: c.unnamed.formats[:0], args: c.unnamed.args[:0]}
		return
	}
	delete(c.portals, name)
}

// dropPortals forgets the portals that their transaction's end has closed. Those of
// cursors that live on are found again in the session.
func (c *conn) dropPortals() {
	if p := c.unnamed.portal; p != nil {
		p.Release()
	}
	c.unnamed = boundPortal{formats: c.unnamed.formats[:0], args: c.unnamed.args[:0]}
	clear(c.portals)
}

// sendRows sends up to limit rows, 0 for all, and says whether it stopped at the limit
// before it met the end.
func (c *conn) sendRows(b *boundPortal, limit int64) (suspended bool, err error) {
	enc, ready := &c.enc, false
	if limit > 0 {
		b.portal.InSteps()
	}
	for {
		if b.batch == nil {
			if b.done {
				return false, nil
			}
			if err := c.state.err(); err != nil {
				return false, err
			}
			// The engine is told of a cancel by its own Cancel; a context that can end costs it
			// allocations for each statement.
			batch, err := b.portal.Next(context.Background())
			if b.untold {
				b.untold = false
				if cols := b.portal.Columns(); cols != nil {
					c.rowDescription(cols, nil)
				}
			}
			c.sendNotices()
			if err == io.EOF {
				b.done = true
				return false, nil
			}
			if err != nil {
				return false, err
			}
			b.batch, b.next = batch, 0
		}
		if !ready {
			enc.init(b.portal.Columns(), b.formats, c.sess.IOEnv())
			if enc.reserve == nil { // once for a session: it is an allocation
				enc.reserve = c.sess.ReserveRows
			}
			ready = true
		}
		n := b.batch.Rows()
		if limit > 0 {
			n = min(n, b.next+int(limit-b.sent))
		}
		for ; b.next < n; b.next++ {
			if c.out.buf, err = enc.appendRow(c.out.buf, b.batch, b.batch.Row(b.next)); err != nil {
				enc.sent()
				return false, err
			}
			b.sent++
			if len(c.out.buf) >= flushBytes {
				err := c.out.flush()
				enc.sent()
				if err != nil {
					return false, err
				}
			}
		}
		if b.next == b.batch.Rows() {
			b.batch = nil
		}
		if limit > 0 && b.sent == limit {
			if b.batch != nil {
				b.portal.Unread(b.batch, b.next) // a FETCH may come for them
				b.batch = nil
			} else {
				b.portal.Suspend()
			}
			return true, nil
		}
	}
}
