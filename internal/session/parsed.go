package session

import (
	"context"

	oteltrace "go.opentelemetry.io/otel/trace"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/internal/tracing"
	"github.com/saltsql/saltsql/internal/types"
)

// Parsed is one statement of a text, parsed and not yet planned.
type Parsed struct {
	st *tree.Statement

	// Where the text has a known shape, st is that with parameters.
	shape  *plancache.Shape
	text   string // as written
	values []types.Datum
	types  []types.T

	parent *oteltrace.SpanContext // that the text names, where statements are traced
}

// Text is the statement as written.
func (p *Parsed) Text() string {
	if p.shape != nil {
		return p.text
	}
	return p.st.Text
}

// Split cuts text into its statements without planning them. Empty ones are
// left out. 42601 with a position in the whole text where one does not parse.
func (s *Session) Split(ctx context.Context, text string) (_ []*Parsed, err error) {
	defer s.guard(&err)
	s.textCame()
	parent := s.parentOf(text)
	if p := s.db.shaped(text); p != nil {
		p.parent = parent
		return []*Parsed{p}, nil
	}
	list, err := s.parseText(ctx, text)
	if err != nil {
		return nil, s.failed(err)
	}
	out := make([]*Parsed, len(list))
	for i, st := range list {
		out[i] = &Parsed{st: st, parent: parent}
	}
	return out, nil
}

// parentOf gives the span that a text names; nil where it names none, or nothing is traced.
func (s *Session) parentOf(text string) *oteltrace.SpanContext {
	if s.db.opts.Tracer == nil {
		return nil
	}
	return tracing.Parent(text)
}
