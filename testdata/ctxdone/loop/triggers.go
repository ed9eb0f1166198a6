package loop

import "time"

// Channels that make a loop work, and tell nobody to stop.

// wokenEachTime works each time that it is told to.
func wokenEachTime(wake <-chan struct{}) {
	for {
		<-wake
		work()
	}
}

// wokenOrDue works when it is told to, or when it is time.
func wokenOrDue(wake <-chan struct{}, ticker *time.Ticker) {
	for {
		select {
		case <-wake:
		case <-ticker.C:
		}
		work()
	}
}

// refresher has a channel by which others ask for a refresh; closing it asks for one
// that never ends.
type refresher struct {
	ask chan struct{}
}

// run refreshes when it is asked to.
func (r *refresher) run() {
	for {
		select {
		case <-r.ask:
			work()
		case <-time.After(time.Hour):
			work()
		}
	}
}

// log goes on while the process lives: what it could listen to is no stop channel.
func (r *refresher) log() {
	for {
		work()
		time.Sleep(time.Minute)
	}
}

func (r *refresher) close() { close(r.ask) }

// syncWorker has a stop channel beside the other one.
type syncWorker struct {
	ask  chan struct{}
	stop chan struct{}
}

// run listens to both.
func (w *syncWorker) run() {
	for {
		select {
		case <-w.stop:
			return
		case <-w.ask:
			work()
		}
	}
}

// deaf works when it is asked to, also when it is to stop.
func (w *syncWorker) deaf() {
	for { // want `hygiene: shutdown hangs: nothing ends this loop, not even w.stop`
		<-w.ask
		work()
	}
}

// last does what is left to do, and returns.
func (w *syncWorker) last() {
	for {
		select {
		case <-w.stop:
			work()
			return
		case <-time.After(time.Minute):
			work()
		}
	}
}

func (w *syncWorker) close() {
	close(w.ask)
	close(w.stop)
}

// wokenByHelper hands the channel on, and gets it back.
func wokenByHelper(wake <-chan struct{}) { onEach(same(wake)) }

func same(ch <-chan struct{}) <-chan struct{} { return ch }

func onEach(wake <-chan struct{}) {
	for {
		<-wake
		work()
	}
}
