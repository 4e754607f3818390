package wire

import (
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// handle does what one message asks. An error it returns is fatal; others are
// told to the client and end at ReadyForQuery or Sync.
func (c *conn) handle(typ byte, body []byte) error {
	switch typ {
	case msgTerminate:
		return errTerminate
	case msgSync:
		return c.sync()
	case msgCopyData, msgCopyDone, msgCopyFail:
		// A client that has not yet seen its COPY fail still sends these.
		return nil
	}
	if c.skipping {
		return nil
	}
	m := message{body: body, err: c.in.refused}
	switch typ {
	case msgQuery:
		return c.simpleQuery(&m)
	case msgFunctionCall:
		return c.functionCall()
	case msgFlush:
		return c.out.flush()
	}
	c.open = true
	var err error
	switch typ {
	case msgParse:
		err = c.parse(&m)
	case msgBind:
		err = c.bind(&m)
	case msgDescribe:
		err = c.describe(&m)
	case msgExecute:
		err = c.execute(&m)
	case msgClose:
		err = c.closeTarget(&m)
	default:
		return sqlerr.New(sqlerr.ProtocolViolation, "invalid frontend message type %d", typ)
	}
	if err != nil {
		c.skipping = true
		if err := c.fail(err); err != nil {
			return err
		}
		// At once: a client may wait for an answer to its Flush before it sends
		// Sync, and that Flush is skipped.
		return c.out.flush()
	}
	return c.out.room()
}

// functionCall refuses the fast path, as Postgres's own manual advises against it.
func (c *conn) functionCall() error {
	err := c.fail(sqlerr.Unsupported("function calls by message are not supported", "Use SELECT function(arguments)."))
	if err != nil {
		return err
	}
	return c.ready()
}

// ready ends a query cycle.
func (c *conn) ready() error {
	c.sendNotices()
	c.open, c.skipping, c.pipeline = false, false, false
	status := c.sess.TxStatus()
	if status == session.TxIdle {
		c.dropPortals()
		c.sendNotifications()
	}
	c.sendChanged()
	c.out.ready(status)
	return c.out.flush()
}

// sync ends the implicit transaction of a pipeline and the skipping after an
// error.
func (c *conn) sync() error {
	if err := c.sess.EndPipeline(c.state.ctx, !c.skipping); err != nil {
		if err := c.tell(err); err != nil {
			return err
		}
	}
	return c.ready()
}
