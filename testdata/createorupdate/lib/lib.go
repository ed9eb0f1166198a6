// Package lib makes what is random for others.
package lib

import (
	"crypto/rand"
	"io"
)

// Token returns some random bytes.
func Token(n int) []byte {
	token := make([]byte, n)
	if _, err := io.ReadFull(rand.Reader, token); err != nil {
		panic(err)
	}
	return token
}
