package catalog

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// The errors here carry Postgres's wording.

func UndefinedSchema(name string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, name)
}

// UndefinedRelation is the wording of DROP and ALTER: `table "x" does not exist`.
func UndefinedRelation(kind string, n Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedTable, `%s "%s" does not exist`, kind, n.Written()).At(n.Pos)
}

func DuplicateRelation(n Name) *sqlerr.Error {
	return sqlerr.New(sqlerr.DuplicateTable, `relation "%s" already exists`, n.Name).At(n.Pos)
}

func UndefinedColumn(t *Table, column string) *sqlerr.Error {
	return sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, column, t.Name).WithColumn(t.Name, column)
}

// WrongKind is what DROP TABLE says of a view and so on.
func WrongKind(r Relation, want string) *sqlerr.Error {
	return sqlerr.New(sqlerr.WrongObjectType, `"%s" is not %s %s`, r.RelName(), Article(want), want)
}

func Article(word string) string {
	switch word[0] {
	case 'a', 'e', 'i', 'o', 'u':
		return "an"
	}
	return "a"
}

func UpperWord(s string) string {
	b := []byte(s)
	for i := range b {
		if 'a' <= b[i] && b[i] <= 'z' {
			b[i] -= 'a' - 'A'
		}
	}
	return string(b)
}

// Corrupt says that a row of the catalog cannot be understood.
func Corrupt(key string, format string, args ...any) error {
	return sqlerr.New(sqlerr.DataCorrupted, "catalog row %q: %s", key, fmt.Sprintf(format, args...))
}

// FromStorage turns a storage error of a catalog operation into what a client
// may see. Errors that have a SQLSTATE already, and context errors, pass.
func FromStorage(err error, doing string) error {
	if err == nil || sqlerr.As(err) != nil {
		return err
	}
	wrap := func(code sqlerr.Code, format string, args ...any) error {
		e := sqlerr.New(code, format, args...)
		e.Cause = err
		var se *storage.Error
		if errors.As(err, &se) && se.Hint != "" {
			e.Hint = se.Hint
		}
		return e
	}
	// Not the caller's deadline, but the time that the store gives a call.
	if storage.CodeOf(err) == storage.CodeDeadlineExceeded && !errors.Is(err, context.DeadlineExceeded) {
		return wrap(sqlerr.CannotConnectNow, "the store did not answer in time while %s: %v", doing, err)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return wrap(sqlerr.QueryCanceled, "canceling statement due to user request or timeout while %s", doing)
	}
	switch storage.CodeOf(err) {
	case storage.CodeCanceled, storage.CodeDeadlineExceeded:
		return wrap(sqlerr.QueryCanceled, "canceling statement due to user request or timeout while %s", doing)
	case storage.CodeUnavailable, storage.CodeThrottled:
		return wrap(sqlerr.ConnectionFailure, "the store is not available while %s: %v", doing, err)
	case storage.CodeAmbiguous:
		return wrap(sqlerr.StatementCompletionUnknown, "it is not known whether the store finished %s: %v", doing, err)
	case storage.CodePermissionDenied:
		return wrap(sqlerr.InsufficientPrivilege, "the store denied permission while %s: %v", doing, err)
	case storage.CodeTooLarge:
		return wrap(sqlerr.ProgramLimitExceeded, "%v", err)
	case storage.CodeUnsupported:
		return wrap(sqlerr.FeatureNotSupported, "%v", err)
	case storage.CodeInvalidArgument:
		return wrap(sqlerr.InvalidParameterValue, "%v", err)
	case storage.CodeCorruption:
		return wrap(sqlerr.DataCorrupted, "%v", err)
	case storage.CodeFault:
		return wrap(sqlerr.IOError, "%v", err)
	case storage.CodeDiskFull:
		return wrap(sqlerr.DiskFull, "%v", err)
	case storage.CodeTooManyFiles:
		return wrap(sqlerr.InsufficientResources, "%v", err)
	}
	return wrap(sqlerr.SystemError, "the store failed while %s: %v", doing, err)
}

// DependentsExist is 2BP01 for what others depend on; why says which. them is what the message
// calls it the second time.
func DependentsExist(what, them string, why []string) error {
	return sqlerr.New(sqlerr.DependentObjectsStillExist, "cannot drop %s because other objects depend on %s", what, them).
		WithDetail("%s", listed(why)).
		WithHint("Use DROP ... CASCADE to drop the dependent objects too.")
}

// CascadeNotices tells of what CASCADE takes along, by how messages call it.
func CascadeNotices(what []string) Notices {
	lines := make([]string, len(what))
	for i, w := range what {
		lines[i] = "drop cascades to " + w
	}
	switch len(lines) {
	case 0:
		return nil
	case 1:
		return Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "%s", lines[0])}
	}
	return Notices{sqlerr.Notice(sqlerr.SuccessfulCompletion, "drop cascades to %d other objects", len(lines)).WithDetail("%s", listed(lines))}
}

// mostListed is how many objects the detail of a message lists, as PostgreSQL's does.
const mostListed = 100

func listed(lines []string) string {
	more := len(lines) - mostListed
	if more > 0 {
		lines = lines[:mostListed]
	}
	detail := strings.Join(lines, "\n")
	switch {
	case more == 1:
		detail += "\nand 1 other object"
	case more > 1:
		detail += fmt.Sprintf("\nand %d other objects", more)
	}
	return detail
}

// ErrAltered is 40001 for a statement that began before an ALTER TABLE, or the end of an index.
func ErrAltered(table string) *sqlerr.Error {
	return sqlerr.New(sqlerr.SerializationFailure, `table "%s" was altered while the statement ran`, table).
		WithHint("Repeat the statement; in a transaction, all of it.")
}
