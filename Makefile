# build  the commands         test   everything a change must pass
# prove  the long proofs      bench  the figures, beside what people would use instead
GO ?= go
BIN := bin/memsync
EXE := $(shell $(GO) env GOEXE)
VERSION := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
FUZZTIME ?= 2s
STATICCHECK := $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

.PHONY: build test vet fuzz prove bench demo fmt lint clean

build: $(BIN)

# The cache of a file system keeps a file in pieces as large as it was written in. The
# linker writes page by page, cp does not, and a program in large pieces starts in less.
$(BIN): FORCE
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/ ./cmd/...
	@cd bin && for p in memsync memsync-merge-driver memsync-remote-http; do cp $$p$(EXE) .new && mv -f .new $$p$(EXE) || exit 1; done

FORCE:

test: vet lint
	$(GO) test -race -parallel 4 -timeout 30m ./...
	CGO_ENABLED=0 GOOS=darwin $(GO) build ./...
	CGO_ENABLED=0 GOOS=windows $(GO) build ./...
	$(MAKE) fuzz

vet:
	$(GO) vet ./...
	cd bench && $(GO) vet ./...

lint:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "run: make fmt"; exit 1; }
	$(STATICCHECK) ./...

fuzz:
	FUZZTIME=$(FUZZTIME) GO=$(GO) ./testdata/fuzz.sh

prove:
	$(GO) test -tags prove -timeout 60m ./...
	FUZZTIME=60s GO=$(GO) ./testdata/fuzz.sh

bench: build
	cd bench && $(GO) run ./edit -memsync ../$(BIN)
	cd bench && $(GO) run ./watch -memsync ../$(BIN)
	cd bench && $(GO) run ./scale -memsync ../$(BIN)
	cd bench && $(GO) run ./lint -memsync ../$(BIN)
	cd bench && $(GO) run ./compose -memsync ../$(BIN)
	cd bench && $(GO) run ./sync -memsync ../$(BIN)

demo: build
	$(BIN) demo

fmt:
	gofmt -w .

clean:
	rm -rf bin
