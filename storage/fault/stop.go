package fault

import "time"

// stopped is a process that has been sent SIGSTOP, as its store sees it: no call of it is made
// until Resume, and the end of a call's context does not end the wait. Those that had begun are
// made then, by whatever their contexts and fences still allow.
type stopped struct {
	until chan struct{} // closed by Resume; nil: the process runs
}

// Stop has calls wait until Resume.
func (s *Store) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped.until == nil {
		s.stopped.until = make(chan struct{})
	}
}

// Resume has calls go on. A store that is not stopped is left as it is.
func (s *Store) Resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped.until != nil {
		close(s.stopped.until)
		s.stopped.until = nil
	}
}

// pass lets a call through that has met r: at once where nothing is stopped.
func (s *Store) pass(r *Rule) {
	if r != nil {
		switch r.Do {
		case Stop:
			s.Stop()
		case Hold:
			time.Sleep(r.Delay)
		}
	}
	for {
		s.mu.Lock()
		until := s.stopped.until
		s.mu.Unlock()
		if until == nil {
			return
		}
		<-until
	}
}
