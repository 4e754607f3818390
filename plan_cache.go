package saltsql

import (
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
	"github.com/saltsql/saltsql/planner/plan"
)

// maxCachedText is the longest statement kept: a giant INSERT is never sent twice.
const maxCachedText = 16 << 10

// planCache keeps translated texts and plans over all sessions. Both are
// immutable. A plan is found only under the settings and the catalog version
// it was made for, so that nothing need be thrown away on DDL.
type planCache struct {
	texts  *weighted[string, []*tree.Statement]
	plans  *weighted[planKey, *cachedPlan]
	shapes *weighted[shapeKey, *textShape]
}

// maxCacheBytes bounds each of the caches of texts, plans and shapes, by estimate.
const maxCacheBytes = 24 << 20

// weightOf estimates what the tree or the plan of a text takes: the densest, lists of
// short numbers, have 30 to 60 bytes for one of the text.
func weightOf(text string, columns int) int { return 4<<10 + 60*len(text) + 500*columns }

// cachedPlan is a plan with the columns of its result as clients are told of them.
type cachedPlan struct {
	*plan.Plan
	cols []Column
}

// planKey is all that planning depends on: plannerContext lets it see no more of the
// session than stands here.
type planKey struct {
	text     string
	declared [declaredTypes]types.T // by the client
	more     string                 // of these, what does not fit
	catalog  uint64
	sizes    uint64 // version of the estimates
	path     string // schemas, quoted, with $user resolved; the catalog says which exist
	user     string
	database string
	zone     string // literals of time zone types are read at planning
	digits   int    // extra_float_digits
	escape   bool   // bytea_output
	session  planner.Hints
	rulesOff bool
}

// declaredTypes is how many declared types a planKey holds without a text.
const declaredTypes = 6

func newPlanCache(size int) *planCache {
	c := &planCache{}
	if size > 0 {
		c.texts = newWeighted[string, []*tree.Statement](size, maxCacheBytes)
		c.plans = newWeighted[planKey, *cachedPlan](size, maxCacheBytes)
		c.shapes = newWeighted[shapeKey, *textShape](size, maxCacheBytes)
	}
	return c
}

func (c *planCache) parse(text string) ([]*tree.Statement, error) {
	if c.texts == nil || len(text) > maxCachedText {
		return dialect.Parse(text)
	}
	if list, ok := c.texts.Get(text); ok {
		return list, nil
	}
	list, err := dialect.Parse(text)
	if err == nil {
		c.texts.Add(text, list, weightOf(text, 0))
	}
	return list, err
}

// parseText gives the statements of a text, and the client what there is to say of it.
func (s *Session) parseText(text string) ([]*tree.Statement, error) {
	list, err := s.db.plans.parse(text)
	if err != nil {
		return nil, err
	}
	for _, st := range list {
		for _, n := range st.Side.Notices {
			s.notice(n)
		}
	}
	return list, nil
}

// key says what plan of st this session would take now.
func (s *Session) key(st *tree.Statement, hints []types.T, snap *catalog.Snapshot) planKey {
	k := planKey{
		text: st.Text, catalog: snap.Version(), sizes: s.db.sizes.version(),
		user: s.opts.User, database: s.opts.Database,
		digits: s.io.ExtraFloatDigits, escape: s.io.ByteaEscape,
	}
	s.searchPath()
	k.path = s.path.text
	k.zone, _ = s.Setting("timezone")
	rules, _ := s.Setting("saltsql.rules")
	k.rulesOff = rules == "off"
	asked, _ := s.Setting("saltsql.hints")
	k.session, _ = planner.HintsOf(asked)
	if rest := hints[copy(k.declared[:], hints):]; len(rest) > 0 {
		var b strings.Builder
		for _, h := range rest {
			b.WriteString(h.String())
			b.WriteByte(',')
		}
		k.more = b.String()
	}
	return k
}

// plan finds or makes the plan of a query or DML statement.
func (s *Session) plan(ctx context.Context, st *tree.Statement, hints []types.T) (*cachedPlan, planKey, error) {
	snap := s.db.catalog.Snapshot()
	key := s.key(st, hints, snap)
	c := s.db.plans
	if c.plans != nil {
		if p, ok := c.plans.Get(key); ok {
			return p, key, nil
		}
	}
	pc := s.plannerContext(snap, hints, key.rulesOff)
	pc.Env = s.planningEnv(&key)
	p, err := planner.Plan(pc, st)
	if err != nil {
		return nil, key, err
	}
	ready := &cachedPlan{p, columnsOf(p.Columns)}
	if ready.cols == nil && p.ReadOnly {
		ready.cols = []Column{} // SELECT without columns still gives rows
	}
	if c.plans != nil && len(st.Text) <= maxCachedText && s.cacheable(st) {
		c.plans.Add(key, ready, weightOf(st.Text, len(ready.Columns)))
	}
	return ready, key, nil
}

// cacheable says that the text alone, with the key's settings, makes the plan. Positions
// in errors are those of the whole text, so only a text's first statement may
// share a plan.
func (s *Session) cacheable(st *tree.Statement) bool { return st.Offset == 0 }

// planningEnv is the part of env that stands in the key of a plan, which serves every
// session with the same key. What else an expression depends on is not computed at planning.
func (s *Session) planningEnv(k *planKey) *expr.Env {
	now := s.db.opts.Now()
	return &expr.Env{
		Ctx:        s.ctx,
		Now:        now,
		StmtTime:   now,
		TimeZone:   s.io.TimeZone,
		User:       k.user,
		Database:   k.database,
		SearchPath: s.existingPath(),
		Names:      names{s},
		IO:         types.IOEnv{TimeZone: s.io.TimeZone, FewFloatDigits: k.digits <= 0, ExtraFloatDigits: k.digits, ByteaEscape: k.escape},
	}
}

func (s *Session) plannerContext(snap *catalog.Snapshot, hints []types.T, rulesOff bool) *planner.Context {
	asked, _ := s.Setting("saltsql.hints")
	sessionHints, _ := planner.HintsOf(asked)
	return &planner.Context{
		Hints:      sessionHints,
		Estimator:  s.db.sizes,
		Catalog:    snap,
		SearchPath: s.searchPath(),
		ParamTypes: hints,
		Options:    planner.Options{DisableAllRules: rulesOff},
		Env:        s.env(nil),
		Notice:     s.notice,
	}
}

// planCurrent says that planning st now would give the plan it has: neither
// the catalog nor a setting that planning reads has changed, nor a table much in size.
func (s *Session) planCurrent(st *Stmt) bool {
	return st.settings == s.generation && st.key.catalog == s.db.catalog.Snapshot().Version() &&
		st.key.sizes == s.db.sizes.version()
}
