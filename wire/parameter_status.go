package wire

import (
	"maps"
	"slices"

	"github.com/jackc/pgx/v5/pgproto3"
)

// paramReport keeps the client informed of the parameters it follows.
type paramReport struct {
	told    map[string]string // what the client knows
	changed []string          // names that were set since
}

// note remembers a change; it is told before the next ReadyForQuery, unless it was
// taken back by then.
func (r *paramReport) note(name, _ string) {
	if !slices.Contains(r.changed, name) {
		r.changed = append(r.changed, name)
	}
}

// sendReported tells of all parameters at start, in the order of their names.
func (c *conn) sendReported() {
	c.report.told, c.report.changed = c.sess.ReportedSettings(), nil
	for _, name := range slices.Sorted(maps.Keys(c.report.told)) {
		c.out.send(&pgproto3.ParameterStatus{Name: name, Value: clean(c.report.told[name])})
	}
}

// sendChanged tells of the changes.
func (c *conn) sendChanged() {
	for _, name := range c.report.changed {
		value, _ := c.sess.Setting(name)
		if old, ok := c.report.told[name]; ok && old == value {
			continue
		}
		c.report.told[name] = value
		c.out.send(&pgproto3.ParameterStatus{Name: name, Value: clean(value)})
	}
	c.report.changed = c.report.changed[:0]
}
