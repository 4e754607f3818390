//go:build race

package wire

// raceDetector says that the program is built with it.
const raceDetector = true
