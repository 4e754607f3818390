package storage

import "encoding/binary"

// AppendNumber appends the form in which Increment keeps a number: 8 bytes, big-endian, as the
// service's ReadModifyWriteRow has it.
func AppendNumber(b []byte, n int64) []byte { return binary.BigEndian.AppendUint64(b, uint64(n)) }

// Number reads the value of a cell that Increment adds to. Anything but 8 bytes is
// CodeInvalidArgument.
func Number(op, table string, value []byte) (int64, error) {
	if len(value) != 8 {
		return 0, Errorf(CodeInvalidArgument, op, table, "the cell holds %d bytes, not the 8 of a number", len(value))
	}
	return int64(binary.BigEndian.Uint64(value)), nil
}
