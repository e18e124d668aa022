package doctor

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"mm/llm"
	"mm/llm/openai"
)

// maxTokens of the probe for a tool call: a call takes thirty, the rest is for
// a model that thinks.
const maxTokens = 1024

// toolCall has the model make a call, as sessions do, and reports whether the
// server answered at all.
func (e *examination) toolCall() bool {
	req := llm.Request{
		Messages: []llm.Message{
			{Role: llm.System, Text: "You work with tools. Do what the user asks by calling a tool."},
			{Role: llm.User, Text: fmt.Sprintf("Call the tool %s with the number %d.", probeTool.Name, probeNumber)},
		},
		Tools:    []llm.ToolSpec{probeTool},
		Sampling: e.sampling(maxTokens),
	}
	a, err := e.ask(req)
	thought := err == nil && len(a.Message.Calls) == 0 && a.Finish == llm.FinishLength && a.Reasoning != ""
	first := a
	if thought {
		req.NoThinking = true
		a, err = e.ask(req)
	}
	if err != nil {
		return e.refused(err)
	}
	f := e.judgeCall(a)
	if thought && f.Status == OK {
		f.Status, f.Text = Warning, f.Text+fmt.Sprintf(", but only with thinking off: it thought for %d tokens without end", maxTokens)
		f.Advice = "give it more room with sampling.max_tokens, or set thinkingBudget"
	}
	e.add(f)
	e.reasoning(first)
	e.usage(a)
	e.progress(a)
	e.speed(a)
	return true
}

// refused explains a request that failed. Without tools the server may work.
func (e *examination) refused(err error) bool {
	fault, ok := errors.AsType[*llm.Error](err)
	if ok && fault.Kind == llm.NoToolSupport {
		e.add(Finding{Area: "tool calls", Status: Broken, Text: "the model cannot call tools here", Advice: e.explain(err)})
		return false
	}
	e.add(Finding{Area: "answers", Status: Broken, Text: "a small request failed", Advice: e.explain(err)})
	return false
}

// judgeCall says how the call came.
func (e *examination) judgeCall(a answer) Finding {
	f := Finding{Area: "tool calls", Status: OK}
	calls := a.Message.Calls
	switch found, _, ok := llm.TextCalls(a.Message.Text, []llm.ToolSpec{probeTool}); {
	case len(calls) > 0 && calls[0].Name != probeTool.Name:
		f.Status, f.Text = Warning, fmt.Sprintf("the model called %q, which does not exist", calls[0].Name)
		f.Advice = "mm tells the model and goes on; a larger model errs less"
	case len(calls) > 0 && !rightArgs(calls[0].Args):
		f.Status, f.Text = Warning, "a call came, with wrong arguments: "+short(calls[0].Args)
		f.Advice = "mm repairs what it can; a larger model errs less"
	case len(calls) > 0:
		e.tools = true
		f.Text = "a call came back with the right arguments"
		if a.callParts == 1 {
			f.Text += ", whole in one piece"
		}
	case ok && len(found) > 0:
		e.tools = true
		f.Status, f.Text = Warning, "the call came as text: mm finds it (textCalls)"
		f.Advice = callAdvice(e.info.Provider)
	default:
		f.Status, f.Text = Warning, "the model answered in words and made no call: "+short(a.Message.Text)
		f.Advice = "a model of 3B parameters or more that was trained on tools; " + callAdvice(e.info.Provider)
	}
	if e.info.NoTools && f.Status != OK {
		f.Text = "the model's chat template drops tools; " + f.Text
	}
	return f
}

// callAdvice says what makes a server read its model's calls.
func callAdvice(provider string) string {
	switch provider {
	case openai.LlamaCpp:
		return "check that llama-server runs with --jinja; a --chat-template-file made for this model may help"
	case openai.VLLM:
		return "start vllm with --enable-auto-tool-choice --tool-call-parser PARSER"
	}
	return "a newer version of the server may read this model's calls"
}

func rightArgs(args string) bool {
	var v struct{ Number int }
	return json.Unmarshal([]byte(args), &v) == nil && v.Number == probeNumber
}

// short is the beginning of a text, on one line.
func short(s string) string {
	const most = 60
	s = strings.Join(strings.Fields(s), " ")
	if s == "" {
		return "(nothing)"
	}
	if r := []rune(s); len(r) > most {
		return fmt.Sprintf("%q…", string(r[:most]))
	}
	return fmt.Sprintf("%q", s)
}

// reasoning says where thoughts come.
func (e *examination) reasoning(a answer) {
	f := Finding{Area: "reasoning", Status: OK}
	switch {
	case a.reasoningContent:
		f.Text = "comes apart, in reasoning_content"
	case a.fields.reasoning:
		f.Text = "comes apart, in reasoning"
	case a.thinkTags:
		f.Status, f.Text = Warning, "comes in the answer, between <think> tags: mm takes it out"
		f.Advice = reasoningAdvice(e.info.Provider)
	case e.Reasons:
		f.Text = "none came, though this model is known to think: it may be off for short questions"
	default:
		f.Text = "none: the model answers at once"
	}
	e.add(f)
}

func reasoningAdvice(provider string) string {
	switch provider {
	case openai.LlamaCpp:
		return "llama-server --reasoning-format auto keeps it apart"
	case openai.VLLM:
		return "vllm --reasoning-parser PARSER keeps it apart"
	}
	return "no harm, but a newer version of the server may keep it apart"
}

// usage says whether tokens are counted.
func (e *examination) usage(a answer) {
	f := Finding{Area: "usage", Status: OK, Text: "tokens are counted, those from the cache too"}
	switch {
	case !a.fields.usage || a.Usage.Prompt == 0:
		f.Status, f.Text = Warning, "the server counts no tokens: the context gauge is an estimate"
		f.Advice = "a newer version of the server may count them"
	case !a.cached:
		f.Text = "tokens are counted, those from the cache are not told"
	}
	e.add(f)
}

// progress says whether the reading of the prompt is shown.
func (e *examination) progress(a answer) {
	f := Finding{Area: "progress", Status: OK, Text: "the reading of the prompt is told"}
	if !a.progress {
		f.Text = "the reading of the prompt is not told; llama-server alone does"
		if e.info.Provider == openai.LlamaCpp {
			f.Status, f.Text, f.Advice = Warning, "the reading of the prompt is not told", "a newer llama-server tells it"
		}
	}
	e.add(f)
}

// slow is where work becomes a wait, in tokens per second: a file of fifty
// lines takes two minutes to write.
const slow = 5

// speed gives the server's figures, or what was measured here.
func (e *examination) speed(a answer) {
	reads, writes, whose := a.Speed.PromptPerSecond, a.Speed.CompletionPerSecond, "by the server's clock"
	if writes == 0 && a.Usage.Completion > 1 && a.wrote > 0 {
		writes, whose = float64(a.Usage.Completion)/a.wrote.Seconds(), "measured here"
	}
	f := Finding{Area: "speed", Status: OK, Figures: map[string]float64{"writes": writes}}
	if writes == 0 {
		f.Status, f.Text = OK, fmt.Sprintf("one short answer in %.1f s", a.took.Seconds())
		e.add(f)
		return
	}
	f.Text = fmt.Sprintf("writes %.0f tokens/s (%s)", writes, whose)
	if reads > 0 {
		f.Text = fmt.Sprintf("reads %.0f tokens/s, %s", reads, f.Text)
		f.Figures["reads"] = reads
	}
	if writes < slow {
		f.Status, f.Advice = Warning, "slow: a smaller model, a smaller quantization, or layers on a GPU"
	}
	e.add(f)
}

func (e *examination) sampling(most int) llm.Sampling {
	s := e.Sampling
	s.MaxTokens = most
	return s
}
