package wire

import (
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// simpleQuery runs a text of any number of statements as one implicit
// transaction. The first error ends the text.
func (c *conn) simpleQuery(m *message) error {
	text := m.cstring()
	err := m.end()
	if err == nil {
		// A simple query ends what the extended protocol calls unnamed.
		c.sess.CloseStmt("")
		c.closePortal("")
		start := c.clock()
		err = c.runText(text)
		c.logStatement("query", text, start, err)
	}
	if err != nil {
		c.sess.Fail()
		c.sess.EndPipeline(c.state.ctx, false)
		if err := c.tell(err); err != nil {
			return err
		}
	}
	return c.ready()
}

func (c *conn) runText(text []byte) error {
	if err := checkText(text); err != nil {
		return err
	}
	list, err := c.sess.Split(c.state.ctx, string(text))
	if err != nil {
		return err
	}
	if len(list) == 0 {
		c.out.plain('I') // EmptyQueryResponse
	}
	for i, p := range list {
		if len(list) > 1 {
			c.sess.BeginText() // again after a COMMIT among them
		}
		tag, err := c.runParsed(p)
		if err != nil {
			return err
		}
		if i == len(list)-1 {
			// The last statement is complete only when its transaction is.
			if err := c.sess.EndPipeline(c.state.ctx, true); err != nil {
				return err
			}
		}
		c.commandComplete(tag)
	}
	return nil
}

// runParsed runs one statement and sends its rows, in text.
func (c *conn) runParsed(p *session.Parsed) (tag string, err error) {
	if err := c.state.err(); err != nil {
		return "", err
	}
	st, err := c.sess.PrepareParsed(c.state.ctx, p, nil)
	if err != nil {
		return "", err
	}
	st.Reshape() // its columns are told with its first rows
	st.Passing()
	if len(st.ParamTypes()) > 0 {
		return "", sqlerr.New(sqlerr.UndefinedParameter, "there is no parameter $1")
	}
	po, err := c.sess.Bind(c.state.ctx, "", st, nil)
	if err != nil {
		return "", err
	}
	defer po.Release()
	if in := po.CopyIn(); in != nil {
		return c.copyFrom(in)
	}
	if out := po.CopyOut(); out != nil {
		return c.sendCopy(po, out)
	}
	b := boundPortal{portal: po, untold: true}
	if _, err := c.sendRows(&b, 0); err != nil {
		return "", err
	}
	return po.Tag(b.sent), nil
}
