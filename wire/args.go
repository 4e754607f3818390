package wire

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/copyfmt"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// readArgs reads the parameters of a Bind, formats, count and values, and appends
// them to args.
func (c *conn) readArgs(m *message, args []types.Datum, portalName, stmtName string, ts []types.T) ([]types.Datum, error) {
	f, err := readFormats(m)
	if err != nil {
		return nil, err
	}
	n := int(uint16(m.int16()))
	switch {
	case m.err != nil:
		return nil, m.err
	case len(f)/2 > 1 && len(f)/2 != n:
		return nil, sqlerr.New(sqlerr.ProtocolViolation,
			"bind message has %d parameter formats but %d parameters", len(f)/2, n)
	case n != len(ts):
		return nil, sqlerr.New(sqlerr.ProtocolViolation,
			`bind message supplies %d parameters, but prepared statement "%s" requires %d`, n, stmtName, len(ts))
	}
	env := c.sess.IOEnv()
	for i, t := range ts {
		size := m.int32()
		if size == -1 && m.err == nil {
			args = append(args, types.NullDatum)
			continue
		}
		b := m.bytes(int(size))
		if m.err != nil {
			return nil, m.err
		}
		var d types.Datum
		if f.binary(i) {
			d, err = parseBinary(t, b, env, i+1)
		} else if err = checkText(b); err == nil {
			d, err = types.ParseText(t, b, env)
		}
		if err != nil {
			return nil, inParameter(err, portalName, i+1, !f.binary(i))
		}
		args = append(args, d)
	}
	return args, nil
}

// inParameter says which parameter an error is about. Its value is not repeated, as
// errors may go to logs.
func inParameter(err error, portalName string, number int, text bool) error {
	e := sqlerr.As(err)
	if e == nil {
		return err
	}
	where := fmt.Sprintf("unnamed portal parameter $%d", number)
	if portalName != "" {
		where = fmt.Sprintf(`portal "%s" parameter $%d`, portalName, number)
	}
	if text {
		where += " = '...'"
	}
	e.AddWhere(where)
	return e
}

// parseBinary tells values that are too short from those that are too long, as
// Postgres does when it reads a parameter from the message.
func parseBinary(t types.T, b []byte, env *types.IOEnv, number int) (types.Datum, error) {
	if want := fixedLength(t); want > 0 {
		if len(b) < want {
			return types.Datum{}, sqlerr.New(sqlerr.ProtocolViolation, "insufficient data left in message")
		}
		if len(b) > want {
			return types.Datum{}, sqlerr.New(sqlerr.InvalidBinaryRepresentation,
				"incorrect binary data format in bind parameter %d", number)
		}
	}
	return types.ParseBinary(t, b, env)
}

// fixedLength is the length of every binary value of a type, 0 where they vary.
func fixedLength(t types.T) int {
	switch t.Kind {
	case types.Bool, types.Int2, types.Int4, types.Int8, types.Float4, types.Float8, types.UUID, types.Date,
		types.Time, types.Timestamp, types.Timestamptz, types.Interval, types.OID, types.Regclass, types.Regtype:
		return int(t.Len())
	}
	return 0
}

// checkText refuses what is not UTF-8 and NUL, which no text holds: 22021.
func checkText(b []byte) error {
	if utf8.Valid(b) && bytes.IndexByte(b, 0) < 0 {
		return nil
	}
	return copyfmt.CheckUTF8(b)
}
