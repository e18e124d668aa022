package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mm/agent/session"
	"mm/llm"
)

// Context says when the history is masked and compacted. The first three are
// shares of the window.
type Context struct {
	Enabled                   bool
	MaskAt, MaskTo, CompactAt float64
	MaskAfterTurns            int // turns whose results stay
	KeepLastTurns             int // turns that a compaction leaves alone
	SummaryMaxTokens          int
	MaxMessages               int // compaction's trigger when the window is unknown
}

const (
	// compactGain is how much smaller a summary must be than what it
	// replaces, as a share.
	compactGain = 0.8

	// compactTries is how many useless compactions in a row pause it.
	compactTries = 2
)

const summaryIntro = "[summary of the conversation so far]\n"

// summaryRequest asks for the summary. The headings are fixed, so that a later
// compaction can update it.
const summaryRequest = `Summarise the conversation above, so that the work can go on without it. Do not call tools, do not answer the user. Write only this, briefly, with exact names, paths and figures:

GOAL: what the user asked for, in the user's own words
DONE: what was done, and what came of it
FILES TOUCHED: each path, and what changed in it
FACTS FOUND: what was learnt that the rest of the work needs
REMAINING: what is still to do`

const summaryUpdate = `

The conversation begins with an earlier summary: keep what still holds in it, and bring it up to date. Leave out its RECORD, which is kept by itself.`

// compaction is what came of a try to compact.
type compaction struct {
	changed bool
	tried   bool   // there was something to compact
	line    string // for the user
	usage   llm.Usage
}

// failed tells the user that the history is as it was.
func (c compaction) failed() Compacted { return Compacted{Line: c.line, Usage: c.usage} }

// fit makes room in the window before a call of the model, from cheap to
// dear: masking, compaction, masking of the running turn.
func (t *turn) fit(ctx context.Context) {
	o := t.opts.Context
	if !o.Enabled {
		return
	}
	if t.gauge.limit == 0 {
		if o.MaxMessages > 0 && len(t.opts.Session.Items) > o.MaxMessages {
			t.compactUnasked(ctx)
		}
		return
	}
	t.warnAboutFixed()
	if t.over(o.MaskAt) {
		t.maskOld(t.number, maskBatch)
	}
	if !t.over(o.CompactAt) {
		return
	}
	t.compactUnasked(ctx)
	if t.over(o.CompactAt) {
		t.maskNow()
	}
}

// over tells whether the use of the window passes a share of it.
func (t *turn) over(share float64) bool {
	return float64(t.gauge.used()) > share*float64(t.gauge.limit)
}

// warnAboutFixed says, once, that the system prompt and the tools alone fill
// the window: no compaction can help.
func (t *turn) warnAboutFixed() {
	fixed := t.fixed()
	if t.fixedSaid || float64(fixed) <= t.opts.Context.CompactAt*float64(t.gauge.limit) {
		return
	}
	t.fixedSaid = true
	t.emit(Notice{Level: Warn, Text: fmt.Sprintf("the system prompt and the tools alone take about %d of %d tokens: turn tools off (planTool, searchTools, fetchContentTool), or serve the model with a larger window", fixed, t.gauge.limit)})
}

// fixed estimates what the system prompt and the tools take, in tokens.
func (t *turn) fixed() int {
	return t.gauge.est.Request(llm.Request{Messages: Outgoing(t.opts.System, nil), Tools: t.toolSpecs()})
}

// compactUnasked compacts unless the last tries were useless.
func (t *turn) compactUnasked(ctx context.Context) {
	if t.useless >= compactTries {
		return
	}
	result := t.compact(ctx)
	switch {
	case ctx.Err() != nil || !result.tried:
		return
	case result.changed:
		t.useless = 0
		return
	}
	t.emit(result.failed())
	if t.useless++; t.useless == compactTries {
		t.emit(Notice{Level: Warn, Text: "compaction did not help and is paused for this session; /compact tries again, /new starts afresh"})
	}
}

// compactAsked is the user's /compact: thresholds are ignored.
func (c *Core) compactAsked(ctx context.Context) {
	defer c.opts.TurnLock.take(ctx)()
	c.useless = 0
	t := &turn{Core: c, number: c.lastTurn()}
	c.knowModel(ctx)
	if result := t.compact(ctx); !result.changed {
		c.emit(result.failed())
	}
}

// compact replaces the turns before the last keepLastTurns by one summary. It
// emits Compacted when the history changed. An empty, failed or useless
// summary changes nothing.
func (t *turn) compact(ctx context.Context) compaction {
	items := t.opts.Session.Items
	cut := t.cut(items)
	old, kept := items[:cut], items[cut:]
	if cut == 0 || (cut == 1 && old[0].Summary) {
		return compaction{line: fmt.Sprintf("nothing to compact: %d message(s), no turn older than the last %d", len(items), t.opts.Context.KeepLastTurns)}
	}
	started := time.Now()
	summary, usage, err := t.summarise(ctx, old)
	if err != nil {
		return compaction{tried: true, usage: usage, line: fmt.Sprintf("[compact: failed, history kept: %s]", explain(err, t.model))}
	}
	before := t.gauge.est.Request(llm.Request{Messages: Outgoing("", old)})
	most := int(compactGain * float64(before))
	room := min(t.recordRoom(), most-t.gauge.est.Text(summaryIntro+summary)-1)
	record := fitted(recorded(old), &t.gauge.est, room)
	summary = joinParagraphs(summary, recordText(record))
	item := session.Item{
		Message: llm.Message{Role: llm.User, Text: summaryIntro + summary},
		Turn:    old[len(old)-1].Turn,
		Summary: true,
		Record:  record,
		Usage:   usage,
	}
	after := t.gauge.est.Text(item.Text)
	if after > most {
		return compaction{tried: true, usage: usage, line: fmt.Sprintf("[compact: failed, history kept: the summary is no shorter than what it replaces (%d tokens for %d)]", after, before)}
	}
	t.opts.Session.Items = append([]session.Item{item}, kept...)
	t.gauge.freed(before - after)
	t.cold = true
	t.save()
	line := fmt.Sprintf("compressed %d messages → 1 summary + %d kept (%d tokens, %.1fs)", len(old), len(kept), after, time.Since(started).Seconds())
	t.emit(Compacted{Changed: true, Line: line, Summary: summary, Before: len(items), After: len(t.opts.Session.Items), Usage: usage})
	t.emit(t.gauge.event())
	return compaction{changed: true, tried: true, line: line}
}

// recordRoom is how many tokens the record of a summary may take.
func (t *turn) recordRoom() int {
	if t.gauge.limit == 0 {
		return t.opts.Context.SummaryMaxTokens
	}
	return min(t.opts.Context.SummaryMaxTokens, int(recordShare*float64(max(0, t.gauge.limit-t.fixed()))))
}

// cut is the index of the first item that a compaction keeps: the cut falls
// between whole turns, and before the one that runs.
func (t *turn) cut(items []session.Item) int {
	keep, turns := t.opts.Context.KeepLastTurns, 0
	if !t.started.IsZero() {
		keep = max(1, keep)
	}
	for i := len(items) - 1; i >= 0; i-- {
		if i == len(items)-1 || items[i].Turn != items[i+1].Turn {
			turns++
		}
		if turns > keep {
			return i + 1
		}
	}
	return 0
}

// summarise asks the model for a summary. On llama.cpp the tools stay in the
// request with the choice "none", so that the cached prefix holds; elsewhere a
// small model that is offered tools calls them in place of writing.
func (t *turn) summarise(ctx context.Context, old []session.Item) (string, llm.Usage, error) {
	ask := summaryRequest
	if old[0].Summary {
		ask += summaryUpdate
	}
	req := llm.Request{
		Messages:   append(t.outgoing(old), llm.Message{Role: llm.User, Text: ask}),
		Sampling:   t.opts.Sampling,
		NoThinking: true,
		Patient:    true,
	}
	if last := len(req.Messages) - 2; req.Messages[last].Role == llm.User {
		req.Messages[last].Text = joinParagraphs(req.Messages[last].Text, ask)
		if req.Messages[last].Text == goOn+"\n\n"+ask {
			req.Messages[last].Text = ask // Outgoing ended on an answer
		}
		req.Messages = req.Messages[:last+1]
	}
	req.Sampling.MaxTokens = t.opts.Context.SummaryMaxTokens
	if t.model.Provider == "llamacpp" {
		req.Tools, req.ToolChoice = t.toolSpecs(), "none"
	}
	resp, err := t.ask(ctx, req)
	text := withoutRecord(resp.Message.Text)
	if err == nil && text == "" {
		err = errors.New("the summary is empty")
	}
	return text, resp.Usage, err
}

// ask makes a call of the model that is no part of the conversation. It shows
// as a step.
func (t *turn) ask(ctx context.Context, req llm.Request) (llm.Response, error) {
	t.emit(Notice{Level: Info, Text: "summarising the conversation to make room"})
	for delta, err := range t.opts.Model.Stream(ctx, req) {
		if err != nil {
			return llm.Response{}, err
		}
		switch d := delta.(type) {
		case llm.Progress:
			t.emit(PromptProgress{Step: t.steps, Done: d.Processed, Total: d.Total, Cached: d.Cached, Elapsed: d.Elapsed})
		case llm.Done:
			t.usage.Add(d.Response.Usage)
			return d.Response, nil
		}
	}
	return llm.Response{}, errors.New("the answer ended early")
}

// overflowed makes room after the server refused a request as too large. It
// returns false when nothing could be done.
func (t *turn) overflowed(ctx context.Context, e *llm.Error) bool {
	if e.ContextWindow > 0 {
		t.gauge.limit = e.ContextWindow
	}
	if e.PromptTokens > 0 {
		t.gauge.counted(llm.Usage{Prompt: e.PromptTokens})
	}
	before := t.gauge.used()
	t.maskOld(t.number, 0)
	if result := t.compact(ctx); result.tried && !result.changed {
		t.emit(result.failed())
	}
	if t.gauge.limit == 0 || t.over(t.opts.Context.CompactAt) {
		t.maskNow()
	}
	if t.gauge.limit > 0 && t.gauge.used() >= t.gauge.limit {
		t.cutOutputs()
	}
	return t.gauge.used() < before
}

// fullShare is how much of the window a prompt may take after the results in it
// were cut: the rest is for the answer.
const fullShare = 0.9

// cutOutputs has less sent of what alone is too large: results that no masking
// may take, since the model has not read them yet. All are cut to one length,
// which is halved until the window holds them.
func (t *turn) cutOutputs() {
	items := t.opts.Session.Items
	// In characters, so about a quarter of the window in tokens.
	for room := t.gauge.limit; room >= maskLeast && t.over(fullShare); room /= 2 {
		for i := range items {
			item := &items[i]
			if item.Role != llm.Tool || item.Masked || len(item.Text) <= room || item.Cut > 0 && item.Cut <= room {
				continue
			}
			before := t.itemTokens(*item)
			item.Cut = room
			t.gauge.freed(before - t.itemTokens(*item))
		}
	}
}

// shortened keeps the head and the tail of a text that is longer than room, in
// characters.
func shortened(text string, room int) string {
	runes := []rune(text)
	if len(runes) <= room {
		return text
	}
	return string(runes[:room/2]) + fmt.Sprintf("\n[... %d characters left out: the context window is too small for them ...]\n", len(runes)-room) + string(runes[len(runes)-room/2:])
}
