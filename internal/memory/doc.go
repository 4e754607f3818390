// Package memory counts the bytes that grow with data, so that no statement, and no
// number of them, takes more than the process has been given.
//
//	Pool     what all statements and sessions of a DB may hold together
//	Account  one statement's part: a limit of its own, and within it work_mem for
//	         what could be spilled
//	Share    what one holder has taken of an account
//
// Bytes are counted before they are held where their number is known, and else as
// memory grows, at which point as much again may be in use for a moment. What is
// refused is 53200.
package memory
