package catalog

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/types"
)

// TestSnapshotNext makes random changes, and compares the snapshot that comes of the one before
// with the one of all objects.
func TestSnapshotNext(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 1))
		objects := map[uint32]Object{1: {Desc: &Schema{ID: 1, Name: "a"}, State: StatePublic}, 2: {Desc: &Schema{ID: 2, Name: "b"}, State: StatePublic}}
		users := new(types.Users)
		s := NewSnapshot(Root{Version: 1}, LayeredOf(objects), users)
		for step := range 200 {
			put, del := map[uint32]Object{}, map[uint32]bool{}
			next := maps.Clone(objects)
			names := map[RelName]bool{}
			for _, o := range objects {
				for _, n := range takes(o) {
					names[n] = true
				}
			}
			for range 1 + r.IntN(3) {
				id := uint32(10 + r.IntN(30))
				if put[id].Desc != nil || del[id] {
					continue
				}
				if _, there := next[id]; there && r.IntN(3) == 0 {
					del[id] = true
					delete(next, id)
					continue
				}
				schema, name := []string{"a", "b"}[r.IntN(2)], fmt.Sprint("r", r.IntN(60))
				index := fmt.Sprint("i", r.IntN(60))
				if names[RelName{schema, name}] || names[RelName{schema, index}] {
					continue
				}
				names[RelName{schema, name}], names[RelName{schema, index}] = true, true
				var d Descriptor
				switch r.IntN(10) {
				case 0:
					d = &View{ID: id, Schema: schema, Name: name}
				case 1:
					d = &Sequence{ID: id, Schema: schema, Name: name}
				case 2:
					d = &Table{ID: id, Schema: schema, Name: name, ForeignKeys: []ForeignKey{{Table: uint32(10 + r.IntN(30))}}}
				case 3:
					d = &Table{ID: id, Schema: schema, Name: name, Physical: name, Rewrite: &Rewrite{State: RewriteCopying, Log: "l"}}
				case 4:
					d = &Table{ID: id, Schema: schema, Name: name, Indexes: []Index{{ID: 1, Name: index, Build: new(IndexBuild)}}}
				case 5:
					d = &Type{ID: id, Schema: schema, Name: name}
				case 6, 7: // with a key, of a name that others have in every fourth run
					key := RelName{schema, fmt.Sprint("k", r.IntN(60))}
					if seed%4 != 0 && names[key] {
						key.Name = ""
					}
					names[key] = true
					d = &Table{ID: id, Schema: schema, Name: name, PrimaryKeyName: key.Name}
				default:
					d = &Table{ID: id, Schema: schema, Name: name, Indexes: []Index{{Name: index}}}
				}
				o := Object{Desc: d, State: []State{StatePublic, StatePublic, StateCreating, StateDropping}[r.IntN(4)]}
				put[id], next[id] = o, o
			}
			root := Root{Version: uint64(step + 2)}
			edited := s.EditObjects()
			for id := range del {
				edited.Delete(id)
			}
			for id, o := range put {
				edited.Set(id, o)
			}
			got, want := s.Next(root, edited, put, del), NewSnapshot(root, LayeredOf(next), users)
			if len(got.reshaped) == len(want.reshaped) { // in no order
				got.reshaped = want.reshaped
			}
			if !reflect.DeepEqual(flat(got), flat(want)) {
				t.Fatalf("seed %d, step %d:\n%+v\nwant\n%+v", seed, step, got, want)
			}
			s, objects = want, next
			if step%2 == 0 {
				s = got
			}
		}
	}
}

// TestSharedKeys has two tables and an index with one name, as older versions let there be: the
// index is found, the name is told, and it stays taken until the last of them is gone.
func TestSharedKeys(t *testing.T) {
	name := RelName{"a", "pk"}
	objects := map[uint32]Object{
		10: {Desc: &Table{ID: 10, Schema: "a", Name: "t1", PrimaryKeyName: "pk"}, State: StatePublic},
		11: {Desc: &Table{ID: 11, Schema: "a", Name: "t2", PrimaryKeyName: "pk"}, State: StatePublic},
		12: {Desc: &Table{ID: 12, Schema: "a", Name: "t3", PrimaryKeyName: "t3_pkey", Indexes: []Index{{ID: 13, Name: "pk"}}}, State: StatePublic},
	}
	s := NewSnapshot(Root{Version: 1}, LayeredOf(objects), new(types.Users))
	if _, ix := s.IndexNamed(Name{Schema: "a", Name: "pk"}); ix == nil || ix.ID != 13 {
		t.Errorf("index pk: %v", ix)
	}
	for version, id := range []uint32{12, 10, 11} {
		if _, ok := s.TakenBy("a", "pk"); !ok {
			t.Errorf("the name is free with %d tables that have it", 3-version)
		}
		want := []RelName{name}
		if id == 11 {
			want = nil
		}
		if got := s.SharedKeys(); !slices.Equal(got, want) {
			t.Errorf("shared: %v, want %v", got, want)
		}
		left := s.EditObjects()
		left.Delete(id)
		s = s.Next(Root{Version: uint64(version + 2)}, left, nil, map[uint32]bool{id: true})
	}
	if _, ok := s.TakenBy("a", "pk"); ok {
		t.Error("the name of a table that is gone is taken")
	}
}

// flat gives a copy of s whose maps have one layer.
func flat(s *Snapshot) *Snapshot {
	f := *s
	f.objects, f.byName, f.taken = flattened(&s.objects), flattened(&s.byName), flattened(&s.taken)
	return &f
}

func flattened[K comparable, V any](l *Layered[K, V]) Layered[K, V] {
	return LayeredOf(maps.Collect(l.All()))
}
