// Package longlock is a mutual exclusion that is held over calls of a store.
//
// It is a sync.RWMutex in all but one: goroutines that wait for it count as waiting for something that
// takes time. Under testing/synctest the time of a test goes on while all wait; it stands still while
// one waits for a sync.RWMutex, whose holder could then never wait for a call to end.
//
//	sync.Mutex, sync.RWMutex   held for some instructions
//	longlock.Mutex             held while a store, a peer or a clock is waited for
//
// catalog/versions and catalog/jobs call it. It is not for hot paths: taking it and giving it back
// costs two sync.Mutex.
package longlock
