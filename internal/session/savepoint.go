package session

import (
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/notify"
	"github.com/saltsql/saltsql/internal/sequence"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/txn"
)

type savepoint struct {
	name     string
	mark     txn.Mark
	hasMark  bool
	begun    int64 // Session.begun
	settings settings.Mark
	modes    tree.TxModes
	ddl      int // how many tags there were
	advisory int // how many locks
	notify   notify.Mark
	made     int // how many temporary tables
	drops    int // how many deferred ones
	draft    draftMark
	restarts sequence.Restarts
}

func (x *tx) savepoint(s *Session, name string) error {
	if x.status == TxIdle {
		return sqlerr.New(sqlerr.NoActiveSQLTransaction, "SAVEPOINT can only be used in transaction blocks")
	}
	x.point(s, name)
	return nil
}

// point marks what there is, and gives its place in x.points.
func (x *tx) point(s *Session, name string) int {
	p := savepoint{name: name, settings: s.values.Mark(), modes: x.modes, begun: s.begun, ddl: len(x.ddl), advisory: len(x.advisory), made: s.view.NumMade(), drops: len(x.drops),
		notify: s.notify.Mark(), draft: x.draft.mark(), restarts: s.drawn.Mark()}
	if x.t != nil {
		p.mark, p.hasMark = x.t.Mark(), true
	}
	x.points = append(x.points, p)
	return len(x.points) - 1
}

func (x *tx) find(cmd, name string) (int, error) {
	if x.status == TxIdle {
		return 0, sqlerr.New(sqlerr.NoActiveSQLTransaction, "%s can only be used in transaction blocks", cmd)
	}
	for i := len(x.points) - 1; i >= 0; i-- {
		if x.points[i].name == name {
			return i, nil
		}
	}
	return 0, sqlerr.New(sqlerr.InvalidSavepoint, "savepoint %q does not exist", name)
}

func (x *tx) release(s *Session, name string) error {
	i, err := x.find("RELEASE SAVEPOINT", name)
	if err != nil {
		return err
	}
	x.releaseAt(i)
	return nil
}

func (x *tx) releaseAt(i int) {
	x.modes.ReadOnly = x.points[i].modes.ReadOnly // a savepoint's own ends with it, as in PostgreSQL
	x.points = x.points[:i]
}

func (x *tx) rollbackTo(s *Session, name string) error {
	i, err := x.find("ROLLBACK TO SAVEPOINT", name)
	if err != nil {
		return err
	}
	x.rollbackAt(s, i)
	x.status, x.broken = TxActive, false
	return nil
}

// rollbackAt undoes what was done since x.points[i], which stays.
func (x *tx) rollbackAt(s *Session, i int) {
	p := x.points[i]
	for open := range s.portals.all {
		if !open.runs() && open.begun > p.begun {
			s.ClosePortal(open.name())
		}
	}
	x.advisory = s.dropAdvisory(x.advisory, p.advisory)
	s.view.Unmake(p.made)
	s.notify.Forget(p.notify)
	s.drawn.RollbackTo(p.restarts)
	x.rollbackDraft(s, p.draft)
	x.keptDDL(s, p.ddl)
	x.points, x.ddl = x.points[:i+1], x.ddl[:p.ddl]
	if p.drops < len(x.drops) {
		x.drops = x.drops[:p.drops:p.drops]
		s.seeBlock()
	}
	if x.t != nil && p.hasMark {
		x.t.RollbackTo(p.mark)
		x.t.Unlock(p.mark)
	}
	was := s.values.Mark()
	s.values.RollbackTo(p.settings)
	s.reportChanges(was)
	x.modes = p.modes
}
