package plancache

import "testing"

func TestWeighted(t *testing.T) {
	c := newWeighted[int, string](3, 100)
	c.Add(1, "a", 40)
	c.Add(2, "b", 40)
	c.Add(1, "c", 50) // in the place of a
	if v, ok := c.Get(1); !ok || v != "c" || c.bytes != 90 {
		t.Error(v, ok, c.bytes)
	}
	c.Add(3, "d", 20)
	if _, ok := c.Get(2); ok || c.bytes != 70 {
		t.Error("the oldest is kept", c.bytes)
	}
	c.Add(4, "e", 200)
	if c.bytes != 0 || c.lru.Len() != 0 {
		t.Error("more than all is kept", c.bytes)
	}
	for i := range 5 {
		c.Add(i, "", 1)
	}
	if c.bytes != 3 || c.lru.Len() != 3 {
		t.Error(c.bytes, c.lru.Len())
	}
}
