package txn

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/saltsql/saltsql/storage"
)

// Wait says what is done about a row that another transaction holds.
type Wait uint8

// The ways.
const (
	WaitForLock Wait = iota
	NoWait
	SkipLocked
)

// LockRows locks the rows of keys, in key order, until the transaction ends, without writing them.
// With NoWait it fails with ErrLockTimeout for a row that another transaction holds; with SkipLocked
// taken is false for it. A store without Caps.AtomicBatch answers CodeUnsupported.
func (v *Table) LockRows(ctx context.Context, keys [][]byte, wait Wait, taken []bool) error {
	const op = "lock rows"
	switch {
	case v.t.ended.Load():
		return ErrEnded
	case !v.t.m.atomic:
		return storage.Unsupported("transaction", op, "row locks on this store")
	}
	if err := v.t.join(ctx, op, v.name); err != nil {
		return err
	}
	if wait != WaitForLock {
		timeout := v.t.opts.LockTimeout
		v.t.opts.LockTimeout = 1 // ns: what is not free at once
		defer func() { v.t.opts.LockTimeout = timeout }()
	}
	order := make([]int, len(keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(keys[a], keys[b]) })
	var fresh [][]byte
	for _, i := range order {
		isFresh, _, err := v.t.lock(ctx, op, v.name, keys[i])
		if wait == SkipLocked && (errors.Is(err, ErrLockTimeout) || errors.Is(err, ErrDeadlock)) {
			continue
		}
		if err != nil {
			return err
		}
		taken[i] = true
		if isFresh && (v.t.snap != nil || v.t.m.shared) {
			fresh = append(fresh, keys[i])
		}
	}
	if v.t.snap == nil {
		return v.touchRows(ctx, fresh)
	}
	changed, err := v.changed(ctx, fresh)
	if err == nil && len(changed) > 0 {
		err = ErrSerialization
	}
	return err
}
