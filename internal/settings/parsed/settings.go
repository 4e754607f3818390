package parsed

import (
	"strconv"
	"time"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/planner"
)

// Settings are the parameters of a session.
type Settings struct {
	At       uint64 // the generation of the texts that they were read at
	Exec     op.Settings
	FullScan FullScanMode
	Timeouts Timeouts
	// LogMinDuration is log_min_duration_statement; below 0 is never.
	LogMinDuration time.Duration
	Uncounted      bool // pg_stat_statements.track = none
	PlanMode       plancache.Mode
	// What planning goes by.
	Zone     string
	RulesOff bool
	Hints    planner.Hints
}

// Timeouts are the settings that bound how long a client and its statements may
// take; 0 is no bound.
type Timeouts struct {
	Statement         time.Duration // statement_timeout
	Idle              time.Duration // idle_session_timeout
	IdleInTransaction time.Duration // idle_in_transaction_session_timeout
}

// FullScanMode is the setting saltsql.full_scan.
type FullScanMode uint8

// What becomes of a statement that reads whole tables.
const (
	FullScanOn FullScanMode = iota
	FullScanNotice
	FullScanOff
)

func fullScanModeOf(value string) FullScanMode {
	switch value {
	case "notice":
		return FullScanNotice
	case "off":
		return FullScanOff
	}
	return FullScanOn
}

// Read reads the texts that get gives, which are those of a generation.
func (l *Settings) Read(generation uint64, get func(name string) (value string, ok bool)) {
	text := func(name string) string {
		v, _ := get(name)
		return v
	}
	duration := func(name string) time.Duration {
		d, _ := settings.ParseDuration(text(name))
		return d
	}
	l.At = generation
	l.Exec.WorkMem, _ = settings.ParseBytes(text("work_mem"))
	l.Exec.MaxMemory, _ = settings.ParseBytes(text("saltsql.max_statement_memory"))
	l.Exec.MaxTxnBytes, _ = settings.ParseBytes(text("saltsql.max_transaction_size"))
	l.Exec.LockTimeout = duration("lock_timeout")
	l.Zone = text("timezone")
	l.RulesOff = text("saltsql.rules") == "off"
	l.Hints, _ = planner.HintsOf(text("saltsql.hints"))
	if text("saltsql.join_order") == "written" {
		l.Hints |= planner.JoinAsWritten
	}
	l.Exec.NoPrune = l.RulesOff
	l.Exec.Fanout, _ = strconv.Atoi(text("saltsql.max_streams"))
	l.Exec.MaxScanRows, _ = strconv.ParseInt(text("saltsql.max_scan_rows"), 10, 64)
	l.Exec.NoSync = text("synchronous_commit") == "off"
	l.Exec.SkipUndecodable = text("saltsql.skip_undecodable") == "on"
	l.Exec.NoHeatKeys = text("saltsql.heat_keys") == "off"
	l.FullScan = fullScanModeOf(text("saltsql.full_scan"))
	l.PlanMode = plancache.ModeOf(text("plan_cache_mode"))
	l.Uncounted = text("pg_stat_statements.track") == "none"
	l.LogMinDuration = -1
	if text("log_min_duration_statement") != "-1" {
		l.LogMinDuration = duration("log_min_duration_statement")
	}
	l.Timeouts = Timeouts{
		Statement:         duration("statement_timeout"),
		Idle:              duration("idle_session_timeout"),
		IdleInTransaction: duration("idle_in_transaction_session_timeout"),
	}
}
