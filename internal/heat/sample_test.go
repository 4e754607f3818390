package heat

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/race/alloctest"
)

// sampleKey is the key that tests sample as their i-th.
func sampleKey(i int) []byte { return fmt.Appendf(nil, "key %05d", i) }

// do is n operations on keys that key gives, by one reader.
func do(s *Sampler, m *Memo, kind Kind, n int, key func(i int) []byte) {
	for i := s.Next(m, n); i < n; i += 1 + s.Next(m, n-i-1) {
		s.Take(m, kind, 0, key(i), NoEnds)
	}
}

// TestEveryOperationIsSampled where there are few: samples are the operations.
func TestEveryOperationIsSampled(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	h := testHeat(DefaultMemory, nil, &now)
	var m Memo
	h.Counter(1).Cells(&m, 7, 4)
	want := map[string]int{}
	for i := range MinuteSamples - 10 {
		var s Sampler
		kind, bucket, at := Kind(i%int(kinds)), i%4, now.Add(time.Duration(i)*time.Millisecond)
		now = at
		if s.Next(&m, 1) != 0 {
			t.Fatalf("operation %d is not sampled", i)
		}
		s.Take(&m, kind, bucket, sampleKey(i/3), NoEnds)
		want[fmt.Sprint(string(sampleKey(i/3)), kind, bucket, at.UnixMilli(), false)]++
		now = time.Unix(1_000_000_000, 0)
	}
	long := slices.Repeat([]byte("k"), KeyBytes+1)
	var s Sampler
	s.Next(&m, 1)
	s.Take(&m, Write, 3, long, NoEnds)
	want[fmt.Sprint(string(long[:KeyBytes]), Write, 3, now.UnixMilli(), true)]++
	check := func(when string, since time.Time, want map[string]int) {
		t.Helper()
		got := map[string]int{}
		for _, s := range h.Samples(7, since) {
			if s.Weight != 1 {
				t.Fatalf("%s: a weight is %v", when, s.Weight)
			}
			got[fmt.Sprint(string(s.Key), s.Kind, s.Bucket, s.At.UnixMilli(), s.Cut)]++
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %d samples differ from %d operations", when, len(got), len(want))
		}
	}
	check("in the open minute", time.Time{}, want)
	now = now.Add(5 * time.Minute)
	check("later", time.Time{}, want)
	if n := len(h.Samples(8, time.Time{})); n > 0 {
		t.Errorf("%d samples of another relation", n)
	}
	check("since later", now, map[string]int{})
	now = now.Add(KeepSamples)
	check("too late", time.Time{}, map[string]int{})
	if h.held != 0 {
		t.Errorf("%d bytes are held of nothing", h.held)
	}
}

// TestSampleRate has loads go up and down: there are no more samples in a second than there may be,
// once k has followed, and what they stand for is what was done.
func TestSampleRate(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	h := testHeat(DefaultMemory, nil, &now)
	var m Memo
	h.Counter(1).Cells(&m, 7, 1)
	readers := make([]Sampler, 50)
	for _, load := range []int{100, 4000, 100_000, 10_000_000, 50_000, 1000} {
		sampled, weight := 0, 0.0
		const seconds = 30
		for second := range seconds {
			first := 0
			for i := 0; i < load; {
				s := &readers[rand.IntN(len(readers))]
				if rand.IntN(3) == 0 {
					s = new(Sampler) // of a statement that is not prepared
				}
				n := min(load-i, 1+rand.IntN(1+load/200))
				do(s, &m, Row, n, sampleKey)
				i += n
			}
			h.mu.Lock()
			for i := range h.ring.filling.list {
				first++
				weight += math.Ldexp(1, int(h.ring.filling.list[i].shift))
			}
			h.drain()
			h.mu.Unlock()
			sampled += first
			if second > 1 && first > MaxSamples+2*overSamples || first > MaxSamples+maxShift*overSamples {
				t.Errorf("of %d a second %d are sampled in second %d", load, first, second)
			}
			now = now.Add(time.Second)
		}
		// Those of the first second that did not fit into the ring are lost.
		if off := weight/float64(load*seconds) - 1; math.Abs(off) > 0.05+5/math.Sqrt(float64(sampled)) {
			t.Errorf("%d a second: %d samples stand for %.0f operations of %d", load, sampled, weight, load*seconds)
		}
		if load <= MaxSamples/2 && sampled < load*(seconds-3) {
			t.Errorf("%d a second: only %d are sampled", load, sampled)
		}
	}
	for range 100 {
		now = now.Add(time.Second)
		h.tick()
	}
	if k := h.shift.Load(); k != 0 {
		t.Errorf("log2 of k is %d where nothing is done", k)
	}
}

// TestReservoir keeps so many of a minute's operations, of two servers, taken with k that change: the
// sums of weights by key are what was done.
func TestReservoir(t *testing.T) {
	sum, want := map[byte]float64{}, map[byte]float64{}
	for range 2 {
		var v reservoir
		for i := range 200_000 {
			shift := i / 25_000
			key := byte('a' + i%2)
			if i%100 == 0 {
				key = 'c'
			}
			want[key]++
			if i%(1<<shift) == 0 {
				key = 'a' + byte(i>>shift)%2
				if rand.IntN(100) == 0 {
					key = 'c'
				}
				v.add(&taken{shift: uint8(shift)}, []byte{key})
			}
		}
		list := v.samples()
		if len(list) != MinuteSamples {
			t.Fatalf("%d samples are kept", len(list))
		}
		for _, s := range list {
			sum[s.Key[0]] += s.Weight
		}
	}
	for key, n := range want {
		if math.Abs(sum[key]/n-1) > 0.35/math.Sqrt(n/400_000*20) {
			t.Errorf("%c: samples stand for %.0f of %.0f operations", key, sum[key], n)
		}
	}
}

// TestKeysMemory: the keys of 10,000 tables stay within the limit, those of what is used least are let
// go of first, and what is left is booked.
func TestKeysMemory(t *testing.T) {
	now := time.Unix(1_000_000_000, 0)
	h := testHeat(DefaultMemory, func(uint32) bool { return true }, &now)
	memos := make([]Memo, 10_000)
	for minute := range 20 {
		for id := range memos {
			cells := h.Counter(int64(id%3)).Cells(&memos[id], uint32(id), 16)
			if cells == nil {
				continue
			}
			n := 2
			if id%500 == 7 {
				n = 2000
			}
			for i := range n {
				cells[i%16].Miss()
				if i%32 == 0 {
					now = now.Add(time.Millisecond)
				}
				var s Sampler
				do(&s, &memos[id], Point, 1, func(int) []byte { return fmt.Appendf(nil, "some key of a table %08d of %d", i*7919%2000, id) })
				if i%1000 == 1 || id%1000 == 0 {
					h.mu.Lock()
					h.drain()
					h.mu.Unlock()
				}
			}
		}
		now = now.Truncate(time.Minute).Add(time.Minute)
		h.Sums(nil, false)
		used, held := ringBytes(h.most), int64(0)
		for _, r := range h.relations {
			used += r.bytes()
			if r.keys != nil {
				held += r.keys.bytes
				of := keysBytes + r.keys.open.bytes
				for _, s := range r.keys.sets {
					of += setBytes + int64(len(s.Data))
				}
				for _, hot := range r.keys.hot {
					of += hotBytes(hot)
				}
				for _, kind := range r.keys.block.of {
					for _, s := range kind {
						if s != nil {
							of += s.bytes
						}
					}
				}
				if of != r.keys.bytes {
					t.Fatalf("relation %d: %d bytes are booked, %d held", r.id, r.keys.bytes, of)
				}
			}
		}
		if used != h.used || held != h.held || used > h.most || held > h.most/4 {
			t.Fatalf("minute %d: %d bytes are booked and %d used of %d, %d and %d of keys", minute, h.used, used, h.most, h.held, held)
		}
	}
	if h.Full() {
		t.Error("counters have no room")
	}
	for id := 7; id < len(memos); id += 500 {
		if n := len(h.Samples(uint32(id), time.Time{})); n < 10_000 {
			t.Errorf("%d samples are kept of a busy relation", n)
		}
	}
}

// TestSamplingAllocatesNothing where the ring is there.
func TestSamplingAllocatesNothing(t *testing.T) {
	now := time.Unix(1, 0)
	h := testHeat(DefaultMemory, nil, &now)
	var m Memo
	h.Counter(1).Cells(&m, 7, 4)
	var s Sampler
	key := sampleKey(1)
	if n := alloctest.PerRun(1000, func() { do(&s, &m, Point, 3, func(int) []byte { return key }) }); n > 0 {
		t.Errorf("sampling allocates %v times", n)
	}
}

// TestSampleSideBySide samples on many goroutines, while the minute ends again and again.
func TestSampleSideBySide(t *testing.T) {
	h := New(DefaultMemory, time.Now, nil)
	var wg sync.WaitGroup
	for g := range 8 {
		wg.Go(func() {
			var m Memo
			var s Sampler
			h.Counter(int64(g)).Cells(&m, uint32(g%3), 4)
			for range 2000 {
				do(&s, &m, Write, 5, sampleKey)
			}
		})
	}
	for range 20 {
		for id := range uint32(3) {
			h.Samples(id, time.Time{})
		}
	}
	wg.Wait()
}

// TestSampleBytes holds the form of samples, which servers of several versions read.
func TestSampleBytes(t *testing.T) {
	at := time.Unix(1_000_000_020, 0)
	list := []Sample{
		{Key: []byte("ab1"), Kind: Write, Bucket: 2, At: at.Add(300 * time.Millisecond), Weight: 1},
		{Key: []byte("ab27"), Cut: true, Kind: Point, Bucket: 2, At: at.Add(-time.Millisecond), Weight: 256},
		{Key: []byte{}, Kind: Scan, Bucket: 2, At: at, Weight: 1},
	}
	data := appendSamples(nil, at, list)
	if got := fmt.Sprintf("% x", data); got != "02 00 00 01 00 00 00 80 3f 02 00 03 61 62 31 03 d8 04 00 00 80 3f 02 02 02 32 37 80 01 00 00 80 43" {
		t.Errorf("samples are %s", got)
	}
	set := SampleSet{At: at, Data: data}
	back, err := set.Samples(time.Time{})
	if err != nil || fmt.Sprintf("%+v", back) != fmt.Sprintf("%+v", list) {
		t.Errorf("%+v, %v", back, err)
	}
	for n := range data {
		set.Data = data[:n]
		if got, err := set.Samples(time.Time{}); err == nil && (len(got) == 3 || n > 0 && len(got) == 0) {
			t.Errorf("%d bytes are samples: %+v", n, got)
		}
	}
}

// FuzzSamples reads bytes of other servers.
func FuzzSamples(f *testing.F) {
	f.Add([]byte("\x02\x00\x00\x01\x00\x00\x00\x80\x3f\x02\x00\x03ab1\x03\xd8\x04\x00\x00\x80\x3f"))
	f.Fuzz(func(t *testing.T, data []byte) {
		at := time.Unix(1, 0)
		set := SampleSet{At: at, Data: data}
		list, err := set.Samples(time.Time{})
		if err != nil {
			return
		}
		again := SampleSet{At: at, Data: appendSamples(nil, at, list)}
		if back, err := again.Samples(time.Time{}); err != nil || len(back) != len(list) {
			t.Errorf("%d samples are %d: %v", len(list), len(back), err)
		}
	})
}
