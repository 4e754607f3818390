// Package guard keeps a panic on a goroutine from ending the process: it becomes the error of the
// statement or the job that the goroutine works for.
//
//	go func() { done <- guard.Run(work) }()      a panic of work   ->  error with the stack
//	group.Go(guard.Func(work))                                         the same, the group's error
//	go guard.Logged(log, "the sweeper", work)                          a record in the log
//
// Nobody else can stop it there: only the goroutine that panics may recover. internal/lint
// asserts that every goroutine is started so, but for those that only wait, by way of exec/op where the error is to have an
// SQLSTATE; wire writes any other as XX000.
//
// Any package may import it; it imports nothing of this module.
package guard
