package parsed

import (
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/planner"
)

// TestRead reads the defaults, and others: what Read does not know of the next generation's texts
// it takes back.
func TestRead(t *testing.T) {
	set := map[string]string{}
	get := func(name string) (string, bool) {
		if v, ok := set[name]; ok {
			return v, true
		}
		def := settings.Find(name)
		if def == nil {
			t.Errorf("%s is read, and no parameter", name)
			return "", false
		}
		return def.Default, true
	}
	var s Settings
	s.Read(1, get)
	if s.At != 1 || s.Exec.WorkMem <= 0 || s.FullScan != FullScanOn || s.PlanMode != plancache.ModeAuto || s.RulesOff || s.Uncounted || s.LogMinDuration >= 0 || s.Timeouts != (Timeouts{}) {
		t.Errorf("%+v", s)
	}
	first := s
	set = map[string]string{
		"work_mem": "8MB", "lock_timeout": "2s", "saltsql.rules": "off", "saltsql.join_order": "written", "saltsql.max_streams": "3",
		"saltsql.full_scan": "notice", "plan_cache_mode": "force_custom_plan", "pg_stat_statements.track": "none",
		"log_min_duration_statement": "0", "statement_timeout": "1min", "timezone": "Asia/Tokyo",
	}
	s.Read(2, get)
	if s.At != 2 || s.Exec.WorkMem != 8<<20 || s.Exec.LockTimeout != 2*time.Second || !s.RulesOff || !s.Exec.NoPrune || s.Hints&planner.JoinAsWritten == 0 ||
		s.Exec.Fanout != 3 || s.FullScan != FullScanNotice || s.PlanMode != plancache.ModeCustom || !s.Uncounted || s.LogMinDuration != 0 ||
		s.Timeouts.Statement != time.Minute || s.Zone != "Asia/Tokyo" {
		t.Errorf("%+v", s)
	}
	set = nil
	if s.Read(1, get); s != first {
		t.Errorf("%+v, and at first %+v", s, first)
	}
}
