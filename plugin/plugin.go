package plugin

import (
	"fmt"

	"github.com/golangci/plugin-module-register/register"
	"golang.org/x/tools/go/analysis"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/driver/config"
	"github.com/opvet/opvet/internal/report/guard"
	"github.com/opvet/opvet/internal/report/rule"
)

// Name is the linter's name, in golangci-lint's configuration and in //nolint.
const Name = "opvet"

func init() {
	register.Plugin(Name, New)
}

type plugin struct {
	analyzers []*analysis.Analyzer
	config    *config.Config
}

// New makes the linter of the settings under
// linters.settings.custom.opvet.settings. The flags of the analyzers are global,
// so the settings hold for the process.
func New(settings any) (register.LinterPlugin, error) {
	enabled, config, err := configure(analyzers.All(), settings)
	if err != nil {
		return nil, fmt.Errorf("settings of linter %s: %w", Name, err)
	}
	rule.LeaveNolintToHost()
	return &plugin{enabled, config}, nil
}

// BuildAnalyzers returns one analyzer that has the linter's name and hands over what
// the others report. Golangci-lint would put any other name before each message,
// which names its analyzer already, and then it were not the message of the
// other drivers.
func (p *plugin) BuildAnalyzers() ([]*analysis.Analyzer, error) {
	return []*analysis.Analyzer{{
		Name:     Name,
		Doc:      "find the mistakes that take Kubernetes operators down in production",
		URL:      "https://github.com/opvet/opvet",
		Requires: p.analyzers,
		Run:      p.run,
	}}, nil
}

func (p *plugin) GetLoadMode() string { return register.LoadModeTypesInfo }

func (p *plugin) run(pass *analysis.Pass) (any, error) {
	for _, failure := range guard.Failures(pass.Pkg, p.analyzers) {
		pass.Report(failure.Diagnostic(pass))
	}
	for _, a := range p.analyzers {
		if guard.Of(pass.Pkg, a) != nil {
			continue
		}
		for _, d := range pass.ResultOf[a].(*rule.Outcome).Reported() {
			if p.config.Excludes(a, d.Category, pass.Fset.Position(d.Pos).Filename) == nil {
				pass.Report(d)
			}
		}
	}
	return nil, nil
}
