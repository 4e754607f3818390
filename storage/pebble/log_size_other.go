//go:build !linux

package pebble

import "errors"

func grow(uintptr, int64, int64) error { return errors.ErrUnsupported }
