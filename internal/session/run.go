package session

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/settings/parsed"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// newRunner makes what executes a bound statement.
func (s *Session) newRunner(ctx context.Context, p *Portal, params []types.Datum) (runner, error) {
	st := p.stmt
	if st.plan == nil {
		switch st.st.Utility.(type) {
		case *tree.Execute, *tree.Copy: // these may plan, and compute arguments
			var run runner
			err := s.armed(ctx, st.Text(), st.whole(), func(ctx context.Context, _ *running) (err error) {
				run, err = s.newUtility(ctx, p, params)
				return err
			})
			return run, err
		}
		return s.newUtility(ctx, p, params)
	}
	if err := s.mayRun(st); err != nil {
		return nil, err
	}
	st = s.customized(ctx, st, params)
	p.q = query{s: s, st: st, params: params, portal: p}
	return &p.q, nil
}

// query runs a planned statement.
type query struct {
	s      *Session
	st     *Stmt
	params []types.Datum
	portal *Portal       // whose statement it is; nil where it is a part of one
	source op.Source     // COPY FROM
	actual *plan.Actuals // EXPLAIN ANALYZE

	run  *operators
	cx   *op.Context // run's; after close its counters stand until run's next use
	read uint64      // the catalog's version that it reads by, until it is closed; 0 is none
	rows int64       // written

	open   bool
	gave   bool // rows
	chunks bool // commit now and then: a load outside of a transaction
	steps  bool // rows are taken some at a time
	// frozen reads one moment, however little it reads: the query goes on while
	// others write.
	frozen bool
}

// next opens the statement at its first call: only then is it known whether it
// runs in a pipeline.
func (q *query) next(ctx context.Context) (*vec.Batch, error) {
	if !q.open {
		if err := q.start(ctx); err != nil {
			return nil, err
		}
	}
	b, err := q.run.Next()
	for try := 1; q.startsAnew(err, try); try++ {
		if err = q.close(); err != nil {
			return nil, err
		}
		if err = storage.Pause(ctx, try, anewUnit); err != nil {
			return nil, op.MapError(ctx, err, nil)
		}
		q.open = false
		if err = q.start(ctx); err != nil {
			return nil, err
		}
		b, err = q.run.Next()
	}
	q.gave = q.gave || err == nil
	if err != nil && q.cx.Settings.MaxScanRows > 0 {
		err = q.s.governed(err, q.st.plan)
	}
	return b, err
}

const (
	// mostAnew is how often a statement starts anew at most.
	mostAnew = 20
	// anewUnit is about how long it waits the first time.
	anewUnit = 500 * time.Microsecond
)

// startsAnew says that a statement which met a row that has changed, and cannot go on with it
// (see plan.Again), is to be run again from its start. Under READ COMMITTED each statement sees
// what was committed before it began; it may as well have begun now. What it wrote is undone, and
// nobody has seen any of it; rows that it has locked in a block stay locked.
func (q *query) startsAnew(err error, try int) bool {
	return err != nil && errors.Is(err, txn.ErrSerialization) && try <= mostAnew && !q.gave && !q.chunks && q.source == nil && q.actual == nil &&
		q.s.txns().Atomic() && !q.s.repeatable()
}

// start opens the statement. One that reads several tables is opened again where one of
// them has had its storage replaced before the view of the store was taken: of that table
// the view would miss what was written with what it has of the others.
func (q *query) start(ctx context.Context) error {
	for {
		if err := q.openOnce(ctx); err != nil {
			return err
		}
		late, err := q.late(ctx)
		if !late {
			return err
		}
		if err := q.close(); err != nil {
			return err
		}
		q.open = false
	}
}

// allowed refuses what the role has not the rights for, and a write in a read-only transaction.
func (q *query) allowed() error {
	s := q.s
	if err := s.mayRun(q.st); err != nil {
		return err
	}
	if !q.st.plan.ReadOnly && s.tx.readOnly(s) && !changesTemporaryOnly(q.st.plan) {
		return sqlerr.New(sqlerr.ReadOnlySQLTransaction, "cannot execute %s in a read-only transaction", q.verb())
	}
	return nil
}

func (q *query) openOnce(ctx context.Context) error {
	s := q.s
	if err := q.allowed(); err != nil {
		return err
	}
	if err := q.beginRead(ctx); err != nil {
		return err
	}
	s.activity.Plan(q.st.plan, s.tx.inTransaction())
	if err := s.allowScan(q.st.plan); err != nil {
		return err
	}
	ctx, err := s.tx.choose(ctx, s, q.st.plan)
	if err != nil {
		return err
	}
	if q.run, err = q.st.take(s); err != nil {
		return err
	}
	run := q.run
	t, err := s.tx.txn(ctx, s)
	if err != nil {
		return s.db.storageError(ctx, err)
	}
	if err := s.tx.stillStored(s, q.st.plan); err != nil {
		return err
	}
	if t != nil && !q.st.plan.ReadOnly && !s.txns().Atomic() && !s.tx.noticed {
		s.tx.noticed = true
		s.notice(sqlerr.Notice(sqlerr.Warning, "transactions over several rows are not atomic on this store").
			WithDetail("Writes are held until COMMIT and then sent row by row in key order."))
	}
	s.fillEnv(&run.env, q.params, q.began())
	q.cx = &run.cx
	*q.cx = op.Context{
		Ctx:       ctx,
		Txns:      s.txns(),
		Txn:       t,
		Env:       &run.env,
		Settings:  s.cached().Exec,
		Notice:    s.noticed,
		Memory:    &run.mem,
		Pool:      s.db.memory,
		Statement: q.account(ctx),
		Writing:   s.writing,
		Actuals:   q.actual,
		Frozen:    q.frozen,
		Stepwise:  q.frozen || q.steps,
		World:     sessionFuncs{s},
		Source:    q.source,
		Heat:      s.heat,
	}
	if t != nil {
		q.cx.Wrote = s.tx.wrote
	}
	q.cx.Enter, q.cx.TryEnter = s.entering, s.trying
	if !s.identity().Superuser {
		q.cx.Shown = func(t *catalog.Table) []bool { return s.identity().ShownColumns(q.st.plan, t) }
	}
	q.cx.Env.Ctx = ctx
	q.cx.Settings.Chunked = q.chunks
	q.open = true
	return run.Open(q.cx)
}

func (q *query) close() error {
	q.endRead()
	if q.run == nil {
		return nil
	}
	q.rows = q.run.RowsAffected()
	err := q.run.Close()
	q.s.db.sizes.Wrote(q.st.plan, q.rows)
	q.run.forget()
	q.st.give(q.s, q.run)
	q.run = nil
	return err
}

// account is the memory of the statement whose query it is.
func (q *query) account(ctx context.Context) *memory.Account {
	if r := runningOf(ctx); r != nil {
		return &r.mem
	}
	return nil
}

// began is when the statement began, where that is known.
func (q *query) began() time.Time {
	if q.portal == nil || q.portal.running == nil {
		return time.Time{}
	}
	return q.portal.began
}

// work is what the query did in the storage. It is asked for once it is closed, and before
// the session runs another.
func (q *query) work() statements.Work {
	if q.cx == nil {
		return statements.Work{}
	}
	w := &q.cx.Work
	return statements.Work{Calls: w.StorageCalls, RowsRead: w.RowsRead, Bytes: w.BytesRead, Written: q.rows, Buckets: w.Buckets, SpillBytes: w.SpillBytes}
}

// tag is the command tag: what gives rows counts those sent, as one Execute of its portal has them,
// other writes those written.
func (q *query) tag(rows int64) string {
	n := rows
	if q.st.plan.Tag != "SELECT" && q.st.cols == nil {
		n = q.rows
		if q.run != nil {
			n = q.run.RowsAffected()
		}
	}
	st := q.st
	if st.base != nil {
		st = st.base
	}
	if t := &st.tagged; t.plan != q.st.plan || t.rows != n {
		t.plan, t.rows, t.text = q.st.plan, n, q.st.plan.Tag+" "+strconv.FormatInt(n, 10)
	}
	return st.tagged.text
}

// verb is what the statement is called in an error.
func (q *query) verb() string {
	switch tag := q.st.plan.Tag; {
	case q.source != nil:
		return "COPY FROM"
	case tag == "INSERT 0":
		return "INSERT"
	case tag == "SELECT":
		if locks := locksOf(q.st.st); len(locks) > 0 {
			return tag + " " + locks[0].Strength.String()
		}
		return tag
	default:
		return tag
	}
}

// locksOf gives the FOR UPDATE clauses of a query itself, not those of queries in it.
func locksOf(st *tree.Statement) []tree.Lock {
	q, ok := st.DML.(tree.Query)
	if !ok {
		return nil
	}
	return q.Outer().Locks
}

// operators are those of a plan with all that a run of them needs. They are kept from
// run to run, so that a portal of a prepared statement is small.
type operators struct {
	*exec.Statement
	cx  op.Context
	env expr.Env
	mem memory.Account
}

// forget lets go of what one run was about.
func (r *operators) forget() {
	r.cx.Txn, r.cx.Source, r.cx.Actuals = nil, nil, nil
	r.env.Params = nil
}

// env is all that expressions may know of the session.
func (s *Session) env(params []types.Datum) *expr.Env {
	e := &expr.Env{}
	s.fillEnv(e, params, time.Time{})
	e.Ctx = s.workCtx()
	return e
}

// fillEnv tells expressions of the session; now zero asks the clock.
func (s *Session) fillEnv(e *expr.Env, params []types.Datum, now time.Time) {
	if now.IsZero() {
		now = s.db.opts.Now()
	}
	if s.db.shared {
		s.began = time.Now()
	}
	*e = expr.Env{
		Ctx:      s.ctx,
		Params:   params,
		Now:      now,
		StmtTime: now,
		TimeZone: s.io.TimeZone,
		User:     s.identity().Current.Name, SessionUser: s.identity().Session.Name,
		Database:   s.opts.Database,
		SearchPath: s.existingPath(),
		BackendPID: s.opts.BackendPID,
		Session:    sessionFuncs{s},
		Random:     &s.random,
		Names:      names{s},
		IO:         s.io,
	}
	if !s.tx.start.IsZero() {
		e.Now = s.tx.start // now() stands still in a transaction
	}
}

// Timeouts are the settings that bound how long a client and its statements may take.
type Timeouts = parsed.Timeouts

// Timeouts gives the settings of now.
func (s *Session) Timeouts() Timeouts { return s.cached().Timeouts }

// cached gives the settings as statements use them, read anew where one has changed.
func (s *Session) cached() *parsed.Settings {
	l := &s.limits
	if l.At != s.generation {
		l.Read(s.generation, s.Setting)
		l.Exec.TempDir = s.db.opts.TempDir
	}
	return l
}

// startStatement is called before a portal's first work.
func (s *Session) startStatement(p *Portal) error {
	if err := s.stillLocked(); err != nil {
		return err
	}
	if s.ctx.Err() != nil {
		if e := sqlerr.As(context.Cause(s.ctx)); e != nil {
			return e
		}
		return sqlerr.New(sqlerr.AdminShutdown, "the session is closed")
	}
	return nil
}

// endStatement is called once after a portal's last work.
func (s *Session) endStatement(p *Portal, err error) error {
	s.observe(p, err)
	p.endTrace(err)
	if !s.tx.inTransaction() {
		s.endAdvisory()
		s.view.End(err == nil || err == errClosed)
		s.endSettings(err == nil || err == errClosed)
		return s.endNotify(err == nil || err == errClosed)
	}
	return nil
}

// sessionFuncs answers functions over the session.
type sessionFuncs struct{ s *Session }

func (f sessionFuncs) Setting(name string) (string, bool) { return f.s.Setting(name) }
func (f sessionFuncs) MaySee(name string) error           { return f.s.maySee(name) }

func (f sessionFuncs) SetSetting(name, value string, local bool) error {
	return f.s.set(name, value, local)
}
