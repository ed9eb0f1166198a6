package main

import "net/http"

// probe is no part of what runs once: it is called for each request.
func probe(w http.ResponseWriter, r *http.Request) {
	result := make(chan error)
	go func() {
		result <- run(r.Context()) // want `this goroutine hangs in its send on result if probe stops receiving \(line \d+: its context is done\)`
	}()
	select {
	case <-result:
		w.WriteHeader(http.StatusOK)
	case <-r.Context().Done():
	}
}

// serve answers as long as the process is there.
func serve() error { return http.ListenAndServe(":8081", http.HandlerFunc(probe)) }
