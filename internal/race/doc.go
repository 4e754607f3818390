// Package race says whether the program is built with Go's race detector,
// for the few places that must know: system calls that the detector cannot
// see, and package alloctest, which counts allocations.
//
// Any package may import it; it imports nothing of this module.
package race
