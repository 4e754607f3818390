// Command plot writes salting.svg, and the table of salting.md, into the folder
// given.
package main
