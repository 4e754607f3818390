package session

import (
	"context"
	"sync/atomic"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/stats"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// cachedPlan is a plan with the columns of its result as clients are told of them.
type cachedPlan struct {
	*plan.Plan
	key    plancache.Key
	cols   []Column
	choice *plancache.Choice // nil where values of parameters make no other plan
	known  uint64            // what was known of its tables: Estimates.VersionOf
	seen   atomic.Uint64
	again  atomic.Bool // it was found once it was kept
}

// current says that as much is known of the plan's tables as when it was made: at once, where
// nothing is known anew of any table.
func (p *cachedPlan) current(z *stats.Estimates) bool {
	now := z.Version()
	if p.seen.Load() == now {
		return true
	}
	if z.VersionOf(p.Tables) != p.known {
		return false
	}
	p.seen.Store(now)
	return true
}

func (db *DB) currentPlan(p *cachedPlan) bool { return p.current(db.sizes) }

// parseText gives the statements of a text, and the client what there is to say of it.
func (s *Session) parseText(ctx context.Context, text string) ([]*tree.Statement, error) {
	list, ok := s.db.plans.Parsed(text)
	if !ok {
		err := s.armed(ctx, text, text, func(ctx context.Context, r *running) (err error) {
			parsing := memory.Of(&r.mem, false)
			if list, err = s.db.plans.Parse(text, parsing.MustTo); err != nil {
				parsing.Release()
				return err
			}
			return parsing.MustTo(int64(len(text)) + dialect.Held(list))
		})
		if err != nil {
			return nil, err
		}
	}
	for _, st := range list {
		for _, n := range st.Side.Notices {
			s.notice(n)
		}
	}
	return list, nil
}

// key says what plan of st this session would take now.
func (s *Session) key(st *tree.Statement, hints []types.T, snap *catalog.Snapshot) plancache.Key {
	k := plancache.Key{
		Text: st.Text, Catalog: snap.Version(), Temp: s.view.Stamp(),
		User: s.identity().Current.Name, SessionUser: s.identity().Session.Name, Database: s.opts.Database,
		Digits: s.io.ExtraFloatDigits, Escape: s.io.ByteaEscape, Style: s.io.Style,
	}
	s.searchPath()
	k.Path = s.path.Text
	l := s.cached()
	k.Zone, k.RulesOff, k.Hints = l.Zone, l.RulesOff, l.Hints
	k.Declare(hints)
	return k
}

// plan finds or makes the plan of a query or DML statement, by the version of the catalog that
// it tells.
func (s *Session) plan(ctx context.Context, st *tree.Statement, hints []types.T, literals *types.IOEnv) (*cachedPlan, uint64, error) {
	snap := s.snapshot()
	key := s.key(st, hints, snap)
	key.Literals = literals
	if p, ok := s.db.plans.Find(key, s.db.currentPlan); ok {
		if !p.again.Load() {
			p.again.Store(true)
		}
		return p, key.Catalog, nil
	}
	before := s.db.sizes.Version()
	var p *plan.Plan
	err := s.armed(ctx, st.Text, st.Whole, func(ctx context.Context, r *running) (err error) {
		pc := s.contextIn(s.planningEnv(r, &key), snap, hints, key.RulesOff)
		pc.Literals = literals
		p, err = r.plan(pc, st)
		return err
	})
	if err != nil {
		return nil, key.Catalog, err
	}
	ready := &cachedPlan{Plan: p, key: key, cols: columnsOf(p.Columns)}
	ready.known = s.db.sizes.VersionOf(p.Tables)
	if ready.seen.Store(before); s.db.sizes.Version() != before {
		ready.known = ^ready.known // something became known while it was planned
	}
	if planner.ValuesMatter(p) {
		ready.choice = new(plancache.Choice)
	}
	if ready.cols == nil && p.ReadOnly {
		ready.cols = []Column{} // SELECT without columns still gives rows
	}
	s.db.plans.Keep(key, st, ready, int(planner.Size(p)))
	return ready, key.Catalog, nil
}

// planningBytes is about what planning takes for a token of the text, beside the plan.
const planningBytes = 200

// plan plans a statement, or a part of it, within the statement's memory: 53200 where it does not
// fit. The plan is booked until the statement's end.
func (r *running) plan(ctx *planner.Context, st *tree.Statement) (*plan.Plan, error) {
	planning := memory.Of(&r.mem, false)
	if err := planning.MustTo(planningBytes * int64(st.Tokens)); err != nil {
		return nil, err
	}
	p, err := planner.Plan(ctx, st)
	if err != nil {
		planning.Release()
		return nil, err
	}
	return p, planning.MustTo(planner.Size(p))
}

// planningEnv is the part of env that stands in the key of a plan, which serves every
// session with the same key. What else an expression depends on is not computed at planning.
func (s *Session) planningEnv(r *running, k *plancache.Key) *expr.Env {
	now := s.db.opts.Now()
	return &expr.Env{
		Ctx:      r.ctx,
		Mem:      &r.mem,
		Now:      now,
		StmtTime: now,
		TimeZone: s.io.TimeZone,
		User:     k.User, SessionUser: k.SessionUser,
		Database:   k.Database,
		SearchPath: s.existingPath(),
		Names:      names{s},
		IO: types.IOEnv{TimeZone: s.io.TimeZone, Style: k.Style, FewFloatDigits: k.Digits <= 0,
			ExtraFloatDigits: k.Digits, ByteaEscape: k.Escape},
	}
}

// plannerContext is for what is planned and not kept: its constants may be whatever the session
// knows.
func (s *Session) plannerContext(snap *catalog.Snapshot, hints []types.T, rulesOff bool) *planner.Context {
	return s.contextIn(s.env(nil), snap, hints, rulesOff)
}

func (s *Session) contextIn(env *expr.Env, snap *catalog.Snapshot, hints []types.T, rulesOff bool) *planner.Context {
	return &planner.Context{
		Hints:      s.cached().Hints,
		Estimator:  s.db.sizes,
		Catalog:    s.seen(snap),
		Stored:     snap,
		SearchPath: s.searchPath(),
		ParamTypes: hints,
		Options:    planner.Options{DisableAllRules: rulesOff},
		Env:        env,
		Notice:     s.notice,
	}
}

// planCurrent says that planning st now would give the plan it has: neither
// the catalog nor a setting that planning reads has changed, nor a table much in size.
func (s *Session) planCurrent(st *Stmt) bool {
	return st.settings == s.generation && st.key.Catalog == s.db.catalog.Snapshot().Version() && st.key.Temp == s.view.Stamp() &&
		(st.cached == nil || st.cached.current(s.db.sizes))
}
