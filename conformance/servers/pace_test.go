package servers

import (
	"flag"
	"math"
	"testing"
	"time"

	"github.com/saltsql/saltsql/conformance/harness"
)

var (
	paceSeconds = flag.Int("pace.seconds", 1, "about how long a change of a busy table goes over its rows")
	paceWindow  = flag.Duration("pace.window", 200*time.Millisecond, "how long the writes before and after such a change are counted")
)

// pace tells how many writes a busy table takes while it is changed, beside how many right before
// and after, since a machine is not as fast at all times: in all, and for each second of the
// processors' time, which does not know what else the machine has to do.
type pace struct {
	b         *busyTable
	before    counted
	wall, cpu float64 // sums of logarithms of ratios
	worst     float64
	changes   float64
}

// counted are writes in a stretch of time.
type counted struct {
	writes int64
	wall   time.Duration
	cpu    time.Duration
}

func (c counted) perSecond() float64 { return float64(c.writes) / max(c.wall.Seconds(), 1e-9) }
func (c counted) perCPU() float64    { return float64(c.writes) / max(c.cpu.Seconds(), 1e-9) }

func newPace(b *busyTable) *pace {
	p := &pace{b: b, worst: math.Inf(1)}
	p.count(func() { time.Sleep(500 * time.Millisecond) }) // it begins slower
	p.before = p.quiet()
	return p
}

func (p *pace) quiet() counted { return p.count(func() { time.Sleep(*paceWindow) }) }

func (p *pace) count(during func()) counted {
	writes, wall, cpu := p.b.writes.Load(), time.Now(), harness.ProcessTime()
	during()
	return counted{p.b.writes.Load() - writes, time.Since(wall), harness.ProcessTime() - cpu}
}

// rate is how many rows a second a change may go over.
func (p *pace) rate() int { return max(p.b.keys/max(*paceSeconds, 1), 1) }

// during makes a change, which must do well.
func (p *pace) during(t *testing.T, sql string, run func(sql string) error) {
	t.Helper()
	var err error
	c := p.count(func() { err = run(sql) })
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	after := p.quiet()
	quiet := counted{p.before.writes + after.writes, p.before.wall + after.wall, p.before.cpu + after.cpu}
	p.before = after
	wall, cpu := c.perSecond()/quiet.perSecond(), c.perCPU()/quiet.perCPU()
	t.Logf("%s: %v, %.0f writes a second and %.0f beside it: %.2f; by processor time %.2f", sql, c.wall.Round(time.Millisecond), c.perSecond(), quiet.perSecond(), wall, cpu)
	p.wall, p.cpu, p.worst = p.wall+math.Log(wall), p.cpu+math.Log(cpu), min(p.worst, wall)
	p.changes++
}

func (p *pace) log(t *testing.T) {
	t.Helper()
	t.Logf("%.0f changes: %.2f of the writes in the mean, at least %.2f; by processor time %.2f", p.changes, math.Exp(p.wall/p.changes), p.worst, math.Exp(p.cpu/p.changes))
}
