package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"mm/llm"
)

// salvageLeast is how many lines of a file must have arrived for the rest to be
// asked for.
const salvageLeast = 20

// draft is a call that was cut in the middle of a file: what has arrived of it,
// kept in memory.
type draft struct {
	tool, path string
	cut        llm.CutString
	text       string // whole lines
	asks       bool   // going on in the model's own text went wrong
	endsBare   bool   // the text that it replaces has no line break at its end
	parts      int    // answers that it is made of
}

// draftOf returns the draft in a cut answer.
func (c *Core) draftOf(resp llm.Response) (draft, bool) {
	if resp.Finish == llm.FinishNone || len(resp.Message.Calls) != 1 || c.opts.Repairs.NoSalvage {
		return draft{}, false
	}
	call := resp.Message.Calls[0]
	cut, ok := llm.FindCut(call.Args)
	if !ok {
		return draft{}, false
	}
	arrived := cut.Value[:strings.LastIndexByte(cut.Value, '\n')+1]
	if strings.Count(arrived, "\n") < salvageLeast {
		return draft{}, false
	}
	d := draft{cut: cut, text: arrived, parts: 1}
	tool, valid, _, err := c.opts.Tools.Resolve(call.Name, cut.With(d.text))
	if err != nil {
		return draft{}, false
	}
	f, ok := fileOf(tool.Spec().Name, valid)
	d.tool, d.path = tool.Spec().Name, f.path
	d.endsBare = f.old != "" && !strings.HasSuffix(f.old, "\n")
	return d, ok && f.path != "" && f.text == d.text
}

// file is what a call writes: the content of a write_file, or the new text of
// an edit_file with one edit and the text that it replaces.
type file struct{ path, text, old string }

func fileOf(tool string, args json.RawMessage) (file, bool) {
	var a struct {
		Path    string
		Content string
		Edits   []struct{ Old, New string }
	}
	if json.Unmarshal(args, &a) != nil {
		return file{}, false
	}
	switch {
	case tool == "write_file":
		return file{path: a.Path, text: a.Content}, true
	case tool == "edit_file" && len(a.Edits) == 1:
		return file{path: a.Path, text: a.Edits[0].New, old: a.Edits[0].Old}, true
	}
	return file{}, false
}

func (c *Core) salvageable(resp llm.Response) bool {
	_, ok := c.draftOf(resp)
	return ok
}

// salvage finishes a file whose call was cut: the model writes the rest as
// plain text, as often as it takes, and the whole becomes one call. It returns
// false when there is nothing to finish or the rest went wrong; the draft is
// then dropped, and nothing was written.
func (g *generation) salvage(ctx context.Context, a *answer) bool {
	d, ok := g.draftOf(a.Response)
	if !ok || g.mending.unfinished {
		return false
	}
	g.mending.unfinished = true // until it is finished
	limit := g.opts.Repairs.SalvageCalls
	if limit <= 0 {
		limit = defaultSalvageCalls
	}
	for range limit {
		whole, ok := g.continued(ctx, &d)
		if !ok {
			return false
		}
		if whole {
			return g.finished(a, d)
		}
	}
	g.logf("salvage: %s is not finished after %d calls", d.path, limit)
	return false
}

// continued asks for the next part of a draft. whole says that the file ends
// with it.
func (g *generation) continued(ctx context.Context, d *draft) (whole, ok bool) {
	if g.model.Provider == "llamacpp" && !d.asks {
		if whole, ok := g.goOn(ctx, d); ok || ctx.Err() != nil {
			return whole, ok
		}
		d.asks = true
	}
	return g.askRest(ctx, d)
}

// goOn has the model go on in its own text: the draft is sent as the beginning
// of its answer.
func (g *generation) goOn(ctx context.Context, d *draft) (whole, ok bool) {
	s := seam{path: d.path, draft: d.text}
	note, begun := s.prefill()
	resp, ok := g.part(ctx, d, llm.Request{
		Messages: append(g.withTail(note), llm.Message{Role: llm.Assistant, Text: begun}),
		Continue: true,
	})
	if !ok {
		return false, false
	}
	text, ended := s.untilFence(strings.TrimPrefix(resp.Message.Text, begun))
	whole = resp.Complete || ended
	return whole, g.joined(d, resp, func() (string, bool) { return s.append(text, whole) })
}

// askRest asks for the rest in a new message. The draft is cut back to a place
// where a new piece of it begins.
func (g *generation) askRest(ctx context.Context, d *draft) (whole, ok bool) {
	d.text = settled(d.text)
	resp, ok := g.part(ctx, d, llm.Request{Messages: g.withTail(d.request())})
	if !ok {
		return false, false
	}
	return resp.Complete, g.joined(d, resp, func() (string, bool) {
		return seam{path: d.path, draft: d.text}.join(g.restIn(resp), resp.Complete)
	})
}

// part makes a call of the model for the next part: without reasoning, and
// without tools to be called. It returns false when there is no part.
func (g *generation) part(ctx context.Context, d *draft, req llm.Request) (llm.Response, bool) {
	req.Sampling, req.NoThinking = g.opts.Sampling, true
	if constrains[g.model.Provider].keepsTools {
		req.Tools, req.ToolChoice = g.toolSpecs(), "none"
	}
	resp, err := g.aside(ctx, req, fmt.Sprintf("writing %s, part %d", d.path, d.parts+1))
	if err != nil {
		g.logf("salvage: %v", err)
		return resp, false
	}
	return resp, resp.Complete || resp.Finish == llm.FinishLength
}

// joined puts a part behind the draft.
func (g *generation) joined(d *draft, resp llm.Response, join func() (string, bool)) bool {
	text, ok := join()
	if !ok {
		g.logf("salvage: this does not continue %s: %q", d.path, resp.Message.Text)
		return false
	}
	d.text = text
	d.parts++
	return true
}

// restIn is the rest of a file in an answer: its text, or what a call of the
// same tool would write that the model made of it all the same.
func (g *generation) restIn(resp llm.Response) string {
	text := resp.Message.Text
	calls, _, ok := llm.TextCalls(text, g.declared())
	if cut, isCut := llm.CutCall(text, g.declared()); isCut {
		found, _ := llm.FindCut(cut.Args)
		return found.Value
	}
	if !ok || len(calls) != 1 {
		return text
	}
	tool, valid, _, err := g.opts.Tools.Resolve(calls[0].Name, calls[0].Args)
	if err != nil {
		return text
	}
	if f, ok := fileOf(tool.Spec().Name, valid); ok {
		return f.text
	}
	return text
}

// request asks for the rest.
func (d *draft) request() string {
	lines := splitLines(d.text)
	last := lines[max(0, len(lines)-seamLines):]
	return fmt.Sprintf("Your call of %s for %s was cut off: its first %d lines have arrived and are kept. These are the last of them:\n"+
		linesBegin+"%s"+linesEnd+
		"Continue %s exactly after them. Answer with the rest of the text only: no tool call, no explanation, no code fence around it, no line twice.",
		d.tool, d.path, len(lines), strings.Join(last, ""), d.path)
}

// finished makes one whole call of the answer.
func (g *generation) finished(a *answer, d draft) bool {
	if d.endsBare {
		d.text = strings.TrimSuffix(d.text, "\n")
	}
	call := &a.Message.Calls[0]
	args := d.cut.With(d.text)
	if _, _, _, err := g.opts.Tools.Resolve(call.Name, args); err != nil {
		g.logf("salvage: %v", err)
		return false
	}
	g.gauge.grew(g.gauge.est.Text(args) - a.Usage.Completion)
	call.Args = args
	a.Complete, a.Finish = true, llm.FinishCalls
	g.match(a)
	g.mending.unfinished = false
	made := fmt.Sprintf("%s: %d lines to %s, written in %d parts", d.tool, strings.Count(strings.TrimSuffix(d.text, "\n"), "\n")+1, d.path, d.parts)
	if g.mending.notes == nil {
		g.mending.notes = map[CallID]string{}
	}
	g.mending.notes[a.ids[0]] = made
	g.repaired(repairedCut, "repaired: a call of %s was cut and finished in %d parts", d.tool, d.parts)
	return true
}

// noted puts what was done for a call in front of its other notes.
func (t *turn) noted(id CallID, notes []string) []string {
	if note := t.mending.notes[id]; note != "" {
		return append([]string{note}, notes...)
	}
	return notes
}
