# The two commands to begin with are make demo and make test.

GO ?= go

.PHONY: build
build:
	$(GO) build -o bin/opvet ./cmd/opvet

# demo shows the worst of what opvet says about a small operator that makes one of
# each mistake, demo-all everything. Findings are what they are for; only a failure
# to analyse fails.
.PHONY: demo demo-all
demo: build
	cd testdata && $(GO) mod download
	@echo 'bin/opvet -C testdata -max=12 ./demo/...'
	@bin/opvet -C testdata -max=12 ./demo/... || test $$? -eq 1

demo-all: build
	cd testdata && $(GO) mod download
	@echo 'bin/opvet -C testdata ./demo/...'
	@bin/opvet -C testdata ./demo/... || test $$? -eq 1

# test runs the tests, after fetching what they need. Of those that would take longest it runs a part, or
# leaves them to test-long, which runs them whole. On a fresh machine the first tests wait until all that
# testdata imports is compiled.
.PHONY: test
test: download
	$(GO) test -short -timeout 45m ./...

.PHONY: test-long
test-long: download
	$(GO) test -timeout 45m ./internal/testing/... ./internal/driver ./internal/tools/scaffold ./cmd/opvet

# test-e2e runs the real golangci-lint, go vet and gopls, which it builds first.
.PHONY: test-e2e
test-e2e: download
	cd e2e && $(GO) test -timeout 55m ./...

# test-kubebuilder scaffolds an operator with kubebuilder and brings opvet into it in each
# way that docs/adopt.md shows. It compiles two golangci-lints, which takes minutes.
.PHONY: test-kubebuilder
test-kubebuilder: download
	cd e2e && $(GO) test -tags kubebuilder -run '^TestKubebuilder$$' -count=1 -timeout 30m .

# release-check reads the configuration of the release as the release does, release-dry
# makes all that it makes without syft and docker, in dist. Both compile goreleaser, which
# takes minutes and some gigabytes at first.
GORELEASER = github.com/goreleaser/goreleaser/v2@v2.15.2
.PHONY: release-check release-dry
release-check:
	$(GO) run $(GORELEASER) check
release-dry:
	$(GO) run $(GORELEASER) release --snapshot --clean --skip=sbom,docker

# test-cluster runs operators against a real API server with exactly the roles that
# opvet rbac prints, and with one permission less each time. It builds kube-apiserver
# and etcd first, which takes ten minutes and some gigabytes of build cache.
.PHONY: test-cluster
test-cluster:
	cd e2e/cluster && $(GO) test -count=1 -v -timeout 60m ./...

.PHONY: download
download:
	$(GO) mod download
	cd testdata && $(GO) mod download
	cd testdata/legacy && $(GO) mod download

# soak runs the suite over the whole standard library, all Kubernetes modules
# that testdata is built with, those in the module cache, and what compilers are
# tested with; nothing may fail there, nor an analyzer take over five seconds for
# a package. make test does so with a part of them, and without a clock.
.PHONY: soak
soak: download
	$(GO) test ./internal/testing/soak -count=1 -timeout 120m -v -full

# race looks for data races while the driver and the whole suite are at work.
.PHONY: race
race: download
	$(GO) test -race -count=1 -timeout 60m ./internal/driver ./internal/testing/fuzz

# fuzz runs the suite over the cases, changed at random; make test does so with
# a few that it changes in the same way each time.
FUZZTIME ?= 10m
.PHONY: fuzz
fuzz: download
	$(GO) test ./internal/testing/fuzz -run '^$$' -fuzz FuzzSuite -fuzztime $(FUZZTIME)

# docs writes the documentation that follows from the analyzers' sources.
.PHONY: docs
docs:
	$(GO) run ./internal/tools/docgen

.PHONY: clean
clean:
	rm -rf bin
