package types

const (
	// DatumSize is the memory of a Datum, in bytes.
	DatumSize   = 104
	arraySize   = 96
	decimalSize = 56
)

// Behind is the memory that a Datum points to, in bytes, about.
func (d *Datum) Behind() int64 {
	n := int64(len(d.Bytes))
	if d.Decimal != nil {
		n += decimalSize + int64(d.Decimal.Coeff.BitLen())/8
	}
	if d.Array != nil {
		n += arraySize
		for i := range d.Array.Elems {
			n += DatumSize + d.Array.Elems[i].Behind()
		}
	}
	return n
}
