package session

import (
	"context"
	"time"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/internal/tracing"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
)

// whole is the text that the client sent it in, with what else stood there.
func (st *Stmt) whole() string {
	if st.st == nil || st.base != nil || st.st.Whole == "" {
		return st.Text()
	}
	return st.st.Whole
}

// Stmt is a prepared statement of one session. It may run many times.
type Stmt struct {
	st      *tree.Statement // nil: the empty statement
	hints   []types.T       // parameter types the client declared
	params  []types.T
	domains map[int]types.T // by parameter, from 0: of PREPARE, whose values EXECUTE tests
	cols    []Column
	plan    *plan.Plan     // queries and DML
	cached  *cachedPlan    // plan as the cache has it
	key     *plancache.Key // of plan

	read     *reading   // of its literals
	settings uint64     // Session.generation that plan was found under
	ready    *operators // plan's, while nobody runs them
	copy     *copyPlan
	allowed  identity.Checked
	made     time.Time       // when it was given a name
	booked   int64           // of Session.held, since then
	use      *statements.Use // where its runs are counted, with usePlan's tables
	usePlan  *plan.Plan
	traced   *traced  // nil where statements are not traced
	tagged   struct { // the command tag given last: the next is often the same
		plan *plan.Plan
		rows int64
		text string
	}
	once     bool // plan is for one run
	passing  bool // see Passing
	reshapes bool // whoever runs it takes other columns and parameters after DDL
	bySQL    bool // named by PREPARE

	// Of a text with a known shape: the session's statement of that shape, and
	// the parameters.
	base   *Stmt
	values []types.Datum
	text   string
}

// traced is what the trace of a statement's runs tells of it.
type traced struct {
	parent  *oteltrace.SpanContext // the span that the text names
	planned tracing.Stretch        // for the next run; zero where the plan was there
}

// Prepare parses and plans a text that holds at most one statement; of an
// empty text it makes a Stmt for which Empty is true. More than one is 42601.
// paramTypes may be shorter than the number of parameters, and types.Unknown
// in it means: infer.
func (s *Session) Prepare(ctx context.Context, text string, paramTypes []types.T) (_ *Stmt, err error) {
	defer s.guard(&err)
	s.textCame()
	list, err := s.parseText(ctx, text)
	switch {
	case err != nil:
		return nil, s.failed(err)
	case len(list) == 0:
		return &Stmt{}, nil
	case len(list) > 1:
		return nil, s.failed(sqlerr.New(sqlerr.SyntaxError, "cannot insert multiple commands into a prepared statement"))
	}
	return s.PrepareParsed(ctx, &Parsed{st: list[0], parent: s.parentOf(text)}, paramTypes)
}

// PrepareParsed plans one statement.
func (s *Session) PrepareParsed(ctx context.Context, p *Parsed, paramTypes []types.T) (_ *Stmt, err error) {
	defer s.guard(&err)
	if s.db.opts.Tracer == nil {
		return s.prepareParsed(ctx, p, paramTypes)
	}
	began := time.Now()
	st, err := s.prepareParsed(ctx, p, paramTypes)
	if err == nil {
		st.traced = &traced{p.parent, tracing.Stretch{From: began, To: time.Now()}}
	}
	return st, err
}

func (s *Session) prepareParsed(ctx context.Context, p *Parsed, paramTypes []types.T) (*Stmt, error) {
	if p.shape != nil {
		if st := s.prepareShaped(ctx, p); st != nil {
			return st, nil
		}
		// As it is written, errors have the right position.
		list, err := s.parseText(ctx, p.text)
		if err == nil && len(list) != 1 {
			err = sqlerr.Internal(nil, "a text of one statement has %d", len(list))
		}
		if err != nil {
			return nil, s.failed(err)
		}
		st, err := s.prepareParsed(ctx, &Parsed{st: list[0]}, nil)
		if err == nil && !p.shape.Refused() {
			// It means something else with parameters.
			catalog := s.db.catalog
			version := catalog.Snapshot().Version()
			p.shape.RefuseWhile(func() bool { return catalog.Snapshot().Version() == version })
		}
		return st, err
	}
	st := &Stmt{st: p.st, hints: paramTypes}
	if s.tx.status == TxFailed && !endsTransaction(p.st.Utility) {
		return nil, errInFailedTransaction()
	}
	if err := s.planStmt(ctx, st); err != nil {
		return nil, s.failed(err)
	}
	return st, nil
}

func errInFailedTransaction() error {
	return sqlerr.New(sqlerr.InFailedSQLTransaction,
		"current transaction is aborted, commands ignored until end of transaction block")
}

// endsTransaction names the statements that a failed block takes.
func endsTransaction(u tree.Utility) bool {
	switch u.(type) {
	case *tree.Commit, *tree.Rollback, *tree.RollbackTo:
		return true
	}
	return false
}

// planStmt fills in what depends on the catalog: the plan, the parameters'
// types and the columns.
func (s *Session) planStmt(ctx context.Context, st *Stmt) error {
	for _, d := range st.st.Databases {
		if d.Name != s.opts.Database {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented: %s", d.Of).At(d.Pos).
				WithHint("A connection sees one database: write schema.name.")
		}
	}
	switch st.st.Utility.(type) {
	case nil:
	case *tree.Explain, *tree.DeclareCursor, *tree.Copy, *tree.Execute: // these plan what they are about
		return s.armed(ctx, st.st.Text, st.st.Whole, func(ctx context.Context, _ *running) error {
			return s.describeUtility(ctx, st)
		})
	default:
		return s.describeUtility(ctx, st)
	}
	if err := s.db.catalog.Live(ctx); err != nil {
		return err
	}
	if st.read == nil {
		st.read = s.reading()
	}
	var pl *cachedPlan
	err := s.lookup(ctx, time.Now(), func() (version uint64, err error) {
		pl, version, err = s.plan(ctx, st.st, st.hints, s.literals(st.read))
		return version, err
	})
	if err != nil {
		return err
	}
	st.plan, st.key, st.cached, st.settings = pl.Plan, &pl.key, pl, s.generation
	st.params, st.cols = pl.ParamTypes, pl.cols
	return nil
}

// lookup calls find, which looks for names in the newest snapshot and tells its
// version. What find does not know another server may just have made: where the
// catalog in the store, read after since, is another, find is called again.
func (s *Session) lookup(ctx context.Context, since time.Time, find func() (version uint64, err error)) error {
	version, err := find()
	if !s.db.shared || !unknownObject(err) {
		return err
	}
	now, rerr := s.db.catalog.RefreshSince(ctx, since)
	if rerr != nil {
		return rerr
	}
	if now.Version() != version {
		_, err = find()
	}
	return err
}

// unknownObject says that a statement names what is not there.
func unknownObject(err error) bool {
	switch sqlerr.CodeOf(err) {
	case sqlerr.UndefinedTable, sqlerr.UndefinedColumn, sqlerr.UndefinedObject, sqlerr.InvalidSchemaName:
		return true
	}
	return false
}

// refresh plans st anew where the catalog or a setting that planning reads has
// changed since. 0A000 where its result would change shape. FETCH and EXECUTE have the
// columns of what their names mean now, as in PostgreSQL.
func (s *Session) refresh(ctx context.Context, st *Stmt) error {
	if st.plan == nil {
		if st.Empty() {
			return nil
		}
		switch st.st.Utility.(type) {
		case *tree.Fetch, *tree.Execute:
			return s.describeUtility(ctx, st)
		}
		return nil
	}
	if err := s.db.catalog.Live(ctx); err != nil {
		return err
	}
	// An ALTER TABLE may wait for a write that waits for rows of this transaction: the
	// transaction must come to its end, where the rows are tested against what the table is then.
	if !st.plan.ReadOnly && (s.tx.t == nil || !s.tx.t.Written()) {
		if err := s.db.catalog.Writable(ctx, s.view.Lasting(st.plan.Tables)); err != nil {
			return err
		}
	}
	if s.planCurrent(st) {
		return nil
	}
	fresh := &Stmt{st: st.st, hints: st.params, read: st.read}
	if st.reshapes {
		fresh.hints = st.hints
	}
	if err := s.planStmt(ctx, fresh); err != nil {
		return err
	}
	if st.reshapes {
		st.params = fresh.params
	} else if !sameShape(st.cols, fresh.cols) {
		return errPlanChanged()
	}
	st.plan, st.key, st.cached, st.settings, st.cols = fresh.plan, fresh.key, fresh.cached, fresh.settings, fresh.cols
	return nil
}

// errPlanChanged has the routine by which pgjdbc knows that preparing anew will do.
func errPlanChanged() error {
	e := sqlerr.New(sqlerr.FeatureNotSupported, "cached plan must not change result type")
	e.Routine = "RevalidateCachedQuery"
	return e
}

func sameShape(a, b []Column) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].Type != b[i].Type || a[i].Name != b[i].Name {
			return false
		}
	}
	return true
}

func columnsOf(cols []plan.Column) []Column {
	out := make([]Column, len(cols))
	for i, c := range cols {
		out[i] = Column{Name: c.Name, Type: c.Type, TableOID: c.Table, Attnum: int16(c.ColumnID)}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}

// Reshape lets DDL change the columns and the parameters' types of st, for a caller that
// asks a portal for its columns after Next. Without it such a change is 0A000, as PostgreSQL
// has it.
func (st *Stmt) Reshape() { st.reshapes = true }

// Passing says that the text is prepared anew for its next run: st keeps nothing for that.
func (st *Stmt) Passing() { st.passing = true }

// Empty says that the text held no statement.
func (st *Stmt) Empty() bool { return st.st == nil }

// Text is the statement as written.
func (st *Stmt) Text() string {
	switch {
	case st.st == nil:
		return ""
	case st.base != nil:
		return st.text
	}
	return st.st.Text
}

// ParamTypes are the types of $1, $2, …
func (st *Stmt) ParamTypes() []types.T {
	if st.base != nil {
		return nil
	}
	return st.params
}

// Columns describes the rows; nil for statements that return none.
func (st *Stmt) Columns() []Column { return st.cols }

// SaveStmt names a prepared statement, for the protocol's Parse and SQL's
// EXECUTE, which share one namespace. The name "" is replaced; any other must
// be new: 42P05.
func (s *Session) SaveStmt(name string, st *Stmt) error {
	if _, ok := s.stmts[name]; ok && name != "" {
		return s.failed(sqlerr.New(sqlerr.DuplicatePreparedStatement, "prepared statement %q already exists", name))
	}
	if err := s.keepStmt(name, st); err != nil {
		return s.failed(err)
	}
	if name == "" {
		st.Passing()
	}
	return nil
}

// NamedStmt finds a statement: 26000 if there is none.
func (s *Session) NamedStmt(name string) (*Stmt, error) {
	if st, ok := s.stmts[name]; ok {
		return st, nil
	}
	if name == "" {
		return nil, s.failed(sqlerr.New(sqlerr.InvalidSQLStatementName, "unnamed prepared statement does not exist"))
	}
	return nil, s.failed(sqlerr.New(sqlerr.InvalidSQLStatementName, "prepared statement %q does not exist", name))
}

// CloseStmt forgets a statement; that there is none is not an error.
func (s *Session) CloseStmt(name string) { s.dropStmt(name) }

// failed notes that the transaction block, if there is one, has failed.
func (s *Session) failed(err error) error {
	s.Fail()
	return err
}

// Fail tells the session that a statement failed outside its methods (a bad
// COPY line, a protocol error): a transaction block becomes TxFailed.
func (s *Session) Fail() {
	if s.tx.status == TxActive {
		s.tx.status = TxFailed
	}
	s.tx.broken = true
}
