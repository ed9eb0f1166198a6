// Package settings applies what users configure by names: which analyzers run,
// and the values of their flags. It is strict: what does not exist is an error
// that names it and lists what does.
package settings
