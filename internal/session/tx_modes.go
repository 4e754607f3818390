package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

func (x *tx) setModes(s *Session, m tree.TxModes) error {
	if m.Isolation != "" && m.Isolation != x.isolation(s) {
		if x.used {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "SET TRANSACTION ISOLATION LEVEL must be called before any query")
		}
		if m.Isolation == "serializable" {
			s.notice(sqlerr.Warn(sqlerr.Warning, "SERIALIZABLE runs as REPEATABLE READ: one snapshot, first committer wins"))
		}
		x.modes.Isolation = m.Isolation
	}
	if m.ReadOnly != nil {
		if !*m.ReadOnly && s.db.readOnly {
			return sqlerr.Unsupported("cannot set transaction read-write mode: the store was opened read-only", "Open the store without ReadOnly.")
		}
		if !*m.ReadOnly && x.readOnly(s) && x.used {
			return sqlerr.New(sqlerr.ActiveSQLTransaction, "transaction read-write mode must be set before any query")
		}
		x.modes.ReadOnly = m.ReadOnly
	}
	if m.Deferrable != nil {
		x.modes.Deferrable = m.Deferrable
	}
	return nil
}

// setMode lets SET transaction_isolation and the like act on the transaction.
func (x *tx) setMode(s *Session, key, value string) (done bool, err error) {
	switch key {
	case "transaction_isolation":
		return true, x.setModes(s, tree.TxModes{Isolation: value})
	case "transaction_read_only":
		on := value == "on"
		return true, x.setModes(s, tree.TxModes{ReadOnly: &on})
	case "transaction_deferrable":
		on := value == "on"
		return true, x.setModes(s, tree.TxModes{Deferrable: &on})
	}
	return false, nil
}

func (s *Session) runSetTransaction(ctx context.Context, u *tree.SetTransaction) error {
	if !u.Session {
		if !s.tx.inTransaction() {
			s.notice(sqlerr.Warn(sqlerr.NoActiveSQLTransaction, "SET TRANSACTION can only be used in transaction blocks"))
			return nil
		}
		if u.Snapshot != "" {
			return s.tx.importSnapshot(ctx, s, u.Snapshot)
		}
		return s.tx.setModes(s, u.Modes)
	}
	if u.Modes.Isolation != "" {
		if err := s.set("default_transaction_isolation", u.Modes.Isolation, false); err != nil {
			return err
		}
	}
	if u.Modes.ReadOnly != nil {
		if err := s.set("default_transaction_read_only", onOff(*u.Modes.ReadOnly), false); err != nil {
			return err
		}
	}
	if u.Modes.Deferrable != nil {
		return s.set("default_transaction_deferrable", onOff(*u.Modes.Deferrable), false)
	}
	return nil
}

func (x *tx) isolation(s *Session) string {
	if x.modes.Isolation != "" && x.inTransaction() {
		return x.modes.Isolation
	}
	v, _ := s.Setting("default_transaction_isolation")
	return v
}

// deferrable is told and nothing else: a snapshot is safe at once.
func (x *tx) deferrable(s *Session) bool {
	if x.modes.Deferrable != nil && x.inTransaction() {
		return *x.modes.Deferrable
	}
	v, _ := s.Setting("default_transaction_deferrable")
	return v == "on"
}

func (x *tx) readOnly(s *Session) bool {
	if s.db.readOnly {
		return true
	}
	if x.modes.ReadOnly != nil && x.inTransaction() {
		return *x.modes.ReadOnly
	}
	v, _ := s.Setting("default_transaction_read_only")
	return v == "on"
}
