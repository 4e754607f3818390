package session

import (
	"context"
	"fmt"
	"io"

	"github.com/saltsql/saltsql/internal/dialect/plpgsql"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// do is DO: its statements run one after the other within this one, as parts of its transaction. Outside
// of a block they are one of their own. What a handler of errors catches is undone as by ROLLBACK TO.
func (s *Session) do(ctx context.Context, u *tree.Do) error {
	switch u.Language {
	case "", "plpgsql":
	case "sql", "c", "internal":
		return sqlerr.New(sqlerr.FeatureNotSupported, `language "%s" does not support inline code execution`, u.Language)
	default:
		return sqlerr.New(sqlerr.UndefinedObject, `language "%s" does not exist`, u.Language)
	}
	body, err := plpgsql.Parse(u.Body)
	if err != nil {
		return err
	}
	d := doing{s: s}
	if s.tx.inTransaction() {
		return d.block(ctx, body)
	}
	s.BeginPipeline()
	if err := d.block(ctx, body); err != nil {
		s.tx.keptDDL(s, 0)
		s.tx.rollback(s)
		return err
	}
	return s.tx.finish(ctx, s)
}

// doing is one run of a body.
type doing struct {
	s      *Session
	caught *sqlerr.Error // what the handler that runs has caught
}

func (d *doing) block(ctx context.Context, b *plpgsql.Block) error {
	if len(b.Handlers) == 0 {
		return d.all(ctx, b.Do)
	}
	x := &d.s.tx
	status, broken, point := x.status, x.broken, x.point(d.s, "")
	err := d.all(ctx, b.Do)
	if err == nil {
		x.releaseAt(point)
		return nil
	}
	e := sqlerr.As(err)
	if e == nil || ctx.Err() != nil {
		return err
	}
	for i := range b.Handlers {
		if !b.Handlers[i].Catches(e.Code) {
			continue
		}
		x.rollbackAt(d.s, point)
		x.releaseAt(point)
		x.status, x.broken = status, broken
		was := d.caught
		d.caught = e
		err := d.all(ctx, b.Handlers[i].Do)
		d.caught = was
		return err
	}
	return err
}

func (d *doing) all(ctx context.Context, list []plpgsql.Statement) error {
	for _, st := range list {
		err := ctx.Err()
		if err == nil {
			err = d.statement(ctx, st)
		}
		if err != nil {
			return d.within(err, st)
		}
	}
	return nil
}

// within adds to an error where in the body it is, as CONTEXT tells; its position is one in a part of
// the body, and left out.
func (d *doing) within(err error, st plpgsql.Statement) error {
	e := sqlerr.As(err)
	if e == nil || e == d.caught {
		return err
	}
	switch st.(type) {
	case *plpgsql.Block, *plpgsql.If: // the statement within has said it
		if e.Where != "" {
			return err
		}
	}
	told := *e
	told.Position = 0
	line, kind := st.At()
	if sql, ok := st.(*plpgsql.SQL); ok {
		told.AddWhere(fmt.Sprintf(`SQL statement "%s"`, sql.Text))
	}
	told.AddWhere(fmt.Sprintf("PL/pgSQL function inline_code_block line %d at %s", line, kind))
	return &told
}

func (d *doing) statement(ctx context.Context, st plpgsql.Statement) error {
	switch st := st.(type) {
	case *plpgsql.Block:
		return d.block(ctx, st)
	case *plpgsql.SQL:
		return d.sql(ctx, d.told(st.Text), st.Perform, nil)
	case *plpgsql.Execute:
		text, null, err := d.value(ctx, st.Text)
		if err == nil && null {
			err = sqlerr.New(sqlerr.NullValueNotAllowed, "query string argument of EXECUTE is null")
		}
		if err != nil {
			return err
		}
		return d.sql(ctx, text, true, nil)
	case *plpgsql.If:
		for _, arm := range st.Arms {
			yes, err := d.condition(ctx, arm.When)
			if err != nil {
				return err
			}
			if yes {
				return d.all(ctx, arm.Do)
			}
		}
		return d.all(ctx, st.Else)
	case *plpgsql.Raise:
		return d.raise(ctx, st)
	}
	return nil
}

// sql runs one statement. Its rows are visited; where nobody wants them, it may give none, unless they
// are to be dropped.
func (d *doing) sql(ctx context.Context, text string, drop bool, visit func(types.T, types.Datum) error) error {
	s := d.s
	list, err := s.parseText(ctx, text)
	if err != nil || len(list) == 0 {
		return err
	}
	for _, parsed := range list {
		if err := mayDo(parsed); err != nil {
			return err
		}
		st, err := s.prepareParsed(ctx, &Parsed{st: parsed}, nil)
		if err != nil {
			return err
		}
		if visit != nil && len(st.cols) != 1 {
			return sqlerr.New(sqlerr.SyntaxError, "query returned %d columns", len(st.cols)).WithDetail("Query: %s", text)
		}
		if st.cols != nil && !drop && visit == nil {
			return sqlerr.New(sqlerr.SyntaxError, "query has no destination for result data").
				WithHint("If you want to discard the results of a SELECT, use PERFORM instead.")
		}
		p, err := s.bind(ctx, s.rowsName(), st, nil, nil)
		if err != nil {
			return err
		}
		err = d.run(ctx, p, visit)
		p.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *doing) run(ctx context.Context, p *Portal, visit func(types.T, types.Datum) error) error {
	if p.CopyIn() != nil || p.CopyOut() != nil {
		return sqlerr.New(sqlerr.FeatureNotSupported, "cannot COPY to/from client in PL/pgSQL")
	}
	for rows := 0; ; {
		b, err := p.Next(ctx)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		for i := 0; visit != nil && i < b.Rows(); i++ {
			if rows++; rows > 1 {
				return sqlerr.New(sqlerr.CardinalityViolation, "query returned more than one row")
			}
			if err := visit(p.cols[0].Type, b.Cols[0].Datum(b.Row(i))); err != nil {
				return err
			}
		}
	}
}

// mayDo refuses what is no part of a body: 2D000 and 0A000 for what begins and ends transactions, 42601
// for INTO, which has no variable to go to.
func mayDo(st *tree.Statement) error {
	switch u := st.Utility.(type) {
	case *tree.Commit, *tree.Rollback:
		return sqlerr.New(sqlerr.InvalidTransactionTermination, "invalid transaction termination").
			WithHint("COMMIT and ROLLBACK stand outside of DO; EXCEPTION undoes what its block has done.")
	case *tree.Begin, *tree.Savepoint, *tree.Release, *tree.RollbackTo:
		return sqlerr.Unsupported("unsupported transaction command in PL/pgSQL", "Use EXCEPTION, which undoes what its block has done.")
	case *tree.CreateTableAs:
		if u.SelectInto {
			return sqlerr.New(sqlerr.SyntaxError, `"%s" is not a known variable`, u.Name.Name)
		}
	}
	return nil
}

// value gives an expression's value as text.
func (d *doing) value(ctx context.Context, expr string) (text string, null bool, err error) {
	null = true
	err = d.sql(ctx, "SELECT "+d.told(expr), true, func(t types.T, v types.Datum) error {
		if null = v.Null; !null {
			text = string(types.AppendText(nil, t, v, d.s.IOEnv()))
		}
		return nil
	})
	return text, null, err
}

// condition gives an expression's truth; NULL is false.
func (d *doing) condition(ctx context.Context, expr string) (bool, error) {
	text, null, err := d.value(ctx, expr)
	if err != nil || null {
		return false, err
	}
	v, err := types.ParseText(types.Of(types.Bool), []byte(text), d.s.IOEnv())
	return v.Bool, err
}

// told puts in the place of SQLERRM and SQLSTATE, in a handler, what it has caught.
func (d *doing) told(text string) string {
	if d.caught == nil {
		return text
	}
	return plpgsql.Caught(text, d.caught)
}

// raise tells the client, or fails.
func (d *doing) raise(ctx context.Context, r *plpgsql.Raise) error {
	if r.Again() {
		if d.caught == nil {
			return sqlerr.New(sqlerr.StackedDiagnosticsWithoutHandler, "RAISE without parameters cannot be used outside an exception handler")
		}
		return d.caught
	}
	values := make([]string, len(r.Args))
	for i, arg := range r.Args {
		text, null, err := d.value(ctx, arg)
		if err != nil {
			return err
		}
		if null {
			text = "<NULL>"
		}
		values[i] = text
	}
	e := &sqlerr.Error{Code: r.Code, Severity: r.Severity, Message: r.Name}
	if r.Given {
		e.Message = plpgsql.Filled(r.Format, values)
	}
	for _, o := range r.Using {
		if err := d.option(ctx, e, r, o); err != nil {
			return err
		}
	}
	if e.Code == (sqlerr.Code{}) {
		switch r.Severity {
		case sqlerr.SeverityError:
			e.Code = sqlerr.RaiseException
		case sqlerr.SeverityWarning:
			e.Code = sqlerr.Warning
		default:
			e.Code = sqlerr.SuccessfulCompletion
		}
	}
	if e.Message == "" {
		e.Message = e.Code.String()
	}
	switch r.Severity {
	case sqlerr.SeverityError:
		return e
	case "":
		return nil
	}
	line, kind := r.At()
	e.AddWhere(fmt.Sprintf("PL/pgSQL function inline_code_block line %d at %s", line, kind))
	d.s.notice(e)
	return nil
}

// option sets one of USING's: 42601 where the message or the code is there already.
func (d *doing) option(ctx context.Context, e *sqlerr.Error, r *plpgsql.Raise, o plpgsql.Option) error {
	text, null, err := d.value(ctx, o.Value)
	if err == nil && null {
		err = sqlerr.New(sqlerr.NullValueNotAllowed, "RAISE statement option cannot be null")
	}
	if err != nil {
		return err
	}
	twice := func(name string, given bool) error {
		if given {
			return sqlerr.New(sqlerr.SyntaxError, "RAISE option already specified: %s", name)
		}
		return nil
	}
	switch o.Name {
	case "message":
		err = twice("MESSAGE", r.Given)
		e.Message = text
	case "errcode":
		if err = twice("ERRCODE", r.Code != sqlerr.Code{}); err == nil {
			e.Code, err = plpgsql.CodeOf(text)
		}
	case "detail":
		e.Detail = text
	case "hint":
		e.Hint = text
	case "column":
		e.Column = text
	case "constraint":
		e.Constraint = text
	case "datatype":
		e.DataType = text
	case "table":
		e.Table = text
	case "schema":
		e.Schema = text
	}
	return err
}
