package versions

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// waitNotice is from when on a DDL statement says what it waits for.
const waitNotice = time.Second

type waitKey struct{}

// WithWaiting has a DDL statement call tell when it has waited for others for
// a second: once for each of the things it may wait for, on the goroutine of
// the call. The wait ends with ctx.
func WithWaiting(ctx context.Context, tell func(*sqlerr.Error)) context.Context {
	return context.WithValue(ctx, waitKey{}, tell)
}

// wait is one wait of a DDL statement.
type wait struct {
	tell  func(*sqlerr.Error) // nil: nobody wants to know, or all is said
	since time.Time
}

func BeginWait(ctx context.Context) wait {
	tell, _ := ctx.Value(waitKey{}).(func(*sqlerr.Error))
	return wait{tell, time.Now()}
}

// Long tells what the statement waits for, once it has waited for long.
func (w *wait) Long(what func() *sqlerr.Error) {
	if w.tell != nil && time.Since(w.since) >= waitNotice {
		w.tell(what())
		w.tell = nil
	}
}

func waitingFor(what, detail, hint string) *sqlerr.Error {
	return sqlerr.Notice(sqlerr.SuccessfulCompletion, "waiting for %s", what).
		WithDetail("%s", detail).WithHint("%s The statement can be canceled.", hint)
}

func (c *Keeper) waitingForDDL() *sqlerr.Error {
	return waitingFor("another DDL statement of this server", "One at a time changes the catalog.", "It goes on when that one ends.")
}

func (c *Keeper) waitingForLease(l leaseJSON) *sqlerr.Error {
	left := time.UnixMilli(l.Until).Sub(c.Options.Now()).Round(time.Second)
	return waitingFor("the DDL statement of another server",
		fmt.Sprintf("Server %s has the lease for %v more, unless it renews it.", l.Owner, max(left, 0)),
		"If that server was killed, its lease runs out by itself.")
}

// WaitingForServers names the servers that have not seen a change yet.
func (c *Keeper) WaitingForServers(behind []ServerJSON) *sqlerr.Error {
	if len(behind) == 0 {
		return waitingFor("writes of this server", "They began before the change of the table.", "It goes on when they end.")
	}
	what := "another server"
	if len(behind) > 1 {
		what = fmt.Sprintf("%d other servers", len(behind))
	}
	var told []string
	now := c.Options.Now()
	for _, s := range behind {
		ago := max(now.Sub(time.UnixMilli(s.Now)), 0).Round(time.Second)
		told = append(told, fmt.Sprintf("%s gave its last sign %v ago", strings.TrimPrefix(s.Key, serverPrefix), ago))
	}
	return waitingFor(what+" to see the change of the catalog", "Server "+strings.Join(told, ", server ")+".",
		fmt.Sprintf("A server that was killed is given up when it has been silent for %v.", c.Options.Lease))
}
