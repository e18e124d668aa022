package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"mm/safety"
	"mm/safety/clean"
)

// maxQuestion bounds one line of the questions that are read, in bytes.
const maxQuestion = 4 << 20

// safety is "mm safety": how the program judges, for people and for tests. All
// of it runs the code that the program itself runs, and changes nothing.
func (p program) safety(ctx context.Context, o options, args []string) int {
	var answer func(question []byte) (any, error)
	switch {
	case len(args) == 2 && args[0] == "explain":
		return p.explain(o, args[1])
	case len(args) != 1:
	case args[0] == "judge":
		answer = p.answerJudge
	case args[0] == "resolve":
		answer = answerResolve
	case args[0] == "clean":
		answer = answerClean
	case args[0] == "fetch-check":
		answer = func(q []byte) (any, error) { return answerFetch(ctx, q) }
	}
	if answer == nil {
		return p.usage("mm safety explain 'COMMAND', or judge, resolve, clean, fetch-check with JSON lines on standard input")
	}
	return p.done(answerLines(p.in, p.out, answer))
}

// answerLines reads one JSON object from each line and writes one for each. A
// question that is none gets an answer with an error, and an error at the end.
func answerLines(in io.Reader, out io.Writer, answer func(question []byte) (any, error)) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxQuestion)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	wrong := 0
	for lines.Scan() {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		a, err := answer(lines.Bytes())
		if err != nil {
			wrong++
			a = map[string]string{"error": err.Error()}
		}
		if err := enc.Encode(a); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read questions: %w", err)
	}
	if wrong > 0 {
		return fmt.Errorf("%d questions could not be read", wrong)
	}
	return nil
}

// verdicts are the words for risks.
var verdicts = map[safety.Risk]string{
	safety.Harmless: "readonly", safety.Unproven: "ask", safety.Perilous: "dangerous",
}

type judgeAnswer struct {
	Verdict   string   `json:"verdict"`
	Reasons   []string `json:"reasons"`
	Canonical *string  `json:"canonical"` // of readonly ones
}

// answerJudge judges a command line in the working directory.
func (p program) answerJudge(question []byte) (any, error) {
	var q struct{ Cmd *string }
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	if q.Cmd == nil {
		return nil, errors.New(`a question is {"cmd": "..."}`)
	}
	ws, err := safety.NewWorkspace(".")
	if err != nil {
		return nil, err
	}
	defer func() { _ = ws.Close() }() // nothing was written
	j := safety.JudgeShell(*q.Cmd, ws.ShellEnv(p.getenv))
	a := judgeAnswer{Verdict: verdicts[j.Risk], Reasons: append([]string{}, j.Reasons...)}
	if j.Risk == safety.Harmless {
		a.Canonical = &j.Canonical
	}
	return a, nil
}

type resolveAnswer struct {
	Class  string `json:"class"` // allowed, ask or refused
	Target string `json:"target"`
	Reason string `json:"reason"`
}

// answerResolve says where a path leads, for the project in "cwd".
func answerResolve(question []byte) (any, error) {
	var q struct{ Path, Cwd, Op string }
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	op := safety.Op(q.Op)
	if op != safety.Read && op != safety.Write {
		return nil, errors.New(`a question is {"path": "...", "cwd": "...", "op": "read" or "write"}`)
	}
	if q.Cwd == "" {
		q.Cwd = "."
	}
	ws, err := safety.NewWorkspace(q.Cwd)
	if err != nil {
		return nil, err
	}
	defer func() { _ = ws.Close() }() // nothing was written
	path, err := ws.Resolve(q.Path, op)
	switch {
	case err != nil:
		return resolveAnswer{Class: "refused", Reason: err.Error()}, nil
	case path.Class == safety.Refused:
		return resolveAnswer{"refused", path.Real, path.Reason}, nil
	case path.Class != safety.Inside:
		return resolveAnswer{"ask", path.Real, path.Reason}, nil
	}
	return resolveAnswer{"allowed", path.Real, path.Reason}, nil
}

// answerClean returns a text as the screen gets it.
func answerClean(question []byte) (any, error) {
	var q struct{ Text string }
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	return map[string]string{"text": clean.Block(q.Text).String()}, nil
}

type fetchAnswer struct {
	Allowed bool   `json:"allowed"`
	Code    int    `json:"code"`
	Reason  string `json:"reason"`
}

// answerFetch tells whether a page would be fetched, with a look-up of its
// name and no connection.
func answerFetch(ctx context.Context, question []byte) (any, error) {
	var q struct{ URL string }
	if err := json.Unmarshal(question, &q); err != nil {
		return nil, err
	}
	client, err := safety.NewFetchClient(safety.FetchOptions{})
	if err != nil {
		return nil, err
	}
	err = client.Check(ctx, safety.MendURL(q.URL))
	if fault, ok := errors.AsType[*safety.FetchError](err); ok {
		return fetchAnswer{Code: int(fault.Code), Reason: fault.Reason}, nil
	}
	return fetchAnswer{Allowed: err == nil}, err
}

// explain says how a command line is judged and what would become of it.
func (p program) explain(o options, line string) int {
	cwd, cfg, code := p.load(o)
	if cfg == nil {
		return code
	}
	a := &app{program: p, opts: o, cfg: cfg, cwd: cwd}
	defer a.close()
	ws, err := safety.NewWorkspace(cwd, a.protected()...)
	if err != nil {
		return p.fail(err)
	}
	a.onClose(func() { _ = ws.Close() })
	confined, err := a.confine(ws)
	if err != nil {
		return p.fail(err)
	}
	policy, err := a.policy(ws, front{}, confined)
	if err != nil {
		return p.fail(err)
	}
	j := safety.JudgeShell(line, ws.ShellEnv(p.getenv))
	v := policy.Decide(safety.Action{Tool: "bash", Op: safety.Execute, Command: line, Dir: cwd})
	fmt.Fprintf(p.out, "judged as %s\n", verdicts[j.Risk])
	for _, r := range j.Reasons {
		fmt.Fprintf(p.out, "  because: %s\n", clean.Visible(r))
	}
	for _, words := range safety.Commands(line) {
		fmt.Fprintf(p.out, "  command: %s\n", shown(words))
	}
	if j.Canonical != "" {
		fmt.Fprintf(p.out, "  runs as: %s\n", clean.Visible(j.Canonical))
	}
	will := map[safety.Decision]string{safety.Allow: "it runs unasked", safety.Ask: "it is asked", safety.Deny: "it is refused"}
	fmt.Fprintf(p.out, "in mode %s %s; %s\n", policy.Mode(), will[v.Decision], v.Permit.Tier.Describe())
	return exitOK
}

// shown writes the words of a command, with … for those that only bash knows.
func shown(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = safety.Quote(w); w == "" {
			quoted[i] = "…"
		}
	}
	return clean.Visible(strings.Join(quoted, " ")).String()
}
