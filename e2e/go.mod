module github.com/opvet/opvet/e2e

go 1.26.0
