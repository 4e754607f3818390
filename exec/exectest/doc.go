// Package exectest gives tests of exec's rooms what an operator stands between: Batches are
// rows as an operator gives them, in batches of any shape; Context has a memory account and a
// folder for files; Run reads an operator to its end and looks whether it left anything. Only
// tests import it.
package exectest
