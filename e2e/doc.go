// Package e2e tests opvet from the outside, as its users run it: the built
// command, the real go vet, golangci-lint and gopls, over a copy of testdata.
//
// It is a module of its own, so that what only these tests need stays out of
// opvet's go.mod. make test-e2e runs it.
package e2e
