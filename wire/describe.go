package wire

import (
	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// describe tells what a statement or portal takes and gives.
func (c *conn) describe(m *message) error {
	kind, name := m.byte(), string(m.cstring())
	if err := m.end(); err != nil {
		return err
	}
	switch kind {
	case 'S':
		st, err := c.sess.NamedStmt(name)
		if err != nil {
			return err
		}
		d := pgproto3.ParameterDescription{}
		for _, t := range st.ParamTypes() {
			d.ParameterOIDs = append(d.ParameterOIDs, t.OID())
		}
		c.out.send(&d)
		c.describeColumns(st.Columns(), nil)
		return nil
	case 'P':
		b, err := c.portal(name)
		if err != nil {
			return err
		}
		if b.empty {
			c.out.plain('n') // NoData
			return nil
		}
		if b.portal.CopyOut() != nil {
			c.out.plain('n')
			return nil
		}
		c.describeColumns(b.portal.Columns(), b.formats)
		return nil
	}
	return badTarget("DESCRIBE", kind)
}

func badTarget(message string, kind byte) error {
	return sqlerr.New(sqlerr.ProtocolViolation, "invalid %s message subtype %d", message, kind)
}

// describeColumns appends RowDescription, or NoData where there are no rows.
func (c *conn) describeColumns(cols []session.Column, f formats) {
	if cols == nil {
		c.out.plain('n')
		return
	}
	c.rowDescription(cols, f)
}
