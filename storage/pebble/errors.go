package pebble

import (
	"errors"

	"github.com/cockroachdb/pebble/v2"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/pebble/rowpack"
)

// wrap gives a Pebble error its code.
func wrap(op, table string, err error) error {
	if err == nil {
		return nil
	}
	var se *storage.Error
	if errors.As(err, &se) {
		return err
	}
	code, hint := storage.CodeUnknown, ""
	switch {
	case noHandles(err):
		code, hint = storage.CodeTooManyFiles, handleHint
	case noSpace(err):
		code = storage.CodeDiskFull
	case pebble.IsCorruptionError(err), errors.Is(err, rowpack.ErrCorrupt), errors.Is(err, errDesc):
		code = storage.CodeCorruption
	case errors.Is(err, pebble.ErrClosed):
		code = storage.CodeClosed
	}
	return &storage.Error{Code: code, Op: op, Table: table, Hint: hint, Cause: err}
}

const handleHint = "Raise the limit of open files of the server's process (ulimit -n, LimitNOFILE), or of the machine (fs.file-max)."

// ambiguous is for an error after a write may have reached the log.
func ambiguous(op, table string, err error) error {
	if err == nil {
		return nil
	}
	return &storage.Error{Code: storage.CodeAmbiguous, Op: op, Table: table, Cause: err}
}

func errClosed(op, table string) error {
	return storage.Errorf(storage.CodeClosed, op, table, "the store is closed")
}

func errNoTable(op, table string) error {
	return storage.Errorf(storage.CodeNotFound, op, table, "table does not exist")
}
