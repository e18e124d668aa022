package lspclient

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// rig is a project with a scripted server.
type rig struct {
	*Client
	dir string
	t   *testing.T
}

// newRig makes a project of files whose server behaves as faults say; see
// fake_test.go.
func newRig(t *testing.T, faults string, files map[string]string) rig {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	r := rig{dir: dir, t: t}
	for name, text := range files {
		r.put(name, text)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r.Client = New(Options{
		Server: Server{Language: "go", Command: []string{program}, Extensions: []string{".go"}},
		Dir:    dir,
		Env:    append(os.Environ(), fakeFaults+"="+faults, fakeLog+"="+filepath.Join(dir, "log")),
		Read:   os.ReadFile,
	})
	t.Cleanup(r.Close)
	return r
}

func (r rig) path(name string) string { return filepath.Join(r.dir, filepath.FromSlash(name)) }

func (r rig) put(name, text string) {
	r.t.Helper()
	if err := os.MkdirAll(filepath.Dir(r.path(name)), 0o777); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(r.path(name), []byte(text), 0o666); err != nil {
		r.t.Fatal(err)
	}
}

// log lists what the server noted: its starts and the methods it was sent.
func (r rig) log() []string {
	r.t.Helper()
	data, err := os.ReadFile(r.path("log"))
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Fields(string(data))
}

const source = "package a\n\nfunc run() {}\n\nfunc main() {\n\trun() // 𝄞 é run\n}\n"

func TestDefinition(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", map[string]string{"a.go": source})
	places, found, err := r.Definition(t.Context(), r.path("a.go"), "run()", 6)
	if err != nil || found != 6 {
		t.Fatalf("found %d, %v", found, err)
	}
	// The scripted server answers with the place that it was asked about.
	if want := []Place{{r.path("a.go"), 6}}; !slices.Equal(places, want) {
		t.Errorf("got %v, want %v", places, want)
	}
	// A line that is off by some leads to the nearest occurrence, no line to
	// the declaration.
	for line, want := range map[int]int{5: 6, 7: 6, 99: 6, 1: 3, 0: 3, -4: 3} {
		if _, found, err := r.Definition(t.Context(), r.path("a.go"), "run", line); err != nil || found != want {
			t.Errorf("line %d: found in %d, %v; want %d", line, found, err, want)
		}
	}
	if n := strings.Count(strings.Join(r.log(), " "), "start"); n != 1 {
		t.Errorf("started %d times", n)
	}
}

func TestNameThatIsNotThere(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", map[string]string{"a.go": source})
	_, _, err := r.Hover(t.Context(), r.path("a.go"), "absent", 3)
	fault, ok := errors.AsType[*NameError](err)
	if !ok || !slices.Equal(fault.Names, []string{"func", "run"}) {
		t.Errorf("got %v, names %v", err, fault)
	}
}

// The scripted server tells the column that it was asked about.
func TestColumnsInBothUnits(t *testing.T) {
	t.Parallel()
	const text = "x := \"𝄞é\" + name\n"
	for faults, want := range map[string]string{"": "0:13", "utf8": "0:16"} {
		r := newRig(t, faults, map[string]string{"a.go": text})
		if got, _, err := r.Hover(t.Context(), r.path("a.go"), "name", 1); err != nil || got != want {
			t.Errorf("%q: got %q, %v; want %q", faults, got, err, want)
		}
	}
}

func TestSymbols(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"", "flat"} {
		r := newRig(t, faults, map[string]string{"a.go": source})
		got, err := r.Symbols(t.Context(), r.path("a.go"))
		want := []Symbol{{"run", "function", 3, 3, 0}, {"main", "function", 5, 5, 0}}
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v (-want +got):\n%s", faults, err, diff)
		}
	}
}

// The server is in step with files that others change.
func TestServerSeesChangesOnDisk(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", map[string]string{"a.go": source, "b.go": "package a\n"})
	if _, err := r.Symbols(t.Context(), r.path("a.go")); err != nil {
		t.Fatal(err)
	}
	r.put("a.go", "package a\n\nfunc other() {}\n")
	r.put("b.go", "package a\n\n// changed\n")
	r.put("new/c.go", "package c\n")
	got, err := r.Symbols(t.Context(), r.path("a.go"))
	if want := []Symbol{{"other", "function", 3, 3, 0}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	if err := os.Remove(r.path("b.go")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(r.path("a.go")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Symbols(t.Context(), r.path("new/c.go")); err != nil {
		t.Fatal(err)
	}
	log := strings.Join(r.log(), " ")
	for _, want := range []string{"changed:a.go", "changed:b.go", "created:c.go", "deleted:b.go", "deleted:a.go", "textDocument/didClose"} {
		if !strings.Contains(log, want) {
			t.Errorf("the server was not told %s: %s", want, log)
		}
	}
}

func TestDiagnostics(t *testing.T) {
	t.Parallel()
	const text = "package a\n\nBAD one\n\nBAD two\n"
	want := []Problem{{3, Error, "bad: one"}, {5, Error, "bad: two"}}
	for _, faults := range []string{"", "noversion", "pull", "nopull", "twice"} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, faults, map[string]string{"a.go": text, "good.go": "package a\n"})
			for range 2 {
				got, err := r.Diagnostics(t.Context(), r.path("a.go"))
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("got %v, %v; want %v", got, err, want)
				}
			}
			if got, err := r.Diagnostics(t.Context(), r.path("good.go")); err != nil || len(got) != 0 {
				t.Errorf("a good file: %v, %v", got, err)
			}
		})
	}
}

// Where other files changed, a server that tells by itself is given time to
// tell anew, and silence means that nothing changed.
func TestDiagnosticsAfterOtherFilesChanged(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"", "noversion", "retell"} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, faults, map[string]string{"a.go": "BAD one\n"})
			want := []Problem{{1, Error, "bad: one"}}
			for i := range 2 {
				r.put("b.go", strings.Repeat("// b\n", i))
				got, err := r.Diagnostics(t.Context(), r.path("a.go"))
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("got %v, %v; want %v", got, err, want)
				}
				if faults == "retell" {
					want = []Problem{{1, Error, "bad: again"}}
				}
			}
		})
	}
}

// A server that says nothing where nothing changed is not waited for till the
// end.
func TestNewProblemsOfASilentServer(t *testing.T) {
	t.Parallel()
	r := newRig(t, "noversion silent", map[string]string{"a.go": "// 2\n"})
	for _, texts := range [][2]string{{"// 0\n", "// 1\n"}, {"// 1\n", "// 2\n"}} {
		began := time.Now()
		got, err := r.NewProblems(t.Context(), r.path("a.go"), []byte(texts[0]), []byte(texts[1]))
		if err != nil || len(got) != 0 || time.Since(began) >= checkTime {
			t.Errorf("got %v, %v after %v", got, err, time.Since(began))
		}
	}
	got, err := r.NewProblems(t.Context(), r.path("a.go"), []byte("// 2\n"), []byte("BAD one\n"))
	if want := []Problem{{1, Error, "bad: one"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
}

func TestNewProblems(t *testing.T) {
	t.Parallel()
	r := newRig(t, "", map[string]string{"a.go": "package a\n\n\nBAD one\nBAD two\nBAD two\n"})
	got, err := r.NewProblems(t.Context(), r.path("a.go"), []byte("package a\nBAD one\nBAD two\n"), []byte("package a\n\n\nBAD one\nBAD two\nBAD two\n"))
	if want := []Problem{{6, Error, "bad: two"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v; want %v", got, err, want)
	}
	got, err = r.NewProblems(t.Context(), r.path("new.go"), nil, []byte("BAD new\n"))
	if want := []Problem{{1, Error, "bad: new"}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("a new file: %v, %v; want %v", got, err, want)
	}
}

func TestRename(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"", "utf8", "changes"} {
		r := newRig(t, faults, map[string]string{"a.go": source})
		edits, found, err := r.Rename(t.Context(), r.path("a.go"), "run", 3, "walk")
		if err != nil || found != 3 || edits.Places() != 3 || !slices.Equal(edits.Paths(), []string{r.path("a.go")}) {
			t.Fatalf("%q: %v, %d places in %v, %v", faults, found, edits.Places(), edits.Paths(), err)
		}
		got, err := edits.Apply(r.path("a.go"), []byte(source))
		if want := strings.ReplaceAll(source, "run", "walk"); err != nil || string(got) != want {
			t.Errorf("%q: got %q, %v", faults, got, err)
		}
		if _, err := edits.Apply(r.path("a.go"), []byte("short\n")); err == nil {
			t.Error("edits of another text were applied")
		}
	}
	for faults, want := range map[string]string{"createfile": "would create a file", "refuse": "cannot rename this", "web": "not a file"} {
		r := newRig(t, faults, map[string]string{"a.go": source})
		_, _, err := r.Rename(t.Context(), r.path("a.go"), "run", 3, "walk")
		if _, ok := errors.AsType[*RefusedError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", faults, err)
		}
	}
}

func TestEditsThatOverlapAreRefused(t *testing.T) {
	t.Parallel()
	e := Edits{utf8: true, files: map[string][]textEdit{"/a": {
		{Range: span{position{0, 0}, position{0, 3}}, NewText: "x"}, {Range: span{position{0, 2}, position{0, 4}}, NewText: "y"},
	}}}
	if got, err := e.Apply("/a", []byte("abcdef")); err == nil {
		t.Errorf("got %q", got)
	}
}

// A server that dies is started once more, and the question asked again.
func TestServerThatDies(t *testing.T) {
	t.Parallel()
	r := newRig(t, "dieonce", map[string]string{"a.go": source})
	for range 2 {
		if got, _, err := r.Hover(t.Context(), r.path("a.go"), "run", 3); err != nil || got != "2:5" {
			t.Errorf("got %q, %v", got, err)
		}
	}
	if n := strings.Count(strings.Join(r.log(), " "), "start"); n != 2 {
		t.Errorf("started %d times", n)
	}
}

func TestServerThatDiesAgain(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"die", "dieatstart", "garbage", "header", "huge"} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			r := newRig(t, faults, map[string]string{"a.go": source})
			for range 3 {
				_, _, err := r.Hover(t.Context(), r.path("a.go"), "run", 3)
				fault, ok := errors.AsType[*DeadError](err)
				if !ok || strings.Count(err.Error(), "ended") != 1 {
					t.Fatalf("got %v", err)
				}
				if faults == "die" && fault.Why != "exit status 3: the last words" {
					t.Errorf("why: %q", fault.Why)
				}
			}
			if n := strings.Count(strings.Join(r.log(), " "), "start"); n != maxStarts {
				t.Errorf("started %d times", n)
			}
		})
	}
}

func TestServerThatCannotBeStarted(t *testing.T) {
	t.Parallel()
	c := New(Options{Server: Server{Command: []string{"/does/not/exist"}, Extensions: []string{".go"}}, Dir: t.TempDir(), Read: os.ReadFile})
	defer c.Close()
	for range 3 {
		if _, err := c.Symbols(t.Context(), "/a.go"); err == nil || !strings.Contains(err.Error(), "exist") {
			t.Errorf("got %v", err)
		}
	}
}

// Questions that are given up end, whatever the server does, and the server is
// used again where it can be.
func TestServerThatHangs(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"hang", "noread", "noinit"} {
		t.Run(faults, func(t *testing.T) {
			t.Parallel()
			// More than a pipe holds, so that writing blocks.
			r := newRig(t, faults, map[string]string{"a.go": source + strings.Repeat("// filler\n", 50_000)})
			ctx, stop := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer stop()
			began := time.Now()
			_, _, err := r.Hover(ctx, r.path("a.go"), "run", 3)
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			if d := time.Since(began); d > 10*time.Second {
				t.Errorf("took %v", d)
			}
			if faults == "hang" {
				// The question is taken back beside what follows, so a few
				// more questions may pass before the server sees it.
				back := false
				for i := 0; i < 200 && !back; i++ {
					if got, err := r.Symbols(t.Context(), r.path("a.go")); err != nil || len(got) != 2 {
						t.Fatalf("after it: %v, %v", got, err)
					}
					back = slices.Contains(r.log(), "$/cancelRequest")
				}
				if !back {
					t.Errorf("the question was not taken back: %s", strings.Join(r.log(), " "))
				}
			}
		})
	}
}

// A server may ask things, and wants answers; it may not change files.
func TestServerThatAsks(t *testing.T) {
	t.Parallel()
	r := newRig(t, "asks", map[string]string{"a.go": source})
	got, _, err := r.Hover(t.Context(), r.path("a.go"), "run", 3)
	if want := `[null,null] {"applied":false,"failureReason":"edits are not applied"} null not supported`; err != nil || got != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
}

func TestServerThatIsBusyIsAskedAgain(t *testing.T) {
	t.Parallel()
	r := newRig(t, "modified", map[string]string{"a.go": source})
	if got, _, err := r.Hover(t.Context(), r.path("a.go"), "run", 3); err != nil || got != "2:5" {
		t.Errorf("got %q, %v", got, err)
	}
}

func TestCloseEndsTheServer(t *testing.T) {
	t.Parallel()
	for _, faults := range []string{"", "stubborn"} {
		r := newRig(t, faults, map[string]string{"a.go": source})
		if _, err := r.Symbols(t.Context(), r.path("a.go")); err != nil {
			t.Fatal(err)
		}
		proc := r.run.session.proc
		r.Close()
		select {
		case <-proc.exited:
		default:
			t.Errorf("%q: the server lives", faults)
		}
		if _, err := r.Symbols(t.Context(), r.path("a.go")); err == nil {
			t.Error("a closed client answers")
		}
		if log := strings.Join(r.log(), " "); !strings.Contains(log, "shutdown") {
			t.Errorf("%q: not told to end: %s", faults, log)
		}
	}
}

func TestFilesAreClosedForOthers(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range maxOpen + 3 {
		files[string(rune('a'+i%26))+strings.Repeat("x", i)+".go"] = source
	}
	r := newRig(t, "", files)
	for name := range files {
		if _, err := r.Symbols(t.Context(), r.path(name)); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(r.run.session.docs); n != maxOpen {
		t.Errorf("%d files are open", n)
	}
}

func TestFind(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	look := func(name string) (string, error) {
		switch name {
		case "gopls", "my-server":
			return "/usr/bin/" + name, nil
		case "pyright-langserver":
			return "/p/node_modules/.bin/" + name, nil
		case "clangd":
			return "./clangd", nil
		}
		return "", errors.New("not found")
	}
	found, missing := Find(map[string]Server{
		"golang": {}, "python": {}, "rust": {}, "cobol": {}, "c": {},
		"mine":  {Command: []string{"my-server", "-x"}, Extensions: []string{"My", ".other"}},
		"mine2": {Command: []string{"my-server"}},
	}, "/p", look)
	want := []Server{
		{"golang", []string{"/usr/bin/gopls"}, []string{".go"}},
		{"mine", []string{"/usr/bin/my-server", "-x"}, []string{".my", ".other"}},
	}
	if diff := cmp.Diff(want, found); diff != "" {
		t.Errorf("found (-want +got):\n%s", diff)
	}
	wantMissing := []string{
		"lsp c: clangd was not found in PATH",
		"lsp cobol: no server is known for it; set its command",
		"lsp mine2: set the extensions of its files",
		"lsp python: basedpyright-langserver or pyright-langserver was not found in PATH",
		"lsp rust: rust-analyzer was not found in PATH",
	}
	if diff := cmp.Diff(wantMissing, missing); diff != "" {
		t.Errorf("missing (-want +got):\n%s", diff)
	}
}

func TestURIs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("the paths are those of other systems")
	}
	for _, path := range []string{"/a/b.go", "/a b/ü#?%.go"} {
		if got := pathOf(uriOf(path)); got != path {
			t.Errorf("%s: got %q by %s", path, got, uriOf(path))
		}
	}
	for _, uri := range []string{"http://x/a", "file://host/a", "a.go", "jdt://x", "file:relative", "%zz"} {
		if got := pathOf(uri); got != "" {
			t.Errorf("%s: got %q", uri, got)
		}
	}
}

func FuzzColumns(f *testing.F) {
	f.Add("a𝄞é b", 3)
	f.Fuzz(func(t *testing.T, line string, at int) {
		line = strings.ToValidUTF8(line, "")
		for _, units := range []bool{true, false} {
			o := offset(line, at, units)
			if o < 0 || o > len(line) {
				t.Fatalf("offset %d of %q", o, line)
			}
			if back := offset(line, column(line, o, units), units); back != o {
				t.Errorf("%q: %d came back as %d", line, o, back)
			}
		}
	})
}
