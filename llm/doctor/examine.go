package doctor

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"mm/llm"
	"mm/llm/openai"
)

// Options say what to examine.
type Options struct {
	// Client are the options of the client as sessions have them.
	Client openai.Options

	// Why says in a few words how the server was chosen.
	Why string

	// Sampling is that of sessions; its MaxTokens is lowered for the probes.
	Sampling llm.Sampling

	// Reasons says that the model is known to think before it answers.
	Reasons bool

	// Timeout bounds one request; 0 means DefaultTimeout.
	Timeout time.Duration

	// Found, when not nil, gets each finding at once.
	Found func(Finding)
}

// DefaultTimeout bounds one request of an examination.
const DefaultTimeout = 2 * time.Minute

// examination is one run.
type examination struct {
	Options
	ctx    context.Context
	client *openai.Client
	tap    *tap
	info   llm.ModelInfo
	report Report
	tools  bool // the model was able to call a tool
}

// Server examines the server. It sends three requests or four, and nothing of
// the user's.
func Server(ctx context.Context, o Options) Report {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	base, done := transport(o.Client)
	defer done()
	e := &examination{Options: o, ctx: ctx, tap: &tap{base: base}}
	o.Client.HTTPClient = &http.Client{Transport: e.tap}
	e.client = openai.New(o.Client)
	e.info = llm.ModelInfo{Provider: o.Client.Provider, BaseURL: e.client.BaseURL(), ID: o.Client.Model}
	if e.server() {
		e.window()
		if e.toolCall() {
			e.cache()
		}
	}
	return e.report
}

// transport is that of the given client, or one of the same behaviour as the
// client's own towards local servers, and what ends its use.
func transport(o openai.Options) (base http.RoundTripper, done func()) {
	if o.HTTPClient != nil && o.HTTPClient.Transport != nil {
		return o.HTTPClient.Transport, func() {}
	}
	own := &http.Transport{Proxy: http.ProxyFromEnvironment, DisableCompression: true}
	return own, own.CloseIdleConnections
}

func (e *examination) add(f Finding) {
	e.report.Findings = append(e.report.Findings, f)
	if e.Found != nil {
		e.Found(f)
	}
}

// server asks for the models, which tells whether anything answers.
func (e *examination) server() bool {
	ctx, cancel := context.WithTimeout(e.ctx, e.Timeout)
	defer cancel()
	models, err := e.client.Names(ctx)
	if err == nil {
		e.info, err = e.client.Info(ctx)
	}
	where := e.client.Provider() + " at " + Redact(e.client.BaseURL())
	if e.Why != "" {
		where += " (" + e.Why + ")"
	}
	if err != nil {
		e.add(Finding{Area: "server", Status: Broken, Text: where + " does not answer as it should", Advice: e.explain(err)})
		return false
	}
	e.add(Finding{Area: "server", Status: OK, Text: where})
	f := Finding{Area: "model", Status: OK, Text: e.info.ID, Figures: map[string]float64{"served": float64(len(models))}}
	if len(models) > 1 {
		f.Text += fmt.Sprintf(" (%d are served)", len(models))
	}
	if len(models) > 0 && !slices.Contains(models, e.info.ID) {
		f.Status, f.Advice = Warning, "the server lists "+list(models)+": set model to one of them"
	}
	e.add(f)
	return true
}

// list names a few models.
func list(models []string) string {
	const most = 5
	if len(models) > most {
		return strings.Join(models[:most], ", ") + ", ..."
	}
	return strings.Join(models, ", ")
}

// Windows in tokens. The first request of a session has some 2,000, and one
// file with its edit takes as much again.
const (
	windowLeast = 4096
	windowGood  = 8192
)

// window says how large the context window is.
func (e *examination) window() {
	n := e.info.ContextWindow
	f := Finding{Area: "window", Status: OK, Figures: map[string]float64{"tokens": float64(n)}}
	f.Text = fmt.Sprintf("%d tokens (%s)", n, e.info.WindowSource)
	switch {
	case n == 0:
		f.Status, f.Text = Warning, "the server does not tell its context window"
		f.Advice = "set contextWindow to what the server was started with"
	case e.info.WindowIsMaximum:
		f.Status, f.Text = Warning, f.Text+": what the model can take, the server may give less"
		f.Advice = "set contextWindow to what the server gives; " + llm.RaiseWindow(e.info)
	case n < windowLeast:
		f.Status, f.Advice = Broken, fmt.Sprintf("too small to work in: %d at least; %s", windowLeast, llm.RaiseWindow(e.info))
	case n < windowGood:
		f.Status, f.Advice = Warning, fmt.Sprintf("small: a few files fill it; %d or more is better; %s", windowGood, llm.RaiseWindow(e.info))
	}
	e.add(f)
}

// answer is what a probe got.
type answer struct {
	llm.Response
	fields
	firstAfter time.Duration // until the first sign of an answer
	took       time.Duration
	wrote      time.Duration // from the first sign to the end
}

// ask sends one request and reads its answer to the end.
func (e *examination) ask(req llm.Request) (answer, error) {
	ctx, cancel := context.WithTimeout(e.ctx, e.Timeout)
	defer cancel()
	var a answer
	start := time.Now()
	for delta, err := range e.client.Stream(ctx, req) {
		if err != nil {
			if ctx.Err() != nil && e.ctx.Err() == nil {
				err = &llm.Error{Kind: llm.NoAnswer, Message: fmt.Sprintf("more than %v", e.Timeout)}
			}
			return a, err
		}
		switch d := delta.(type) {
		case llm.TextDelta, llm.ReasoningDelta, llm.CallDelta:
			if a.firstAfter == 0 {
				a.firstAfter = time.Since(start)
			}
		case llm.Done:
			a.Response = d.Response
		}
	}
	a.took = time.Since(start)
	a.wrote = a.took - a.firstAfter
	a.fields = e.tap.seen()
	return a, nil
}

// explain is one line on an error.
func (e *examination) explain(err error) string {
	if errors.Is(err, context.DeadlineExceeded) {
		err = &llm.Error{Kind: llm.NoAnswer, Message: fmt.Sprintf("more than %v", e.Timeout)}
	}
	info := e.info
	info.BaseURL = Redact(info.BaseURL)
	return llm.Explain(err, info)
}

// Redact takes a password out of an address.
func Redact(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address that is not valid"
	}
	u.RawQuery = ""
	return u.Redacted()
}

// probeTool is the tool of the probes. The answer to the task is in it, so that
// a model of any size knows what to pass.
var probeTool = llm.ToolSpec{
	Name:        "report_number",
	Description: "Report a number to the user.",
	Schema:      json.RawMessage(`{"type":"object","properties":{"number":{"type":"integer","enum":[7,8,9],"description":"the number to report"}},"required":["number"]}`),
}

// probeNumber is what the model is asked to report.
const probeNumber = 7
