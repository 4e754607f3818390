package relational

import "github.com/saltsql/saltsql/exec/op"

func (f *filter) Parks() bool { return op.Parks(f.in) }

func (f *filter) Park() error {
	f.cond, f.sel = f.cond.Clone(), nil
	return op.Park(f.in)
}

func (f *filter) Holds() int64 { return int64(2*cap(f.sel)) + op.Holds(f.in) }

// A limit that has given all its rows may not have opened what is below it.
func (l *limit) Parks() bool { return l.done || op.Parks(l.in) }

func (l *limit) Park() error {
	l.sel = nil
	if l.done {
		return nil
	}
	return op.Park(l.in)
}

func (l *limit) Holds() int64 { return int64(2*cap(l.sel)) + op.Holds(l.in) }

func (p *project) Parks() bool { return p.parts.Empty() && op.Parks(p.in) }

func (p *project) Park() error {
	for i, prog := range p.progs {
		p.progs[i] = prog.Clone()
	}
	p.parts.Reset()
	clear(p.out.Cols)
	return op.Park(p.in)
}

func (p *project) Holds() int64 { return op.SizeOf(p.out.Cols) + op.Holds(p.in) }

func (a *appendOp) Parks() bool { return a.at >= len(a.parts) || !a.open || op.Parks(a.parts[a.at]) }

func (a *appendOp) Park() error {
	if a.at >= len(a.parts) || !a.open {
		return nil
	}
	return op.Park(a.parts[a.at])
}

func (a *appendOp) Holds() int64 {
	if a.at >= len(a.parts) {
		return 0
	}
	return op.Holds(a.parts[a.at])
}
