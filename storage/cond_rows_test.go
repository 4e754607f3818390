package storage

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/saltsql/saltsql/internal/guard"
)

// condTable answers CheckAndMutate by a function; calls has the keys asked for.
type condTable struct {
	Table
	mu     sync.Mutex
	calls  []string
	answer func(key string, call int) (bool, error)
}

func (t *condTable) CheckAndMutate(_ context.Context, m *CondMutation) (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls = append(t.calls, string(m.Key)+string(m.Cond.Qualifier))
	return t.answer(string(m.Key), len(t.calls))
}

func condsOf(keys ...string) (ms []CondMutation) {
	for i, k := range keys {
		ms = append(ms, CondMutation{Key: []byte(k), Cond: Cond{Qualifier: []byte{'0' + byte(i)}}})
	}
	return ms
}

func TestCheckAndMutateRows(t *testing.T) {
	for _, parallel := range []int{1, 2, 100} {
		tab := &condTable{answer: func(key string, _ int) (bool, error) { return key == "a", nil }}
		matched := make([]bool, 5)
		err := CheckAndMutateRows(t.Context(), tab, condsOf("a", "b", "a", "c", "a"), parallel, func(i int, ok bool, err error) error {
			matched[i] = ok
			return err
		})
		if err != nil || !slices.Equal(matched, []bool{true, false, true, false, true}) {
			t.Errorf("%d at once: %v, %v", parallel, matched, err)
		}
		var ofA []string
		for _, c := range tab.calls {
			if c[0] == 'a' {
				ofA = append(ofA, c)
			}
		}
		if len(tab.calls) != 5 || !slices.Equal(ofA, []string{"a0", "a2", "a4"}) {
			t.Errorf("%d at once: %q", parallel, tab.calls)
		}
	}
}

// After an error that done gives, no more are begun, and those that done was not told of
// were not.
func TestCheckAndMutateRowsEnds(t *testing.T) {
	boom := errors.New("boom")
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = string(rune('a' + i))
	}
	for _, parallel := range []int{1, 4} {
		tab := &condTable{answer: func(_ string, call int) (bool, error) {
			if call >= 3 {
				return false, boom
			}
			return true, nil
		}}
		var mu sync.Mutex
		told := 0
		err := CheckAndMutateRows(t.Context(), tab, condsOf(keys...), parallel, func(_ int, _ bool, err error) error {
			mu.Lock()
			defer mu.Unlock()
			told++
			return err
		})
		if !errors.Is(err, boom) || told != len(tab.calls) || told < 3 || told > 2+parallel {
			t.Errorf("%d at once: %v, told of %d, called %d", parallel, err, told, len(tab.calls))
		}
	}
}

func TestCheckAndMutateRowsCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tab := &condTable{answer: func(string, int) (bool, error) { cancel(); return true, nil }}
	keys := make([]string, 1000)
	for i := range keys {
		keys[i] = string(rune('a' + i))
	}
	err := CheckAndMutateRows(ctx, tab, condsOf(keys...), 2, func(_ int, _ bool, err error) error { return err })
	if CodeOf(err) != CodeCanceled || len(tab.calls) == len(keys) {
		t.Errorf("%v after %d calls", err, len(tab.calls))
	}
}

// A panic of the store comes to the caller: as it is, or as an error from another goroutine.
func TestCheckAndMutateRowsPanics(t *testing.T) {
	for _, parallel := range []int{1, 2} {
		tab := &condTable{answer: func(string, int) (bool, error) { panic("store") }}
		err := guard.Run(func() error {
			return CheckAndMutateRows(t.Context(), tab, condsOf("a", "b", "c"), parallel, func(_ int, _ bool, err error) error { return err })
		})
		if err == nil || !strings.HasPrefix(err.Error(), "panic: store") {
			t.Errorf("%d at once: %v", parallel, err)
		}
	}
}

func TestAgain(t *testing.T) {
	fails := func(code Code) error { return &Error{Code: code, RetryAfter: time.Second} }
	tests := []struct {
		errs  []error // of the calls, the last for all after it
		also  []Code
		calls int
		code  Code
	}{
		{[]error{nil}, nil, 1, CodeUnknown},
		{[]error{fails(CodeUnavailable), nil}, nil, 2, CodeUnknown},
		{[]error{fails(CodeUnavailable)}, nil, maxTries, CodeUnavailable},
		{[]error{fails(CodeThrottled)}, nil, maxThrottled, CodeThrottled},
		{[]error{fails(CodeAmbiguous)}, nil, 1, CodeAmbiguous},
		{[]error{fails(CodeAmbiguous), nil}, []Code{CodeAmbiguous}, 2, CodeUnknown},
		{[]error{fails(CodeUnavailable), fails(CodeNotFound)}, nil, 2, CodeNotFound},
	}
	for i, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			calls := 0
			err := Again(t.Context(), func() error {
				calls++
				return tt.errs[min(calls, len(tt.errs))-1]
			}, tt.also...)
			if calls != tt.calls || CodeOf(err) != tt.code || (err == nil) != (tt.code == CodeUnknown) {
				t.Errorf("case %d: %d calls, %v", i, calls, err)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	calls := 0
	err := Again(ctx, func() error { calls++; cancel(); return fails(CodeUnavailable) })
	if calls != 1 || CodeOf(err) != CodeUnavailable {
		t.Errorf("canceled: %d calls, %v", calls, err)
	}
}
