package activity

import (
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// TestActivity follows a session through a block: what it shows, and the locks that it keeps until
// the block's end.
func TestActivity(t *testing.T) {
	at := func(n int) time.Time { return time.Unix(int64(n), 0) }
	var a Activity
	var waits txn.Waits
	a.Open(7, 70, at(1))
	a.Name("app")
	show := func() (s pgcatalog.Activity) {
		s.User = "u"
		a.Show(&s, &waits)
		return s
	}
	shown := func(state, query string, locks int) {
		t.Helper()
		s := show()
		if s.PID != 70 || s.User != "u" || s.Application != "app" || s.Started != at(1) || s.State != state || s.Query != query || len(a.Locks()) != locks {
			t.Errorf("%+v with locks %v, want %s, %q, %d", s, a.Locks(), state, query, locks)
		}
		if (s.WaitEvent == "ClientRead") != (state != "active") {
			t.Errorf("%s waits for %s", state, s.WaitEvent)
		}
	}
	reads := &plan.Plan{Rights: []*plan.Privilege{{Relation: 1, Rights: acl.Select}}}
	writes := &plan.Plan{Rights: []*plan.Privilege{{Relation: 1, Rights: acl.Select}, {Relation: 2, Rights: acl.Update}}}
	shown("idle", "", 0)
	a.Begin("SELECT", "SELECT; END", at(2), time.Time{})
	a.Plan(reads, false)
	shown("active", "SELECT", 2) // with the transaction
	if s := show(); s.Transaction != at(2) || s.QueryStart != at(2) {
		t.Errorf("%+v", s)
	}
	a.End(at(3), TxIdle, time.Time{})
	shown("idle", "SELECT", 0)

	a.Begin("BEGIN", "BEGIN; END", at(4), time.Time{})
	a.End(at(4), TxActive, at(4))
	a.Begin("SELECT", "SELECT; END", at(5), at(4))
	a.Plan(reads, true)
	a.End(at(5), TxActive, at(4))
	a.Begin("UPDATE", "UPDATE; END", at(6), at(4))
	a.Plan(writes, true)
	a.Plan(writes, true)
	a.End(at(6), TxActive, at(4))
	shown("idle in transaction", "UPDATE", 3)
	if l := a.Locks()[2]; l.Relation != 2 || l.Mode != "RowExclusiveLock" || l.Session != 7 || l.PID != 70 {
		t.Errorf("%+v", l)
	}
	if s := a.Seen("u", "d"); s.ID != 7 || s.Tx != TxActive || s.Running || s.Query != "UPDATE" || s.QueryStart != at(6) || s.ApplicationName != "app" {
		t.Errorf("%+v", s)
	}
	a.End(at(7), TxFailed, at(4))
	shown("idle in transaction (aborted)", "UPDATE", 3)
	a.End(at(8), TxIdle, time.Time{})
	shown("idle", "UPDATE", 0)

	a.Begin(strings.Repeat("ä", shownQuery), "", at(9), time.Time{})
	if q := a.Seen("u", "d").Query; len(q) != shownQuery || strings.Trim(q, "ä") != "" {
		t.Errorf("%d bytes are shown: %q", len(q), q)
	}
	for range maxPlans + 10 {
		a.Plan(&plan.Plan{Rights: []*plan.Privilege{{Relation: 1}}}, true)
	}
	if len(a.plans) != maxPlans {
		t.Errorf("%d plans are kept", len(a.plans))
	}
}
