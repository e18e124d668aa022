package sandbox

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"mm/safety"
)

// needs skips a test where commands cannot be confined.
func needs(t testing.TB) {
	t.Helper()
	if r := Probe(); !r.Works {
		t.Skip("no sandbox here: " + r.Why)
	}
}

// scratch is a project with a folder beside it.
type scratch struct {
	*Sandbox
	project, outside string
	env              []string
}

func newScratch(t testing.TB) scratch {
	t.Helper()
	needs(t)
	base := realPath(t.TempDir())
	s := scratch{project: filepath.Join(base, "project"), outside: filepath.Join(base, "outside")}
	for _, dir := range []string{s.project, filepath.Join(s.project, "sub"), s.outside} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(s.project, "file"), filepath.Join(s.outside, "file")} {
		if err := os.WriteFile(file, []byte("as it was\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	s.env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.outside, "OUT=" + s.outside}
	var err error
	if s.Sandbox, err = New(Options{Project: s.project}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs a line of bash under a tier and returns its output.
func (s scratch) run(t testing.TB, tier safety.Tier, line string) (string, error) {
	t.Helper()
	cmd := exec.Command("bash", "--norc", "--noprofile", "-c", line)
	env, err := s.Environ(tier, s.env)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = s.project, env, &out, &out
	if err := s.Start(cmd, tier); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	return out.String(), err
}

// Each line ends well where the tier allows what it does, and fails elsewhere.
func TestTiers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, line        string
		read, write, nets bool
	}{
		{"read inside", "cat file", true, true, true},
		{"read outside", "cat $OUT/file", true, true, true},
		{"throw output away", "echo x > /dev/null", true, true, true},
		{"pipes", "cat file | tr a-z A-Z | grep -q WAS", true, true, true},
		{"standard error by its name", "echo x > /dev/stderr", true, true, true},
		{"write inside", "echo x > file", false, true, true},
		{"append inside", "echo x >> file", false, true, true},
		{"make inside", "echo x > sub/new && mkdir d && ln -s x l && mkfifo f", false, true, true},
		{"move between folders", "mv file sub/", false, true, true},
		{"remove inside", "rm file", false, true, true},
		{"mode inside", "chmod 600 file", false, true, true},
		{"times inside", "touch -d 2001-01-01 file", false, true, true},
		{"private temporary files", `f=$(mktemp) && case "$f" in "$TMPDIR"/*) ;; *) false;; esac`, false, true, true},
		{"write outside", "echo x > $OUT/file", false, false, false},
		{"make outside", "echo x > $OUT/new", false, false, false},
		{"remove outside", "rm -f $OUT/file", false, false, false},
		{"move out", "mv file $OUT/gone", false, false, false},
		{"hard link from outside", "ln $OUT/file file2", false, false, false},
		{"a link that leads out", "ln -sfn $OUT out; echo x > out/file", false, false, false},
		{"empty outside", "truncate -s 0 $OUT/file", false, false, false},
		{"TCP", "exec 3<>/dev/tcp/127.0.0.1/9 || true; bash -c 'exec 3<>/dev/tcp/127.0.0.1/9' 2>&1 | grep -q refused", false, false, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for tier, want := range map[safety.Tier]bool{
				safety.TierRead: tc.read, safety.TierWrite: tc.write, safety.TierNetwork: tc.nets,
			} {
				s := newScratch(t)
				out, err := s.run(t, tier, tc.line)
				if (err == nil) != want {
					t.Errorf("tier %s: %v, want it to end well: %t\n%s", tier, err, want, out)
				}
				if text, err := os.ReadFile(filepath.Join(s.outside, "file")); err != nil || string(text) != "as it was\n" {
					t.Errorf("tier %s changed a file outside: %q, %v", tier, text, err)
				}
			}
		})
	}
}

func TestTierNoneIsFree(t *testing.T) {
	t.Parallel()
	s := newScratch(t)
	if out, err := s.run(t, safety.TierNone, "echo x > $OUT/file"); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// Commands of all tiers run side by side, and the program stays free.
func TestConfinementStaysWithItsCommands(t *testing.T) {
	t.Parallel()
	s := newScratch(t)
	var group sync.WaitGroup
	for i := range 64 {
		group.Go(func() {
			tier := safety.Tier(i % 4)
			out, err := s.run(t, tier, "echo x >> $OUT/file2")
			if (err == nil) != (tier == safety.TierNone) {
				t.Errorf("tier %s: %v %s", tier, err, out)
			}
		})
		group.Go(func() {
			f, err := os.CreateTemp(s.outside, "free")
			if err != nil {
				t.Error(err)
				return
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
}

func TestThreadsDoNotGrow(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("threads are counted by /proc")
	}
	s := newScratch(t)
	count := func() int {
		list, err := os.ReadDir("/proc/self/task")
		if err != nil {
			t.Skip(err)
		}
		return len(list)
	}
	for range 10 {
		_, _ = s.run(t, safety.TierRead, "true")
	}
	before := count()
	for range 100 {
		_, _ = s.run(t, safety.TierRead, "true")
	}
	// The runtime may have started a few for other reasons.
	if after := count(); after > before+8 {
		t.Errorf("%d threads, before 100 commands %d", after, before)
	}
}

func TestEnviron(t *testing.T) {
	t.Parallel()
	s := newScratch(t)
	given := []string{"PATH=/bin", "A_TOKEN=1", "TMPDIR=/tmp", "TMP=/tmp", "LANG=C"}
	env, err := s.Environ(safety.TierRead, given)
	if err != nil || slices.Contains(env, "A_TOKEN=1") || !slices.Contains(env, "LANG=C") {
		t.Errorf("tier R: %q, %v", env, err)
	}
	env, err = s.Environ(safety.TierWrite, given)
	if err != nil || slices.Contains(env, "TMP=/tmp") || slices.Contains(env, "TMPDIR=/tmp") ||
		!strings.HasPrefix(env[len(env)-1], "TMPDIR=/") {
		t.Errorf("tier W: %q, %v", env, err)
	}
	if env, err := s.Environ(safety.TierNone, given); err != nil || !slices.Equal(env, given) {
		t.Errorf("no tier: %q, %v", env, err)
	}
}

func TestCloseRemovesTemporaryFilesAndStartsNothing(t *testing.T) {
	t.Parallel()
	s := newScratch(t)
	if out, err := s.run(t, safety.TierWrite, "mktemp"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.temp); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", s.temp, err)
	}
	if err := s.Start(exec.Command("true"), safety.TierRead); err == nil {
		t.Error("a closed sandbox starts a command")
	}
}

func TestReportLine(t *testing.T) {
	t.Parallel()
	got := Report{Why: "kernel without Landlock"}.Line()
	if want := "sandbox: none (kernel without Landlock): commands run with all your rights; reads ask too"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCachesOfInstalledTools(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go here")
	}
	home := realPath(t.TempDir())
	got := cachePlaces([]string{"HOME=" + home, "GOPATH=" + home + "/gopath:/other"})
	for _, want := range []string{home + "/.cache/go-build", home + "/go/pkg/mod", home + "/gopath/pkg"} {
		if !slices.Contains(got, want) || !isDir(want) {
			t.Errorf("%s is not among %q, or no folder", want, got)
		}
	}
	for _, p := range cachePlaces(nil) {
		t.Errorf("without a home folder: %s", p)
	}
}

// BenchmarkCommand runs "bash -c true" under each tier in turn, and reports the
// best time of each: on a busy machine the mean says little.
func BenchmarkCommand(b *testing.B) {
	s := newScratch(b)
	var best [safety.TierNone + 1]time.Duration
	for b.Loop() {
		for tier := safety.TierRead; tier <= safety.TierNone; tier++ {
			began := time.Now()
			if _, err := s.run(b, tier, "true"); err != nil {
				b.Fatal(err)
			}
			if d := time.Since(began); best[tier] == 0 || d < best[tier] {
				best[tier] = d
			}
		}
	}
	for tier, d := range best {
		b.ReportMetric(float64(d.Microseconds()), "µs-"+safety.Tier(tier).String())
	}
}
