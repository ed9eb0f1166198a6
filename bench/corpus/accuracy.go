package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/opvet/opvet/analyzers"
	"github.com/opvet/opvet/internal/report/rule"
)

// A tally counts what became of findings and of cases.
type tally struct {
	findings, right, wrong       int
	wanted, graded               int // of those that are right
	bugs, found, traps, reported int
}

func (t *tally) add(f JudgedFinding) {
	t.findings++
	switch {
	case f.Case == nil:
	case f.Case.Verdict == verdictBug:
		t.right++
		if f.Grade != "" {
			t.graded++
		}
		if f.Grade == gradeA || f.Grade == gradeB {
			t.wanted++
		}
	default:
		t.wrong++
	}
}

func (t *tally) unread() int { return t.findings - t.right - t.wrong }

// precision is the share of the read findings that are right.
func (t *tally) precision() string {
	if t.right+t.wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", floor(100*float64(t.right)/float64(t.right+t.wrong)))
}

// worth is the share of what was read and graded that is wanted.
func (t *tally) worth() string {
	if t.graded+t.wrong == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f %%", floor(100*float64(t.wanted)/float64(t.graded+t.wrong)))
}

// floor keeps 99.6 from becoming 100.
func floor(percent float64) float64 { return float64(int(percent)) }

// A tallies maps an analyzer, or analyzer/category, to what was counted for it.
type tallies map[string]*tally

func (ts tallies) of(key string) *tally {
	if ts[key] == nil {
		ts[key] = new(tally)
	}
	return ts[key]
}

// count sums up a report by analyzer and by category.
func (r *Report) count() (all tally, by tallies) {
	by = make(tallies)
	for _, tree := range r.Operators {
		for _, f := range tree.Findings {
			all.add(f)
			by.of(f.Analyzer).add(f)
			by.of(f.Analyzer + "/" + f.Category).add(f)
		}
	}
	for _, c := range r.Cases {
		switch c.Outcome {
		case outcomeFound:
			all.bugs++
			all.found++
			by.of(c.Finding.Analyzer).found++
			by.of(c.Finding.Analyzer+"/"+c.Finding.Category).found++
		case outcomeMissed:
			all.bugs++
		case outcomeSilent:
			all.traps++
		case outcomeReported:
			all.traps++
			all.reported++
			by.of(c.Finding.Analyzer).reported++
			by.of(c.Finding.Analyzer+"/"+c.Finding.Category).reported++
		}
	}
	return all, by
}

// accuracy is the document of a run over all cases and operators.
func (r *Report) accuracy(peers *Peers, contacts []Contact) []byte {
	d := &document{}
	all, by := r.count()
	d.introduction(r, all, contacts)
	d.firstContact(contacts)
	d.figures(r, all)
	d.fixed(r.Fixes, r.Measured)
	d.perAnalyzer(by)
	d.perCategory(by)
	d.perOperator(r)
	d.judgedCases(r)
	d.missed(r)
	d.peers(peers, r)
	d.again()
	return []byte(d.String())
}

// A document is Markdown under construction.
type document struct{ strings.Builder }

func (d *document) printf(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// row writes a row of a table; the cells are numbers and text.
func (d *document) row(cells ...any) {
	for _, cell := range cells {
		text := strings.ReplaceAll(oneSpace(fmt.Sprint(cell)), "|", `\|`)
		d.printf("| %s ", text)
	}
	d.printf("|\n")
}

func oneSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// head writes a table's head.
func (d *document) head(titles ...string) {
	d.printf("\n| %s |\n|%s\n", strings.Join(titles, " | "), strings.Repeat(" --- |", len(titles)))
}

// lastOnes are the first contacts that say how right the rules are of late: each contact is with the
// rules of its day.
const lastOnes = 100

func (d *document) introduction(r *Report, all tally, contacts []Contact) {
	d.printf(`# Accuracy

<!-- Generated: see "Run it again". -->

How often opvet is right, how much of what it prints a maintainer wants, and how much it finds, measured on public operators.
`)
	d.head("", "findings", "right", "wanted")
	if n, findings, right, wanted := sumContacts(contacts); n > 0 {
		d.row(fmt.Sprintf("at [first contact](#first-contact), %d operators", n), findings, ratio(right, findings), ratio(wanted, findings))
		if last := contacts[max(0, len(contacts)-lastOnes):]; n > lastOnes {
			_, findings, right, wanted := sumContacts(last)
			d.row(fmt.Sprintf("of these, the last %d operators", lastOnes), findings, ratio(right, findings), ratio(wanted, findings))
		}
	}
	d.row(fmt.Sprintf("[now](#now), %d operators", r.analysed()), all.findings, ratio(all.right, all.findings), ratio(all.wanted, all.findings))
	d.printf("\n[Judged bugs](#judged-cases) found: %s.\n", ratio(all.found, all.bugs))
}

// analysed counts the operators that could be analysed.
func (r *Report) analysed() int {
	n := 0
	for _, tree := range r.Operators {
		if tree.Reason == "" {
			n++
		}
	}
	return n
}

// figures has the numbers of today's opvet.
func (d *document) figures(r *Report, all tally) {
	lines, unseen, harmless := 0, 0, 0
	for _, tree := range r.Operators {
		lines += tree.Lines
		if tree.Reason != "" {
			continue
		}
		harmless += tree.Harmless
		if tree.Unseen {
			unseen++
		}
	}
	d.printf(`
## Now

Today's opvet, after learning from all of them, on %d operators at a recent commit for what it
reports there (precision), and on the judged places of [bench/corpus](../bench/corpus/README.md) for what it finds and what it
falls for. Of the operators, %d were used by no rule's author while the rules were made. What was learned from each is in the
[field notes](../bench/corpus/field-notes.md).

`, r.analysed(), unseen)
	d.printf("Measured: %s\n", r.Opvet.sentence(r.Binary))
	d.head("", "")
	d.row("operators", r.analysed())
	d.row("lines of Go code analysed", thousands(lines))
	d.row("findings, default flags", all.findings)
	d.row("read and right", all.right)
	d.row("read and wrong", all.wrong)
	d.row("not read yet", all.unread())
	d.row("precision: right of those read", all.precision())
	d.row("right ones that are graded", all.graded)
	d.row("worth: wanted of those read and graded", all.worth())
	d.row("hygiene, not printed", harmless)
	d.row("wrong findings in 50,000 lines", per50000(all.wrong, lines))
	d.row("judged cases", len(r.Cases))
	d.row("bugs found", ratio(all.found, all.bugs))
	d.row("traps reported", ratio(all.reported, all.traps))
	d.row("cases not analysed", len(r.Cases)-all.bugs-all.traps)
	d.printf(`
A line of code is one that holds a token: no comments, no blank lines, no generated code, no tests, nothing vendored. A
finding is right if it lies at a judged bug of its analyzer's kind, wrong if it lies at a judged trap, and unread if nobody
has judged that place. The verdicts come from reading by the people and the language models who made the rules, not from the
projects' maintainers: [how far to trust them](../bench/corpus/README.md#how-far-to-trust-it). In particular the bugs were
looked for by readers who knew the rules, so the share of bugs found flatters: it says what becomes of a kind of bug that
there is a rule for. Precision does not depend on that, since it counts whatever opvet reports.
`)
}

func (p provenance) sentence(hash string) string {
	var b strings.Builder
	b.WriteString("opvet ")
	if p.Commit != "" {
		fmt.Fprintf(&b, "%.10s of %s", p.Commit, p.Date)
		if p.Modified {
			b.WriteString(" with uncommitted changes")
		}
		b.WriteString(" ")
	}
	fmt.Fprintf(&b, "(SHA-256 of the binary %.12s…), %s.", hash, p.Go)
	return b.String()
}

func per50000(n, lines int) string {
	if lines == 0 {
		return ""
	}
	return fmt.Sprintf("%.2f", float64(n)*50_000/float64(lines))
}

func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func (d *document) perAnalyzer(by tallies) {
	d.printf(`
## By analyzer

The first six columns are about the operators' current code, the last two about the judged cases of all commits. A missed bug
belongs to no analyzer, only to a kind of case: see [below](#judged-cases).
`)
	d.head("analyzer", "findings", "right", "wrong", "unread", "precision", "wanted", "judged bugs found", "traps reported")
	for _, a := range analyzers.All() {
		t := by.of(a.Name)
		d.row(analyzerLink(a.Name), t.findings, t.right, t.wrong, t.unread(), t.precision(), t.worth(), t.found, t.reported)
	}
}

func analyzerLink(name string) string { return fmt.Sprintf("[%s](analyzers/%s.md)", name, name) }

func (d *document) perCategory(by tallies) {
	d.printf("\n## By category\n\nThe same for each category that has anything to show.\n")
	d.head("category", "findings", "right", "wrong", "unread", "precision", "wanted", "judged bugs found", "traps reported")
	var silent []string
	for _, a := range analyzers.All() {
		for _, c := range rule.Of(a).Categories {
			key := a.Name + "/" + c.Name
			t := by.of(key)
			if *t == (tally{}) {
				if !c.Strict {
					silent = append(silent, "`"+key+"`")
				}
				continue
			}
			d.row(fmt.Sprintf("[%s](analyzers/%s.md#%s)", key, a.Name, c.Name),
				t.findings, t.right, t.wrong, t.unread(), t.precision(), t.worth(), t.found, t.reported)
		}
	}
	if len(silent) > 0 {
		d.printf("\nNothing at all, neither here nor there, so that their precision in the field is not known: %s.\n", strings.Join(silent, ", "))
	}
}

func (d *document) perOperator(r *Report) {
	d.printf(`
## By operator

Unseen operators are those that no rule was made with before they were first read. What was wrong there has been mended since, so
that their figures here are not those of the first reading, which the [field notes](../bench/corpus/field-notes.md) have.
`)
	d.head("operator", "commit", "unseen", "lines", "findings", "right", "wrong", "unread", "wanted")
	for _, tree := range r.Operators {
		unseen := ""
		if tree.Unseen {
			unseen = "yes"
		}
		name := fmt.Sprintf("[%s](https://github.com/%s)", tree.Repo, tree.Repo)
		if tree.Reason != "" {
			d.row(name, tree.Commit[:10], unseen, "not analysed: "+tree.Reason, "", "", "", "", "")
			continue
		}
		var t tally
		for _, f := range tree.Findings {
			t.add(f)
		}
		d.row(name, tree.Commit[:10], unseen, thousands(tree.Lines), t.findings, t.right, t.wrong, t.unread(), t.worth())
	}
	for _, tree := range r.Operators {
		if tree.Unloaded > 0 {
			d.printf("\n%d files of %s are left out, since their packages do not load.\n", tree.Unloaded, tree.Repo)
		}
	}
}

// link is the case's place, as a link to its line.
func (c Case) link() string {
	return fmt.Sprintf("[%s %s:%d](https://github.com/%s/blob/%s/%s#L%d)",
		c.Repo[strings.Index(c.Repo, "/")+1:], c.File[strings.LastIndex(c.File, "/")+1:], c.Line, c.Repo, c.Commit, c.File, c.Line)
}

func (d *document) judgedCases(r *Report) {
	d.printf(`
## Judged cases

By kind of case, at all commits that cases lie at, many of them old: a bug is judged where it stood before it was mended. Silent by design
are bugs whose report would cost more in false alarms than it is worth; each has its reason in the cases file.
`)
	d.head("kind", "analyzers", "bugs", "found", "silent by design", "missed", "traps", "reported", "not analysed")
	for _, g := range r.Groups {
		d.row(g.Category, strings.Join(g.Analyzers, ", "), g.Bugs, g.Found, g.Limits, g.Bugs-g.Found-g.Limits, g.Traps, g.Reported, g.Unanalysed)
	}
	reasons := make(map[string]int)
	for _, c := range r.Cases {
		if c.Outcome == outcomeUnanalysed {
			reasons[fmt.Sprintf("%s at %.10s: %s", c.Repo, c.Commit, shortReason(c.Reason))]++
		}
	}
	if len(reasons) > 0 {
		d.printf("\nNot analysed:\n\n")
		for _, reason := range slices.SortedFunc(maps.Keys(reasons), func(a, b string) int {
			return cmp.Or(reasons[b]-reasons[a], strings.Compare(a, b))
		}) {
			d.printf("- %s (%d)\n", reason, reasons[reason])
		}
	}
}

// shortReason leaves out paths and what follows the first failure.
func shortReason(reason string) string {
	reason, _, _ = strings.Cut(reason, " under /")
	if i := strings.Index(reason, "# "); i > 0 {
		reason = reason[:i] + "it does not compile"
	}
	const most = 120
	if len(reason) > most {
		reason = strings.ToValidUTF8(reason[:most], "") + "…"
	}
	return strings.ReplaceAll(oneSpace(reason), "`", "'")
}

// missed lists what is not as it should be. The wrong findings of the operators
// are among the traps reported.
func (d *document) missed(r *Report) {
	for _, list := range []struct {
		title   string
		outcome outcome
	}{{"Traps reported", outcomeReported}, {"Bugs missed", outcomeMissed}} {
		var lines []string
		for _, c := range r.Cases {
			if c.Outcome == list.outcome && c.Limit == "" {
				what := c.Category
				if c.Finding != nil {
					what = fmt.Sprintf("`%s/%s`", c.Finding.Analyzer, c.Finding.Category)
				}
				lines = append(lines, fmt.Sprintf("- %s %s: %s\n", what, c.link(), oneSpace(c.Why)))
			}
		}
		if len(lines) > 0 {
			d.printf("\n### %s\n\n%s", list.title, strings.Join(lines, ""))
		}
	}
}

func (d *document) again() {
	d.printf(`
## Run it again

    go run ./bench/corpus -cases bench/corpus/cases.jsonl -operators bench/corpus/operators.jsonl \
        -peers bench/corpus/peers.json -repos DIR -contacts bench/corpus/contacts.jsonl \
        -fixes bench/corpus/fixes.jsonl -measured bench/corpus/fixes-measured.jsonl -source -accuracy docs/accuracy.md

with clones of the repositories under ` + "`DIR`" + `, see [bench/corpus](../bench/corpus/README.md). With
` + "`-source`" + ` the dependencies are type-checked from source; without it they are compiled first, which takes hours.
`)
}
