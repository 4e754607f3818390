package heatmap

import "math"

// Bytes gives a byte for each cell, row after row: 0 is nothing, 255 the fullest cell.
func (m *Map) Bytes() []byte {
	peak := m.peak()
	out := make([]byte, 0, len(m.Rows)*m.Columns)
	for i := range m.Rows {
		for _, v := range m.Rows[i].Cells {
			b := byte(0)
			if v > 0 {
				b = byte(max(1, math.Round(v/peak*255)))
			}
			out = append(out, b)
		}
	}
	return out
}
