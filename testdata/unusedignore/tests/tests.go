// Package tests has a comment in a test file. Its analyzer does not look
// there, so that nobody knows whether it is needed.
package tests
