package session

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// notInUse refuses to change or empty a table that an open cursor of this session
// reads: 55006. Other sessions' cursors keep what they see, or fail by themselves.
func (s *Session) notInUse(u tree.Utility) error {
	if s.portals.len() < 2 { // the statement's own
		return nil
	}
	return s.naming().NotInUse(u, s.isOpen)
}

// isOpen says that an open cursor reads a table.
func (s *Session) isOpen(t *catalog.Table) bool {
	for p := range s.portals.all {
		if p.named == nil || p.closed || p.stmt.plan == nil {
			continue
		}
		for _, used := range p.stmt.plan.Tables {
			if used.ID == t.ID {
				return true
			}
		}
	}
	return false
}
