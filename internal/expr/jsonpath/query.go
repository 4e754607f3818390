package jsonpath

import (
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr/tochar"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// Query is a path over a document.
type Query struct {
	Path   *jsonpath.Path
	Doc    *jsonval.Value
	Vars   *jsonval.Value // an object; where it is nil, variables are null
	Silent bool           // faults of the document end the search without an error
	TZ     bool           // values with and without a time zone compare by Zone
	Zone   *time.Location
	Now    time.Time
	// Step is told of bytes that are taken, now and then of none; its error ends the search.
	Step func(bytes int) error
	Done <-chan struct{} // ends searches of patterns
}

// status is how far an item got.
type status uint8

const (
	found status = iota
	none
	fault // an error that is not raised
)

// item is a value, or a moment that .datetime() read.
type item struct {
	v *jsonval.Value
	t *tochar.Moment
}

// itemBytes is about what an item in a list takes.
const itemBytes = 32

// list gathers items; a nil one asks only whether there are any.
type list struct{ items []item }

// base is the object that keyvalue() counts places from.
type base struct {
	v      *jsonval.Value
	id     int64
	places map[*jsonval.Value]int64
}

type search struct {
	*Query
	current   item
	base      *base
	lastID    int64
	size      int  // of the innermost array that is subscribed
	lenient   bool // what is not there, or of another kind, is passed over
	throw     bool
	depth     int
	countdown int
}

// maxDepth bounds calls within each other: documents times paths.
const maxDepth = 30000

func (q *Query) start(l *list) (status, error) {
	s := &search{Query: q, lenient: q.Path.Lax, throw: !q.Silent, size: -1, lastID: 1, base: &base{}}
	if q.Vars != nil {
		s.lastID = 2
		if q.Vars.Kind != jsonval.Object {
			return fault, sqlerr.New(sqlerr.InvalidParameterValue, `"vars" argument is not an object`).
				WithDetail(`Jsonpath parameters should be encoded as key-value pairs of "vars" object.`)
		}
	}
	if !q.Path.Lax && l == nil {
		// Strict mode has to see that there is no error anywhere.
		var all list
		st, err := s.run(q.Path.Root, item{v: q.Doc}, &all)
		if err != nil || st == fault {
			return st, err
		}
		return statusOf(len(all.items) > 0), nil
	}
	return s.run(q.Path.Root, item{v: q.Doc}, l)
}

func statusOf(ok bool) status {
	if ok {
		return found
	}
	return none
}

// Exists says whether the path finds anything; known is false after a fault.
func (q *Query) Exists() (ok, known bool, err error) {
	st, err := q.start(nil)
	return st == found, st != fault, err
}

// Find gives what the path finds: after a fault, what it found before.
func (q *Query) Find() ([]*jsonval.Value, error) {
	var l list
	if _, err := q.start(&l); err != nil {
		return nil, err
	}
	out := make([]*jsonval.Value, len(l.items))
	for i, it := range l.items {
		if it.t != nil {
			it.v = str(momentText(it.t))
		}
		out[i] = it.v
	}
	return out, nil
}

func str(s string) *jsonval.Value { return &jsonval.Value{Kind: jsonval.String, Str: s} }

func number(z *apd.Decimal) item { return item{v: &jsonval.Value{Kind: jsonval.Number, Num: z}} }

func (it item) is(k jsonval.Kind) bool { return it.t == nil && it.v.Kind == k }

// add puts an item into a list.
func (s *search) add(l *list, it item) error {
	l.items = append(l.items, it)
	return s.step(itemBytes)
}

// step counts work.
func (s *search) step(bytes int) error {
	if s.Step == nil {
		return nil
	}
	if s.countdown--; bytes == 0 && s.countdown > 0 {
		return nil
	}
	const often = 256
	s.countdown = often
	return s.Step(bytes)
}

// raise is an error where errors are raised, else a fault.
func (s *search) raise(err error) (status, error) {
	if s.throw {
		return fault, err
	}
	return fault, nil
}

func (s *search) fail(code sqlerr.Code, format string, args ...any) (status, error) {
	if !s.throw {
		return fault, nil
	}
	return fault, sqlerr.New(code, format, args...)
}
