package heat

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// TestSketch counts keys as Zipf has them, and compares with a model: counts are no more off than their
// errors say, each key that got enough is there, also where blocks and servers are put together.
func TestSketch(t *testing.T) {
	for _, s := range []float64{1.01, 1.3, 2} {
		rng := rand.New(rand.NewPCG(1, 2))
		zipf := rand.NewZipf(rng, s, 1, 100_000)
		total := map[string]float64{}
		var lists [][]HotKeys
		all := 0.0
		for range 3 {
			var b block
			for range 50_000 {
				key := fmt.Appendf(nil, "%06d", zipf.Uint64())
				total[string(key)]++
				all++
				b.add(&taken{kind: Write, bucket: key[5] - '0', ends: Ends{2, 4, NoEnd}}, key)
			}
			lists = append(lists, b.list())
		}
		body, err := json.Marshal(lists) // as servers tell each other
		if err != nil {
			t.Fatal(err)
		}
		lists = nil
		if err := json.Unmarshal(body, &lists); err != nil {
			t.Fatal(err)
		}
		merged := MergeHotKeys(lists...)
		if len(merged) != 3 || merged[0].Total != all || merged[0].Kind != Write || merged[2].Prefix != 2 {
			t.Fatalf("%v: %d lists", s, len(merged))
		}
		got := map[string]bool{}
		for _, k := range merged[0].Keys {
			got[string(k.Key)] = true
			if n := total[string(k.Key)]; k.Count < n || k.Count-k.Over > n || k.Var != 0 || k.Bucket != int(k.Key[5]-'0') {
				t.Fatalf("%v: key %s counts %.0f, too many by %.0f at most: it got %.0f", s, k.Key, k.Count, k.Over, n)
			}
		}
		for key, n := range total {
			if !got[key] && n > merged[0].Floor {
				t.Errorf("%v: key %s got %.0f and is not there, the floor is %.0f", s, key, n, merged[0].Floor)
			}
		}
		if merged[0].Floor > all/SketchKeys*2 {
			t.Errorf("%v: the floor is %.0f of %.0f", s, merged[0].Floor, all)
		}
		for i := range 10 {
			if !got[fmt.Sprintf("%06d", i)] {
				t.Errorf("%v: key %d is not there, it got %.0f of %.0f", s, i, total[fmt.Sprintf("%06d", i)], all)
			}
		}
	}
}

// TestHotKeysOfLate: what is no longer used is forgotten after a while, and until then is told.
func TestHotKeysOfLate(t *testing.T) {
	now := time.Unix(1_000_000_020, 0).Truncate(blockTime)
	h := testHeat(DefaultMemory, nil, &now)
	var m Memo
	h.Counter(1).Cells(&m, 7, 1)
	for range 100 {
		var s Sampler
		do(&s, &m, Write, 1, sampleKey)
	}
	for minute := range 30 {
		n := 0.0
		for _, k := range h.Hot(7) {
			if k.Kind == Write && k.Prefix == 0 && len(k.Keys) == 1 {
				n = k.Keys[0].Count
			}
		}
		if want := 100.0; minute <= 15 && n != want || minute > 20 && n != 0 {
			t.Errorf("after %d minutes the key got %.0f", minute, n)
		}
		now = now.Add(time.Minute)
	}
	if h.held != 0 {
		t.Errorf("%d bytes are held of nothing", h.held)
	}
}
