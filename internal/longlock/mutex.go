package longlock

import "sync"

// Mutex is held by one goroutine, or by any number of readers. Who waits to hold it alone lets no
// more readers in. The zero value is free. It must not be copied.
type Mutex struct {
	mu      sync.Mutex
	free    sync.Cond
	readers int
	held    bool
	waiting int // to hold it alone
}

// enter waits, with mu held, until busy gives false.
func (m *Mutex) enter(busy func() bool) {
	if m.free.L == nil {
		m.free.L = &m.mu
	}
	for busy() {
		m.free.Wait()
	}
}

// Lock waits until nobody holds the mutex, and holds it.
func (m *Mutex) Lock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.waiting++
	m.enter(func() bool { return m.held || m.readers > 0 })
	m.waiting--
	m.held = true
}

// RLock waits until nobody holds the mutex alone, or waits to, and holds it beside other readers.
func (m *Mutex) RLock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.enter(func() bool { return m.held || m.waiting > 0 })
	m.readers++
}

// Unlock gives back what Lock has given. It panics where nobody holds it so.
func (m *Mutex) Unlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.held {
		panic("longlock: Unlock of a mutex that nobody holds")
	}
	m.held = false
	m.free.Broadcast()
}

// RUnlock gives back what RLock has given. It panics where nobody holds it so.
func (m *Mutex) RUnlock() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.readers == 0 {
		panic("longlock: RUnlock of a mutex that nobody reads under")
	}
	if m.readers--; m.readers == 0 {
		m.free.Broadcast()
	}
}
