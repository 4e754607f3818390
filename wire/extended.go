package wire

import (
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// parse prepares a statement.
func (c *conn) parse(m *message) error {
	name, text := string(m.cstring()), m.cstring()
	oids := m.bytes(4 * int(uint16(m.int16())))
	if err := m.end(); err != nil {
		return err
	}
	if err := checkText(text); err != nil {
		return err
	}
	paramTypes, err := c.parameterTypes(&message{body: oids}, len(oids)/4)
	if err != nil {
		return err
	}
	start := c.clock()
	st, err := c.sess.Prepare(c.state.ctx, string(text), paramTypes)
	c.logStatement("parse", text, start, err)
	if err != nil {
		return err
	}
	if err := c.sess.SaveStmt(name, st); err != nil {
		return err
	}
	c.out.plain('1') // ParseComplete
	return nil
}

// parameterTypes finds the types a client declares. OID 0 leaves the choice to the
// server; 42704 for types that do not exist here.
func (c *conn) parameterTypes(m *message, n int) ([]types.T, error) {
	ts := make([]types.T, n)
	for i := range ts {
		oid := uint32(m.int32())
		if oid == 0 {
			continue
		}
		t, ok := c.sess.TypeOfOID(oid)
		if !ok {
			return nil, sqlerr.New(sqlerr.UndefinedObject, "type with OID %d of parameter $%d does not exist", oid, i+1).
				WithHint("Send OID 0 to let the server find the type.")
		}
		ts[i] = t
	}
	return ts, nil
}

// bind makes a portal of a statement and its parameters.
func (c *conn) bind(m *message) error {
	portalName, stmt := string(m.cstring()), m.cstring()
	if string(stmt) != c.name {
		c.name = string(stmt)
	}
	stmtName := c.name
	st, err := c.sess.NamedStmt(stmtName)
	if m.err == nil && err != nil {
		return err
	}
	var paramTypes []types.T
	if err == nil {
		paramTypes = st.ParamTypes()
	}
	slot := c.slot(portalName)
	args, err := c.readArgs(m, slot.args[:0], portalName, stmtName, paramTypes)
	if err != nil {
		if portalName == "" {
			c.closePortal("") // its arguments may be overwritten
		}
		if c.sess.TxStatus() == session.TxFailed && sqlerr.CodeOf(err) != sqlerr.ProtocolViolation {
			// Values are not looked at in a failed block.
			return sqlerr.New(sqlerr.InFailedSQLTransaction,
				"current transaction is aborted, commands ignored until end of transaction block")
		}
		return err
	}
	formats, err := readFormats(m)
	if err != nil {
		return err
	}
	if err := m.end(); err != nil {
		return err
	}
	if st.Empty() {
		if c.sess.TxStatus() == session.TxFailed {
			return sqlerr.New(sqlerr.InFailedSQLTransaction,
				"current transaction is aborted, commands ignored until end of transaction block")
		}
		c.closePortal(portalName)
		c.setPortal(portalName, slot, boundPortal{empty: true})
		c.out.plain('2') // BindComplete
		return nil
	}
	p, err := c.sess.Bind(c.state.ctx, portalName, st, args)
	if err != nil {
		return err
	}
	if n := len(formats) / 2; n > 1 && p.Columns() != nil && n != len(p.Columns()) {
		c.closePortal(portalName)
		return sqlerr.New(sqlerr.ProtocolViolation,
			"bind message has %d result formats but query has %d columns", n, len(p.Columns()))
	}
	if before := slot.portal; before != nil {
		before.Release() // Bind has closed it
	}
	c.setPortal(portalName, slot, boundPortal{portal: p, args: args, formats: append(slot.formats[:0], formats...)})
	c.out.plain('2')
	return nil
}

// closeTarget forgets a statement or portal.
func (c *conn) closeTarget(m *message) error {
	kind, name := m.byte(), string(m.cstring())
	if err := m.end(); err != nil {
		return err
	}
	switch kind {
	case 'S':
		c.sess.CloseStmt(name)
	case 'P':
		c.closePortal(name)
	default:
		return badTarget("CLOSE", kind)
	}
	c.out.plain('3') // CloseComplete
	return nil
}

// execute runs a portal to its end or for as many rows as asked.
func (c *conn) execute(m *message) error {
	name, limit := string(m.cstring()), m.int32()
	if err := m.end(); err != nil {
		return err
	}
	b, err := c.portal(name)
	if err != nil {
		return err
	}
	if b.empty {
		c.out.plain('I') // EmptyQueryResponse
		return nil
	}
	if err := c.state.err(); err != nil {
		return err
	}
	if c.pipeline || !c.in.loneExecute() && !b.portal.StandsAlone() {
		// Another statement may follow before Sync, and shares this one's fate. It
		// begins again after a COMMIT.
		c.pipeline = true
		c.sess.BeginPipeline()
	}
	start := c.clock()
	err = c.executePortal(b, name, int64(max(limit, 0)))
	c.logStatement("execute", []byte(name), start, err)
	return err
}

func (c *conn) executePortal(b *boundPortal, name string, limit int64) error {
	in, out := b.portal.CopyIn(), b.portal.CopyOut()
	if b.done && (in != nil || out != nil || b.portal.Columns() == nil) {
		return sqlerr.New(sqlerr.ObjectNotInPrerequisite, `portal "%s" cannot be run`, name)
	}
	var tag string
	var err error
	switch {
	case in != nil:
		b.done = true
		tag, err = c.copyFrom(in)
	case out != nil:
		b.done = true
		tag, err = c.sendCopy(b.portal, out)
	default:
		b.sent = 0
		var suspended bool
		suspended, err = c.sendRows(b, limit)
		if suspended && err == nil {
			c.out.plain('s') // PortalSuspended
			return nil
		}
		if err == nil {
			tag = b.portal.Tag(b.sent)
		}
	}
	if err != nil {
		return err
	}
	c.commandComplete(tag)
	return nil
}
