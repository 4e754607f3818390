// Package guard keeps a panic on a goroutine from ending the process: it becomes the error of the
// statement or the job that the goroutine works for.
//
//	go func() { done <- guard.Run(work) }()      a panic of work   ->  error with the stack
//
// Nobody else can stop it there: only the goroutine that panics may recover. Every goroutine that
// runs a statement's or a job's work calls it, by way of exec/op where the error is to have an
// SQLSTATE; wire writes any other as XX000.
//
// Any package may import it; it imports nothing of this module.
package guard
