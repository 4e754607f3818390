package plancache

import "sync"

// Mode is plan_cache_mode.
type Mode uint8

// How a plan for the values of a statement's parameters is chosen.
const (
	ModeAuto Mode = iota
	ModeGeneric
	ModeCustom
)

// ModeOf reads the setting's value.
func ModeOf(text string) Mode {
	switch text {
	case "force_generic_plan":
		return ModeGeneric
	case "force_custom_plan":
		return ModeCustom
	}
	return ModeAuto
}

const (
	// TriedPlans is after how many runs with plans of their own the one for all values may
	// be taken, as in PostgreSQL.
	TriedPlans = 5
	// costPlanning is what planning takes for each table, in the time of reading a row of a
	// scan: 60 to 120 µs.
	costPlanning = 700
)

// Choice is what is known of a plan for any values of its parameters: what it costs beside
// the plans for the values that came. It belongs to the plan, and so to all sessions that have
// it from the cache.
type Choice struct {
	mu              sync.Mutex
	tried           int
	generic, custom float64 // costs, of the newest runs the most
}

// WantsCustom says that the next run is to have a plan of its own.
func (c *Choice) WantsCustom() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tried < TriedPlans || c.custom < c.generic
}

// Note adds what a run with a plan of its own costs, planning over so many tables included, and
// what it would without.
func (c *Choice) Note(generic, custom float64, tables int) {
	custom += costPlanning * float64(1+tables)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tried++
	part := 1 / float64(min(c.tried, TriedPlans))
	c.generic += (generic - c.generic) * part
	c.custom += (custom - c.custom) * part
}
