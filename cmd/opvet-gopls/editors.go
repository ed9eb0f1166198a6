package main

import (
	"fmt"
	"strconv"
	"strings"
)

// editor is what one editor has to be told.
type editor struct {
	name  string
	file  string // where it goes
	lang  string // the file's language
	lines string // with EXE for the program, in quotes
}

// The settings switch an analyzer off, to show how that is done.
var editors = []editor{
	{"VS Code", "settings.json", "jsonc", `"go.alternateTools": {"gopls": EXE},
"gopls": {"ui.diagnostic.analyses": {"detachedctx": false}}
`},
	{"Neovim 0.11 or later", "init.lua", "lua", `vim.lsp.config("gopls", {
  cmd = { EXE },
  filetypes = { "go", "gomod", "gowork" },
  root_markers = { "go.work", "go.mod" },
  settings = { gopls = { analyses = { detachedctx = false } } },
})
vim.lsp.enable("gopls")
`},
	{"Helix", "languages.toml", "toml", `[language-server.gopls]
command = EXE
config.analyses = { detachedctx = false }
`},
	{"Zed", "settings.json", "jsonc", `"lsp": {
  "gopls": {
    "binary": { "path": EXE },
    "initialization_options": { "analyses": { "detachedctx": false } }
  }
}
`},
}

// config is the lines with the program in place.
func (e editor) config(exe string) string {
	return strings.ReplaceAll(e.lines, "EXE", strconv.Quote(exe))
}

// setup says how editors are told to use the program.
func setup(exe string) string {
	var text strings.Builder
	text.WriteString("Tell your editor to use it; the settings of analyzers are examples, all are on without them.\n")
	for _, e := range editors {
		fmt.Fprintf(&text, "\n%s, in %s:\n\n", e.name, e.file)
		for line := range strings.Lines(e.config(exe)) {
			text.WriteString("    " + line)
		}
	}
	fmt.Fprintf(&text, "\nGoLand has no gopls of its own: install the plugin LSP4IJ and add a language server with the command\n\n    %s\n\n"+
		"for files *.go, language id go. See https://github.com/opvet/opvet/blob/main/docs/editors.md for more.\n", exe)
	return text.String()
}
