// Package decimal is the bytes of a DECIMAL, which sort as numbers do.
//
//	0         80
//	123.45    C2  02 18 2E       exponent 2; each digit of 100 plus 1
//	-123.45   3D  64 4E 38 66    exponent inverted; 101 less each digit; 66 ends it
//	NaN       FE  67             wide.go has what Phoenix lacks
//
// Package rowcodec calls Append, Decode and, for the bounds of conditions, Locate; keys of indexes
// are made of Digits. It calls catalog/rowcodec/bound.
//
// It must never write two encodings of numbers that SQL calls equal, nor a byte 00 or FF, by which
// keys are separated.
package decimal
