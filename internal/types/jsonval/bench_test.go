package jsonval

import "testing"

func BenchmarkParse(b *testing.B) {
	const doc = `{"id": 17, "name": "a text of some length", "tags": ["red", "green", "blue"], "price": 12.50, "nested": {"ok": true, "none": null, "list": [1, 2, 3, 4, 5, 6, 7, 8]}}`
	b.SetBytes(int64(len(doc)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(doc); err != nil {
			b.Fatal(err)
		}
	}
}
