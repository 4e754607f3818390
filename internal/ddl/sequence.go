package ddl

import (
	"context"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// seqOptions are the options of a sequence as written, each at most once.
type seqOptions struct {
	start, increment, min, max, cache, restart *int64
	noMin, noMax, restartStart                 bool
	cycle                                      *bool
	kind                                       types.Kind
	owner                                      *catalog.SequenceOwner
	name                                       catalog.Name // of an identity column's
}

func (r *Runner) readSequenceOptions(opts []tree.SequenceOption) (*seqOptions, error) {
	out := &seqOptions{}
	seen := map[string]bool{}
	for i := range opts {
		o := &opts[i]
		name := strings.TrimPrefix(o.Name, "no ")
		if seen[name] {
			return nil, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(o.Pos)
		}
		seen[name] = true
		var n int64
		if o.HasValue {
			var err error
			if n, err = strconv.ParseInt(o.Value, 10, 64); err != nil {
				return nil, sqlerr.New(sqlerr.NumericValueOutOfRange, "value %q is out of range for type bigint", o.Value).At(o.Pos)
			}
		}
		yes, no := true, false
		switch o.Name {
		case "as":
			t, err := TypeOf(o.Type)
			if err != nil {
				return nil, err
			}
			if t.Kind != types.Int2 && t.Kind != types.Int4 && t.Kind != types.Int8 {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, "sequence type must be smallint, integer, or bigint").At(o.Pos)
			}
			out.kind = t.Kind
		case "start":
			out.start = &n
		case "increment":
			out.increment = &n
		case "minvalue":
			out.min = &n
		case "maxvalue":
			out.max = &n
		case "no minvalue":
			out.noMin = true
		case "no maxvalue":
			out.noMax = true
		case "cycle":
			out.cycle = &yes
		case "no cycle":
			out.cycle = &no
		case "cache":
			if n < 1 {
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, "CACHE (%d) must be greater than zero", n).At(o.Pos)
			}
			out.cache = &n
		case "restart":
			if out.restartStart = !o.HasValue; o.HasValue {
				out.restart = &n
			}
		case "owned by":
			out.owner = &catalog.SequenceOwner{Table: r.catalogName(o.OwnerTable), Column: o.Owner.Name}
			if o.Value == "none" {
				out.owner = &catalog.SequenceOwner{}
			}
		case "sequence name":
			out.name = r.catalogName(o.Owner)
		default:
			return nil, unsupportedAt(o.Pos, "Leave it out.", "sequence option %s is not supported", strings.ToUpper(o.Name))
		}
	}
	return out, nil
}

// sequenceOptions are those of a new sequence; kind is its type where no AS says it.
func (r *Runner) sequenceOptions(opts []tree.SequenceOption, kind types.Kind) (catalog.SequenceOptions, error) {
	o, err := r.readSequenceOptions(opts)
	if err != nil {
		return catalog.SequenceOptions{}, err
	}
	if o.restart != nil || o.restartStart {
		return catalog.SequenceOptions{}, unsupportedAt(opts[0].Pos, "Say START WITH.", "RESTART of a new sequence is not supported")
	}
	out := catalog.SequenceOptions{Type: kind, Start: o.start, Increment: o.increment, Min: o.min, Max: o.max, Owner: o.owner, Name: o.name}
	if o.kind != types.Unknown {
		out.Type = o.kind
	}
	if o.cycle != nil {
		out.Cycle = *o.cycle
	}
	if o.cache != nil {
		out.Cache = *o.cache
	}
	return out, nil
}

func (r *Runner) createSequence(ctx context.Context, u *tree.CreateSequence) (catalog.Notices, error) {
	if u.Temp {
		return nil, unsupportedAt(u.Name.Pos, "Create a sequence and DROP it.", "temporary sequences are not supported")
	}
	if err := r.Catalog.MayCreate(ctx, r.catalogName(u.Name)); err != nil {
		return nil, at(err, u.Name.Pos)
	}
	if u.IfNotExists {
		if rel, notices := r.Catalog.Existing(ctx, r.catalogName(u.Name)); rel != nil {
			return notices, nil
		}
	}
	opts, err := r.sequenceOptions(u.Options, types.Unknown)
	if err == nil && opts.Name.Name != "" {
		err = sqlerr.New(sqlerr.SyntaxError, "invalid sequence option SEQUENCE NAME").At(opts.Name.Pos)
	}
	if err != nil {
		return nil, err
	}
	_, notices, err := r.Catalog.CreateSequence(ctx, &catalog.SequenceDef{Name: r.catalogName(u.Name), Options: opts}, u.IfNotExists)
	return notices, err
}

// alterSequence is ALTER SEQUENCE: new options, or a new name.
func (r *Runner) alterSequence(ctx context.Context, u *tree.AlterTable) (catalog.Notices, error) {
	a := &u.Actions[0]
	if len(u.Actions) > 1 {
		return nil, sqlerr.New(sqlerr.SyntaxError, `syntax error at or near ","`).At(u.Actions[1].Pos)
	}
	switch a.Kind {
	case tree.SequenceAct:
		return r.changeSequence(ctx, r.catalogName(u.Name), u.IfExists, a.Sequence)
	case tree.RenameTable:
		return r.Catalog.RenameRelation(ctx, "sequence", r.catalogName(u.Name), u.IfExists, a.NewName)
	case tree.SetSchema:
		return r.Catalog.MoveRelation(ctx, "sequence", r.catalogName(u.Name), u.IfExists, a.NewName, a.Pos)
	}
	return nil, unsupportedAt(a.Pos, "DROP the sequence and create it anew.", "ALTER SEQUENCE ... %s is not supported", actionName(a))
}

func (r *Runner) changeSequence(ctx context.Context, name catalog.Name, ifExists bool, opts []tree.SequenceOption) (catalog.Notices, error) {
	o, err := r.readSequenceOptions(opts)
	if err == nil && o.name.Name != "" {
		err = sqlerr.New(sqlerr.SyntaxError, "invalid sequence option SEQUENCE NAME").At(o.name.Pos)
	}
	if err != nil {
		return nil, err
	}
	return r.Catalog.AlterSequence(ctx, name, ifExists, live.SequenceChange{
		Start: o.start, Increment: o.increment, Min: o.min, Max: o.max, NoMin: o.noMin, NoMax: o.noMax,
		Cache: o.cache, Cycle: o.cycle, Type: o.kind, Restart: o.restart, RestartStart: o.restartStart, Owner: o.owner,
	})
}

// alterIdentity is ALTER TABLE … ALTER COLUMN c RESTART, SET INCREMENT and the like,
// which change the sequence that an identity column counts with.
func (r *Runner) alterIdentity(ctx context.Context, u *tree.AlterTable, a *tree.AlterAction) (catalog.Notices, error) {
	t, snap, err := r.tableNamed(ctx, u.Name)
	if err != nil {
		if u.IfExists && sqlerr.CodeOf(err) == sqlerr.UndefinedTable {
			return catalog.Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "relation %q does not exist, skipping", u.Name.Name)}, nil
		}
		return nil, at(err, u.Name.Pos)
	}
	c := t.ColumnByName(a.Column)
	switch {
	case c == nil:
		return nil, sqlerr.New(sqlerr.UndefinedColumn, "column %q of relation %q does not exist", a.Column, t.Name).At(a.Pos)
	case c.Identity == 0:
		return nil, sqlerr.New(sqlerr.ObjectNotInPrerequisite, "column %q of relation %q is not an identity column", c.Name, t.Name).At(a.Pos)
	}
	for i := range a.Sequence {
		if o := &a.Sequence[i]; o.Name == "owned by" || o.Name == "as" {
			return nil, unsupportedAt(o.Pos, "Leave it out: the column owns its sequence.", "%s of an identity column's sequence is not supported", strings.ToUpper(o.Name))
		}
	}
	q := snap.ByID(c.Sequence)
	if q == nil {
		return nil, sqlerr.Internal(nil, "the sequence of column %q of %q is not there", c.Name, t.Name)
	}
	return r.changeSequence(ctx, catalog.Name{Schema: q.RelSchema(), Name: q.RelName(), Pos: a.Pos}, false, a.Sequence)
}
