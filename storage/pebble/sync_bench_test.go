package pebble

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/saltsql/saltsql/storage"
)

// BenchmarkSync writes durable rows to a real disk, from one writer and from
// many: those share the fsync.
func BenchmarkSync(b *testing.B) {
	for _, writers := range []int{1, 32} {
		for _, kind := range []string{"whole", "part", "insert"} {
			b.Run(fmt.Sprintf("%s/writers=%d", kind, writers), func(b *testing.B) {
				s, err := Open(b.TempDir(), testOptions(nil))
				if err != nil {
					b.Fatal(err)
				}
				defer s.Close()
				t := mustCreate(b, s, storage.FamilySpec{Name: "0"})
				var next atomic.Int64
				b.SetParallelism(writers / 2)
				b.ResetTimer()
				write := func() error {
					i := int(next.Add(1))
					row := benchRow(i)
					switch kind {
					case "part":
						row.Mutations = row.Mutations[3:4]
					case "insert":
						_, err := t.CheckAndMutate(context.Background(), &storage.CondMutation{Key: row.Key, Cond: storage.Cond{Op: storage.RowAbsent}, Then: row.Mutations[1:]})
						return err
					}
					return t.Mutate(context.Background(), []storage.RowMutation{row}, storage.WriteOptions{})
				}
				if writers == 1 {
					for range b.N {
						if err := write(); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				b.RunParallel(func(pb *testing.PB) {
					for pb.Next() {
						if err := write(); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}
