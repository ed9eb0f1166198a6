package cases

// What the analyzers would find in test files is not known.

var tested = 1 //nolint:opvet
