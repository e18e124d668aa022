package eval

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mm/agent"
	"mm/agent/agenttest"
)

// report builds a report of runs given as name → outcomes, "+" solved, "-"
// not, "s" skipped; each run takes the same time.
func report(seconds float64, outcomes ...string) Report {
	r := Report{
		Version: ReportVersion, Date: time.Date(2024, 5, 6, 7, 8, 0, 0, time.UTC), Program: "0.1",
		Machine: "linux/amd64, 2 processors", Provider: "test", Model: "m", Window: 8192, Repeat: 1,
	}
	for i := 0; i+1 < len(outcomes); i += 2 {
		for n, c := range outcomes[i+1] {
			res := Result{Task: outcomes[i], Kind: Whole, Difficulty: Easy, Language: "go", Run: n + 1}
			switch c {
			case 's':
				res.Skipped = "no go"
			default:
				res.Solved = c == '+'
				res.Calls, res.Read, res.Written, res.Seconds = 4, 1000, 50, seconds
			}
			r.Results = append(r.Results, res)
		}
	}
	r.Total = r.Sum(nil)
	return r
}

func TestReportIsReadBack(t *testing.T) {
	t.Parallel()
	want := evaluated(t, Options{
		Tasks: []Task{sampleTask(t)}, Repeat: 2, Program: "0.1", Config: map[string]string{"planTool": "true"},
		Variant: Variant{KeyPrompt: "short"},
		New:     scripted(t, used(agenttest.Call("edit_file", rightEdit), 10, 5, 1), agenttest.Say("Done.")),
	})
	data, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	got, err := Decode(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	if got.Provider != "test" || got.Model != "scripted" || got.Window != 8192 || got.Version != 1 {
		t.Errorf("the model is not named: %+v", got)
	}
	if got.Total.Runs != 2 || got.Total.Solved != 2 || got.Total.Calls != 4 {
		t.Errorf("total %+v", got.Total)
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for data, want := range map[string]string{
		`{`:              "unexpected end",
		`{"a":1}`:        "not a report",
		`{"version":1}`:  "not a report", // the outcome of Tune
		`{"version":99}`: "99",
	} {
		if _, err := Decode([]byte(data)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q in it", data, err, want)
		}
	}
}

func TestServerIsNamedWithoutCredentials(t *testing.T) {
	t.Parallel()
	var r Report
	r.served(agent.ModelInfo{Provider: "openai", ID: "m", BaseURL: "http://user:secret@localhost:8080/v1?key=secret"})
	if r.Server != "http://localhost:8080/v1" {
		t.Errorf("got %q", r.Server)
	}
	r.served(agent.ModelInfo{}) // a run in which the server did not answer
	if r.Model != "m" {
		t.Error("a run without an answer made the model unknown")
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	tb := table{out: &b}
	r := report(1.5, "first", "+", "second", "-", "third", "s")
	r.Results[0].Cached = 250
	r.Results[0].Stop = "answer"
	r.Results[1].Failures = []string{"go test: exit 1\nno\n--- FAIL: \x1b[31mTestX"}
	r.Results[1].Repairs = map[string]int{"json": 2, "type": 1}
	r.Results[1].Fuzzy, r.Results[1].Loops, r.Results[1].Stop = 1, 2, "stuck"
	r.Results[1].Error = "the model repeated itself"
	for _, res := range r.Results {
		tb.begin(Task{Name: res.Task}, 1, 1)
		tb.end(res)
	}
	r.Total = r.Sum(nil)
	tb.close(r)
	want := `
task                        result    calls loops repairs fuzzy    read cache written    time  end
first                       solved        4     0       0     0    1000   25%      50    1.5s  answer
second                      unsolved      4     2       3     1    1000    0%      50    1.5s  stuck
    go test: exit 1
      --- FAIL: TestX
    the model repeated itself
third                       skipped   no go

easy                        1/2           8     2       3     1    2000   12%     100    3.0s
all                         1/2           8     2       3     1    2000   12%     100    3.0s
repairs: json 2, type 1
skipped: 1
model: m at test, window 8192
`
	if diff := cmp.Diff(want[1:], b.String()); diff != "" {
		t.Error(diff)
	}
}

func TestSignTest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		up, down int
		want     float64
	}{
		{0, 0, 1},
		{1, 0, 1},
		{3, 3, 1},
		{5, 0, 2.0 / 32},
		{6, 0, 2.0 / 64},
		{0, 6, 2.0 / 64},
		{7, 1, 2 * 9.0 / 256}, // 1 + 8 of 256 ways
	} {
		if got := signTest(tc.up, tc.down); math.Abs(got-tc.want) > 1e-9 {
			t.Errorf("%d up, %d down: got %g, want %g", tc.up, tc.down, got, tc.want)
		}
	}
}

func TestCompare(t *testing.T) {
	t.Parallel()
	a := report(2, "up", "--+", "down", "+++", "same", "+-+", "old", "+", "never", "s")
	b := report(1, "up", "+++", "down", "++-", "same", "++-", "new", "-", "never", "s")
	b.Variant = Variant{KeyPrompt: "short"}
	b.Results[0].Loops = 2
	var out strings.Builder
	Compare(&out, a, b)
	want := `
A: m at test, window 8192, mm 0.1, linux/amd64, 2 processors, 2024-05-06 07:08
B: m at test, window 8192, mm 0.1, linux/amd64, 2 processors, 2024-05-06 07:08
   promptVariant: (none) → short

task                        solved          calls          tokens              time
up                             1/3    3/3     4.0   4.0      1050    1050      2.0s    1.0s  better
down                           3/3    2/3     4.0   4.0      1050    1050      2.0s    1.0s  worse
same                           2/3    2/3     4.0   4.0      1050    1050      2.0s    1.0s
old                            1/1      -     4.0     -      1050       -      2.0s       -  only in A
new                              -    0/1       -   4.0         -    1050         -    1.0s  only in B

in both, per run               6/9    7/9     4.0   4.0      1050    1050      2.0s    1.0s
loops 0 → 2, repairs 0 → 0, fuzzy 0 → 0, invalid calls 0 → 0, cache 0% → 0%
B solves 1 tasks more often and 1 less often; 1 are the same. This may well be chance (p = 1.00): repeat with a higher -repeat.
`
	if diff := cmp.Diff(want[1:], out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestJudgementInWords(t *testing.T) {
	t.Parallel()
	base := report(1, "a", "-", "b", "-", "c", "-", "d", "-", "e", "-", "f", "-")
	for name, tc := range map[string]struct {
		b    Report
		want string
	}{
		"none": {base, "No difference."},
		"few":  {report(1, "a", "+", "b", "-"), "may well be chance"},
		"many": {report(1, "a", "+", "b", "+", "c", "+", "d", "+", "e", "+", "f", "+"), "would hardly"},
	} {
		if got := Weigh(base, tc.b).judgement(); !strings.Contains(got, tc.want) {
			t.Errorf("%s: got %q, want %q in it", name, got, tc.want)
		}
	}
}
