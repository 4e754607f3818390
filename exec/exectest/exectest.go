package exectest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// Batches is an operator over rows: in batches of random sizes with slots that are not
// selected.
type Batches struct {
	Rows  [][]types.Datum
	Types []types.T
	Rand  *rand.Rand
	Opens int   // how often it was opened
	Fail  error // in place of the end

	at   int
	out  *vec.Batch
	open bool
}

func (b *Batches) Open(*op.Context) error {
	b.at, b.open = 0, true
	b.Opens++
	return nil
}

func (b *Batches) Next() (*vec.Batch, error) {
	if !b.open {
		return nil, errors.New("next of an operator that is not open")
	}
	if b.at == len(b.Rows) {
		if b.Fail != nil {
			return nil, b.Fail
		}
		return nil, io.EOF
	}
	if b.out == nil {
		b.out = vec.NewBatch(b.Types)
	}
	n := min(1+b.Rand.IntN([]int{1, 10, 1024}[b.Rand.IntN(3)]), len(b.Rows)-b.at)
	gaps := b.Rand.IntN(2) == 0 && n < 500
	b.out.Sel = nil
	slots := n
	if gaps {
		slots = 2 * n
		b.out.Sel = make([]uint16, n)
	}
	for _, v := range b.out.Cols {
		v.Resize(slots)
		v.EmptyBuf()
	}
	for i := range n {
		s := i
		if gaps {
			s = 2*i + 1
			b.out.Sel[i] = uint16(s)
		}
		for k, d := range b.Rows[b.at+i] {
			v := b.out.Cols[k]
			v.Set(s, d)
			if d.Bytes != nil {
				v.SetBytes(s, d.Bytes)
			}
		}
	}
	b.at += n
	b.out.N = slots
	return b.out, nil
}

// IsOpen says that it was opened and not closed.
func (b *Batches) IsOpen() bool { return b.open }

func (b *Batches) Close() error {
	b.open = false
	return nil
}

// Context is a context with a memory account and a folder for files.
func Context(t testing.TB, workMem int64) *op.Context {
	cx := &op.Context{
		Ctx: context.Background(), Settings: op.Settings{WorkMem: workMem, TempDir: t.TempDir()},
		Env: &expr.Env{Ctx: context.Background(), TimeZone: time.UTC}, Actuals: nil,
	}
	cx.Pool = memory.NewPool(1 << 30)
	if workMem <= 0 {
		workMem = op.DefaultWorkMem
	}
	cx.Memory = new(memory.Account)
	cx.Memory.Open(cx.Pool, cx.Pool.Limit()/2, workMem)
	cx.Env.Mem = cx.Memory
	return cx
}

// Run reads an operator to its end.
func Run(t testing.TB, op op.Operator, cx *op.Context, each func(b *vec.Batch)) error {
	defer func() {
		if err := op.Close(); err != nil {
			t.Error(err)
		}
		if n := cx.Memory.Used(); n != 0 {
			t.Errorf("%d bytes are still booked", n)
		}
		if n := SpillFiles(t); n != 0 {
			t.Errorf("%d files are still open", n)
		}
	}()
	if err := op.Open(cx); err != nil {
		return err
	}
	for {
		b, err := op.Next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if b.Rows() == 0 || b.N > vec.MaxRows {
			t.Errorf("batch of %d rows, %d slots", b.Rows(), b.N)
		}
		each(b)
	}
}

// SpillFiles counts the files of operators that are open.
func SpillFiles(t testing.TB) int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	n := 0
	for _, e := range list {
		if to, err := os.Readlink("/proc/self/fd/" + e.Name()); err == nil && strings.Contains(to, "saltsql-spill-") {
			n++
		}
	}
	return n
}

// Text is a value as a test compares and prints it.
func Text(t types.T, d types.Datum) string {
	if d.Null {
		return "NULL"
	}
	s := string(types.AppendText(nil, t, d, nil))
	if len(s) > 100 {
		s = fmt.Sprintf("%s… %d", s[:3], len(s))
	}
	return s
}

// Seeds runs a test n times in the gate and a quarter of that elsewhere, each by a seed that its name tells.
func Seeds(t *testing.T, n int, run func(t *testing.T, r *rand.Rand)) {
	first := seeds.First(t)
	if testing.Short() || !seeds.Full() {
		n = (n + 3) / 4
	}
	for i := range n {
		seed := first + uint64(i)
		if ok := t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) { run(t, rand.New(rand.NewPCG(seed, 1))) }); !ok {
			return
		}
	}
}
