package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/sourcegraph/jsonrpc2"
)

// session is an editor's session with a language server, as far as the tests
// need one.
type session struct {
	t    *testing.T
	ctx  context.Context
	dir  string
	conn *jsonrpc2.Conn

	mu       sync.Mutex
	changed  *sync.Cond // diagnostics were published, or time is up
	files    map[string]*openFile
	settings map[string]any
}

// openFile is what the editor knows of a file.
type openFile struct {
	text        string
	version     int
	diagnosed   int // version that the diagnostics are of
	diagnostics []lspDiagnostic
}

type lspPosition struct {
	Line      int `json:"line"`
	Character int `json:"character"` // in UTF-16
}

type lspRange struct {
	Start lspPosition `json:"start"`
	End   lspPosition `json:"end"`
}

type lspLocation struct {
	URI   string   `json:"uri"`
	Range lspRange `json:"range"`
}

type lspDiagnostic struct {
	Range           lspRange        `json:"range"`
	Severity        int             `json:"severity,omitempty"`
	Code            any             `json:"code,omitempty"`
	CodeDescription *lspDescription `json:"codeDescription,omitempty"`
	Source          string          `json:"source,omitempty"`
	Message         string          `json:"message"`
	Tags            []int           `json:"tags,omitempty"`
	Related         []lspRelated    `json:"relatedInformation,omitempty"`
	Data            json.RawMessage `json:"data,omitempty"`
}

type lspDescription struct {
	Href string `json:"href"`
}

type lspRelated struct {
	Location lspLocation `json:"location"`
	Message  string      `json:"message"`
}

const (
	lspWarning     = 2
	lspUnnecessary = 1
)

type lspAction struct {
	Title string            `json:"title"`
	Kind  string            `json:"kind"`
	Edit  *lspWorkspaceEdit `json:"edit"`
	Data  json.RawMessage   `json:"data,omitempty"`
}

type lspWorkspaceEdit struct {
	DocumentChanges []struct {
		TextDocument struct {
			URI string `json:"uri"`
		} `json:"textDocument"`
		Edits []lspTextEdit `json:"edits"`
	} `json:"documentChanges"`
}

type lspTextEdit struct {
	Range   lspRange `json:"range"`
	NewText string   `json:"newText"`
}

type object = map[string]any

// pipes are a process's standard output and input.
type pipes struct {
	io.ReadCloser
	in io.WriteCloser
}

func (p pipes) Write(data []byte) (int, error) { return p.in.Write(data) }

func (p pipes) Close() error { return errors.Join(p.in.Close(), p.ReadCloser.Close()) }

// patience is how long the server may take to say something. It type-checks
// all dependencies first.
const patience = 15 * time.Minute

// startSession runs a language server in a folder and makes itself known.
func startSession(t *testing.T, exe, dir string, env ...string) *session {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	s := &session{t: t, ctx: ctx, dir: dir, files: make(map[string]*openFile), settings: object{}}
	s.changed = sync.NewCond(&s.mu)
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.changed.Broadcast()
	})

	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Dir, cmd.Env, cmd.Stderr = dir, append(os.Environ(), env...), os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// Messages are handled in the order in which they come: what the server
	// publishes before it answers is known when the answer is.
	stream := jsonrpc2.NewBufferedStream(pipes{stdout, stdin}, jsonrpc2.VSCodeObjectCodec{})
	s.conn = jsonrpc2.NewConn(ctx, stream, jsonrpc2.HandlerWithError(s.handle), jsonrpc2.SetLogger(log.New(io.Discard, "", 0)))
	t.Cleanup(func() {
		cancel()
		s.conn.Close()
		if err := cmd.Wait(); err != nil && t.Context().Err() == nil {
			t.Errorf("%s: %v", exe, err)
		}
	})

	s.call("initialize", object{
		"processId":        os.Getpid(),
		"rootUri":          uriOf(dir),
		"workspaceFolders": []object{{"uri": uriOf(dir), "name": "test"}},
		"capabilities": object{
			"workspace": object{"configuration": true, "workspaceFolders": true, "workspaceEdit": object{"documentChanges": true}},
			"textDocument": object{
				"publishDiagnostics": object{
					"relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true, "versionSupport": true,
					"tagSupport": object{"valueSet": []int{1, 2}},
				},
				"codeAction": object{
					"codeActionLiteralSupport": object{"codeActionKind": object{"valueSet": []string{"quickfix"}}},
					"dataSupport":              true,
					"resolveSupport":           object{"properties": []string{"edit"}},
				},
			},
		},
	}, nil)
	s.notify("initialized", object{})
	return s
}

// run runs a part of a session as a test of its own.
func (s *session) run(name string, part func(t *testing.T)) {
	whole := s.t
	defer func() { s.t = whole }()
	whole.Run(name, func(t *testing.T) {
		s.t = t
		part(t)
	})
}

// close ends the session in the orderly way.
func (s *session) close() {
	s.t.Helper()
	s.call("shutdown", nil, nil)
	s.notify("exit", nil)
}

func (s *session) call(method string, params, result any) {
	s.t.Helper()
	if err := s.conn.Call(s.ctx, method, params, result); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
}

func (s *session) notify(method string, params any) {
	s.t.Helper()
	if err := s.conn.Notify(s.ctx, method, params); err != nil {
		s.t.Fatalf("%s: %v", method, err)
	}
}

// handle takes what the server says or asks of its own accord.
func (s *session) handle(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
	switch r.Method {
	case "textDocument/publishDiagnostics":
		return nil, s.published(*r.Params)
	case "workspace/configuration":
		return s.configuration(*r.Params)
	}
	return nil, nil
}

func (s *session) published(message json.RawMessage) error {
	var params struct {
		URI         string          `json:"uri"`
		Version     int             `json:"version"`
		Diagnostics []lspDiagnostic `json:"diagnostics"`
	}
	if err := json.Unmarshal(message, &params); err != nil {
		s.t.Error(err)
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if file, ok := s.files[params.URI]; ok {
		file.diagnosed, file.diagnostics = params.Version, params.Diagnostics
		s.changed.Broadcast()
	}
	return nil
}

func (s *session) configuration(message json.RawMessage) (any, error) {
	var params struct {
		Items []any `json:"items"`
	}
	if err := json.Unmarshal(message, &params); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	answer := make([]any, len(params.Items))
	for i := range answer {
		answer[i] = s.settings
	}
	return answer, nil
}

// configure changes the user's settings.
func (s *session) configure(settings object) {
	s.t.Helper()
	s.mu.Lock()
	s.settings = settings
	s.mu.Unlock()
	s.notify("workspace/didChangeConfiguration", object{"settings": object{}})
}

// open opens a file, whose name is relative to the session's folder.
func (s *session) open(name string) {
	s.t.Helper()
	text := read(s.t, filepath.Join(s.dir, name))
	s.mu.Lock()
	s.files[s.uri(name)] = &openFile{text: text, version: 1}
	s.mu.Unlock()
	s.notify("textDocument/didOpen", object{
		"textDocument": object{"uri": s.uri(name), "languageId": "go", "version": 1, "text": text},
	})
}

// edit changes a text, which must occur once, in an open file without saving
// it.
func (s *session) edit(name, old, new string) {
	s.t.Helper()
	s.mu.Lock()
	file := s.files[s.uri(name)]
	if n := strings.Count(file.text, old); n != 1 {
		s.t.Fatalf("%s has %q %d times, want once", name, old, n)
	}
	file.text = strings.Replace(file.text, old, new, 1)
	file.version++
	text, version := file.text, file.version
	s.mu.Unlock()
	s.notify("textDocument/didChange", object{
		"textDocument":   object{"uri": s.uri(name), "version": version},
		"contentChanges": []object{{"text": text}},
	})
}

// wait waits until what the server has published of the text in the editor is
// as wanted.
func (s *session) wait(name, what string, ok func([]lspDiagnostic) bool) []lspDiagnostic {
	s.t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	file := s.files[s.uri(name)]
	for file.diagnosed != file.version || !ok(file.diagnostics) {
		if s.ctx.Err() != nil {
			s.t.Fatalf("%s: no sign of %s; there is\n%s", name, what, showDiagnostics(file.diagnostics))
		}
		s.changed.Wait()
	}
	return file.diagnostics
}

// diagnoseAll has the server analyse all open files at once, and returns the
// diagnostics by the files' names.
func (s *session) diagnoseAll() map[string][]lspDiagnostic {
	s.t.Helper()
	var uris []string
	s.mu.Lock()
	for uri := range s.files {
		uris = append(uris, uri)
	}
	s.mu.Unlock()
	s.call("workspace/executeCommand", object{
		"command": "gopls.diagnose_files", "arguments": []object{{"Files": uris}},
	}, nil)
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make(map[string][]lspDiagnostic)
	for uri, file := range s.files {
		all[s.name(uri)] = file.diagnostics
	}
	return all
}

// quickFixes returns the fixes that the editor would offer for a diagnostic.
func (s *session) quickFixes(name string, d lspDiagnostic) []lspAction {
	s.t.Helper()
	var actions []lspAction
	s.call("textDocument/codeAction", object{
		"textDocument": object{"uri": s.uri(name)},
		"range":        d.Range,
		"context":      object{"diagnostics": []lspDiagnostic{d}, "only": []string{"quickfix"}},
	}, &actions)
	for i := range actions {
		if actions[i].Edit == nil {
			s.call("codeAction/resolve", actions[i], &actions[i])
		}
	}
	return actions
}

func (s *session) uri(name string) string { return uriOf(filepath.Join(s.dir, name)) }

// name is the file's name, relative to the session's folder.
func (s *session) name(uri string) string {
	s.t.Helper()
	u, err := url.Parse(uri)
	if err != nil {
		s.t.Fatal(err)
	}
	name, err := filepath.Rel(s.dir, filepath.FromSlash(u.Path))
	if err != nil {
		s.t.Fatal(err)
	}
	return filepath.ToSlash(name)
}

func uriOf(name string) string {
	return (&url.URL{Scheme: "file", Path: filepath.ToSlash(name)}).String()
}

func showDiagnostics(diagnostics []lspDiagnostic) string {
	text, err := json.MarshalIndent(diagnostics, "", "  ")
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// offset is the place of a position in a text.
func offset(text string, p lspPosition) int {
	start := 0
	for range p.Line {
		start += strings.IndexByte(text[start:], '\n') + 1
	}
	units := 0
	for i, r := range text[start:] {
		if units == p.Character {
			return start + i
		}
		units += utf16.RuneLen(r)
	}
	return len(text)
}

// column is a position's column as compilers count it: in bytes, from 1.
func column(text string, p lspPosition) int {
	at := offset(text, p)
	return at - strings.LastIndexByte(text[:at], '\n')
}
