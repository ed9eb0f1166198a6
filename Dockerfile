# The image of a release; goreleaser builds it, with the binaries below $TARGETPLATFORM.
# opvet loads packages with the go command, so that is in it, with git for
# -new-from-rev. Run it at the top of a checkout:
#
#	docker run --rm -v "$PWD:/src" ghcr.io/opvet/opvet ./...
FROM golang:1.26-alpine
RUN apk add --no-cache git && git config --system --add safe.directory '*'
ARG TARGETPLATFORM
COPY $TARGETPLATFORM/opvet /usr/local/bin/opvet
ENV GOTOOLCHAIN=auto
WORKDIR /src
ENTRYPOINT ["/usr/local/bin/opvet"]
