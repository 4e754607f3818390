package wire

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"
)

// sendReported tells the client the parameters it is kept informed of, in the
// order of their names.
func (c *conn) sendReported() {
	reported := c.sess.ReportedSettings()
	for _, name := range slices.Sorted(maps.Keys(reported)) {
		c.out.send(&pgproto3.ParameterStatus{Name: name, Value: clean(reported[name])})
	}
}

// parameterStatus tells of a change. Changes while the session is made are told
// by sendReported.
func (c *conn) parameterStatus(name, value string) {
	if c.sess != nil {
		c.out.send(&pgproto3.ParameterStatus{Name: name, Value: clean(value)})
	}
}
