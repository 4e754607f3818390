package catalog

import (
	"context"
	"math"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// newSequence checks options and fills in Postgres's defaults.
func newSequence(name string, o *SequenceOptions, pos int) (*Sequence, error) {
	if err := checkIdentifier("sequence", name, pos); err != nil {
		return nil, err
	}
	q := &Sequence{Name: name, Type: o.Type, Increment: 1, Cycle: o.Cycle, Cache: o.Cache}
	bad := func(format string, args ...any) (*Sequence, error) {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, format, args...).At(pos)
	}
	if q.Type == types.Unknown {
		q.Type = types.Int8
	}
	lo, hi, ok := sequenceRange(q.Type)
	if !ok {
		return bad("sequence type must be smallint, integer, or bigint")
	}
	if o.Increment != nil {
		q.Increment = *o.Increment
	}
	if q.Increment == 0 {
		return bad("INCREMENT must not be zero")
	}
	if q.Min, q.Max = 1, hi; q.Increment < 0 {
		q.Min, q.Max = lo, -1
	}
	if o.Min != nil {
		q.Min = *o.Min
	}
	if o.Max != nil {
		q.Max = *o.Max
	}
	switch {
	case q.Max > hi || q.Max < lo:
		return bad("MAXVALUE (%d) is out of range for sequence data type %s", q.Max, types.Of(q.Type))
	case q.Min < lo || q.Min > hi:
		return bad("MINVALUE (%d) is out of range for sequence data type %s", q.Min, types.Of(q.Type))
	case q.Min >= q.Max:
		return bad("MINVALUE (%d) must be less than MAXVALUE (%d)", q.Min, q.Max)
	}
	if q.Start = q.Min; q.Increment < 0 {
		q.Start = q.Max
	}
	if o.Start != nil {
		q.Start = *o.Start
	}
	switch {
	case q.Start < q.Min:
		return bad("START value (%d) cannot be less than MINVALUE (%d)", q.Start, q.Min)
	case q.Start > q.Max:
		return bad("START value (%d) cannot be greater than MAXVALUE (%d)", q.Start, q.Max)
	case q.Cache < 0:
		return bad("CACHE (%d) must be greater than zero", q.Cache)
	case q.Cache == 0:
		q.Cache = 1
	}
	return q, nil
}

// sequenceRange is what a sequence of a type can hold; ok is false for a type that
// has no sequences.
func sequenceRange(k types.Kind) (lo, hi int64, ok bool) {
	switch k {
	case types.Int8:
		return math.MinInt64, math.MaxInt64, true
	case types.Int4:
		return math.MinInt32, math.MaxInt32, true
	case types.Int2:
		return math.MinInt16, math.MaxInt16, true
	}
	return 0, 0, false
}

// ownSequence makes the sequence that an identity or serial column owns, under
// the name Postgres would give it.
func (ch *change) ownSequence(t *Table, col *Column, def *ColumnDef, st state) error {
	name := uniqueName(
		func(n int) string { return numbered(makeObjectName(t.Name, col.Name, "seq"), n) },
		func(s string) bool { return s == t.Name || ch.nameTaken(t.Schema, s) })
	opts := def.Sequence
	if n := opts.Name; n.Name != "" {
		if n.Schema != "" && n.Schema != t.Schema {
			return sqlerr.Unsupported("an identity column's sequence in another schema than its table's is not supported",
				"Leave the schema out of SEQUENCE NAME.").At(n.Pos)
		}
		if name = n.Name; name == t.Name || ch.nameTaken(t.Schema, name) {
			return duplicateRelation(n)
		}
	}
	if opts.Type == types.Unknown {
		opts.Type = col.Type.Kind
	}
	q, err := newSequence(name, &opts, def.Pos)
	if err != nil {
		return err
	}
	if q.ID, err = ch.newID(); err != nil {
		return err
	}
	q.Schema, q.OwnerTable, q.OwnerColumn = t.Schema, t.ID, col.ID
	col.Sequence = q.ID
	ch.set(q, st)
	return nil
}

// CreateSequence makes a sequence.
func (c *Catalog) CreateSequence(ctx context.Context, def *SequenceDef, ifNotExists bool) (*Sequence, Notices, error) {
	q, err := newSequence(def.Name.Name, &def.Options, def.Name.Pos)
	if err != nil {
		return nil, nil, err
	}
	s, notices, err := c.change(ctx, func(ch *change) error {
		schema, err := ch.CreationSchema(def.Name)
		if err != nil {
			return err
		}
		if ch.nameTaken(schema, q.Name) {
			if ifNotExists {
				ch.notices.add(skipping(sqlerr.DuplicateTable, `relation "%s" already exists, skipping`, q.Name))
				return errNoChange
			}
			return duplicateRelation(def.Name)
		}
		cp := *q
		if cp.ID, err = ch.newID(); err != nil {
			return err
		}
		cp.Schema = schema
		if def.Options.Owner != nil {
			if err := ch.own(&cp, def.Options.Owner, false); err != nil {
				return err
			}
		}
		ch.set(&cp, public)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	made, _ := s.lookupOwn(def.Name).(*Sequence)
	return made, notices, nil
}
