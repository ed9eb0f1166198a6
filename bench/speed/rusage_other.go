//go:build !unix

package main

import (
	"os"
	"time"
)

// residentSet is not known here.
func residentSet(*os.ProcessState) int64 { return 0 }

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
