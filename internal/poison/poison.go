package poison

import "os"

// On says that the process was started with SALTSQL_POISON set, to anything
// but 0.
var On = enabled(os.Getenv("SALTSQL_POISON"))

func enabled(v string) bool { return v != "" && v != "0" }

// Byte is what emptied memory is filled with: no text, not a sensible length,
// and as the sign bit of an encoded number it says negative.
const Byte = 0xdb

// Bytes overwrites b, which nothing may read any more, where On is set.
func Bytes(b []byte) {
	if On {
		fill(b)
	}
}

func fill(b []byte) {
	for i := range b {
		b[i] = Byte
	}
}
