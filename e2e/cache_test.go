package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// progress matches the lines that a slow run prints meanwhile.
var progress = regexp.MustCompile(`(?m)^opvet: .* \([0-9]+ s\)\n`)

// TestCache runs opvet over all cases of testdata with an empty cache, a full
// one, and ones in which entries are missing or broken, so that packages are
// analysed with facts from the cache: each prints what opvet prints without a
// cache, byte by byte, in all formats.
func TestCache(t *testing.T) {
	t.Parallel()
	dir, err := filepath.Abs(filepath.Join(root, "testdata"))
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		flags []string
	}{
		{"hygiene", []string{"-harm=hygiene"}},
		{"everything", append(everything(t, dir), "-harm=hygiene", "-test")},
	} {
		t.Run(test.name, func(t *testing.T) {
			cache := t.TempDir()
			fresh := allFormats(t, dir, append(test.flags, "-cache=off"))
			for _, step := range []struct {
				name    string
				prepare func(i int, entry string)
			}{
				{"empty", func(int, string) {}},
				{"full", func(int, string) {}},
				{"some are missing", func(i int, entry string) {
					if i%3 == 0 {
						remove(t, entry)
					}
				}},
				{"others are missing", func(i int, entry string) {
					if i%3 == 1 {
						remove(t, entry)
					}
				}},
				{"half of them are missing", func(i int, entry string) {
					if i%2 == 0 {
						remove(t, entry)
					}
				}},
				{"some are broken", func(i int, entry string) {
					switch i % 7 {
					case 0:
						write(t, entry, "")
					case 1:
						write(t, entry, strings.Replace(read(t, entry), "1", "2", 1))
					}
				}},
			} {
				entries, err := filepath.Glob(filepath.Join(cache, "??", "*-[ad]"))
				if err != nil || (step.name == "empty") != (len(entries) == 0) {
					t.Fatalf("%s: %d entries: %v", step.name, len(entries), err)
				}
				for i, entry := range entries {
					step.prepare(i, entry)
				}
				if diff := gocmp.Diff(fresh, allFormats(t, dir, append(test.flags, "-cache="+cache))); diff != "" {
					t.Errorf("%s (-without a cache +with it):\n%s", step.name, diff)
				}
			}
		})
	}
}

// everything returns flags that make all analyzers look at generated files and
// report doubtful variants.
func everything(t *testing.T, dir string) []string {
	var known []struct{ Name string }
	if err := json.Unmarshal([]byte(run(t, dir, opvet(t), "-flags").want(t, 0).stdout), &known); err != nil {
		t.Fatal(err)
	}
	var flags []string
	for _, flag := range known {
		if strings.HasSuffix(flag.Name, ".generated") || strings.HasSuffix(flag.Name, ".strict") {
			flags = append(flags, "-"+flag.Name)
		}
	}
	if len(flags) < 40 {
		t.Fatalf("only the flags %q", flags)
	}
	return flags
}

// allFormats returns what opvet writes in each format, and as a diff.
func allFormats(t *testing.T, dir string, flags []string) map[string]string {
	t.Helper()
	to := t.TempDir()
	var args []string
	formats := []string{"text", "json", "sarif", "github"}
	for _, format := range formats {
		args = append(args, "-format="+format+"="+filepath.Join(to, format))
	}
	out := run(t, dir, opvet(t), append(append(args, flags...), "./...")...)
	diff := run(t, dir, opvet(t), append(append([]string{"-diff"}, flags...), "./...")...)
	all := map[string]string{
		"status": string(rune('0' + out.status)), "stdout": out.stdout, "stderr": progress.ReplaceAllString(out.stderr, ""),
		"diff": diff.stdout, "stderr of -diff": progress.ReplaceAllString(diff.stderr, ""),
	}
	for _, format := range formats {
		all[format] = read(t, filepath.Join(to, format))
	}
	if strings.Count(all["text"], "\n") < 500 || all["diff"] == "" {
		t.Fatalf("that cannot be all:\n%s%s", all["text"], all["stderr"])
	}
	return all
}

func remove(t *testing.T, name string) {
	t.Helper()
	if err := os.Remove(name); err != nil {
		t.Fatal(err)
	}
}
