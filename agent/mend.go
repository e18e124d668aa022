package agent

import (
	"cmp"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"mm/llm"
)

// handBack tells the model that its call was cut, and how much it may write at
// once. It returns false when there is nothing to hand back, or no more tries.
func (g *generation) handBack(a *answer) bool {
	if len(a.Message.Calls) == 0 && a.unread == "" {
		return false
	}
	name, ok := g.handedBack(a)
	if !ok {
		return false
	}
	said := "did not arrive whole, asked to make it again"
	if a.Finish == llm.FinishLength {
		said = "was cut, asked to write in parts"
		g.note(fmt.Sprintf("Your call of %s was cut off at max_tokens (%d): it did not run, nothing was written. "+
			"Write only the first part now (about %d characters), then add the rest with edit_file, part by part.",
			name, g.opts.Sampling.MaxTokens, g.writeBudget(a.Response)))
	} else {
		g.note(fmt.Sprintf("Your call of %s did not arrive whole and did not run. Make the call again.", name))
	}
	g.repaired(repairedCut, "repaired: a call of %s %s (%d/%d)", name, said, g.handBacks, maxHandBacks)
	return true
}

// handedBack leaves a call that will not run out of the history: its arguments
// would be refused by the server, or fill the context. What the model said
// before it stays; words in its name it would only repeat. It returns the tool's
// name, or false when there are no more tries.
func (g *generation) handedBack(a *answer) (name string, ok bool) {
	if g.handBacks >= maxHandBacks {
		return "", false
	}
	g.handBacks++
	g.keepPartial(a.Response)
	if len(a.Message.Calls) > 0 {
		g.logf("handed back: a call of %q with %q", a.Message.Calls[0].Name, a.Message.Calls[0].Args)
		return cmp.Or(toolName(a.Message.Calls[0].Name), "a tool"), true
	}
	g.logf("handed back: %q", a.unread)
	return cmp.Or(g.toolIn(a.unread), "a tool"), true
}

// Characters of file content that fit into one token, escaped as JSON. With it
// 4,096 tokens give the 6,000 characters of the specification.
const contentPerToken = 1.5

// writeBudget is how many characters of content fit under max_tokens, after
// what the reasoning spent.
func (t *turn) writeBudget(resp llm.Response) int {
	left := t.opts.Sampling.MaxTokens - t.gauge.est.Text(resp.Reasoning)
	return max(500, int(float64(left)*contentPerToken)/500*500)
}

// runawayCall tells the model that its call was stopped for the pattern that
// it fell into. It returns false when there are no more tries.
func (g *generation) runawayCall(a *answer, e *llm.Error) bool {
	name, ok := g.handedBack(a)
	if !ok {
		return false
	}
	g.note(fmt.Sprintf("Your call of %s was stopped and did not run: %s. Make another call, with short arguments.", name, cmp.Or(e.Message, "its arguments had no end")))
	g.repaired(repairedRunaway, "repaired: a call of %s ran away and was cut (%d/%d): %s", name, g.handBacks, maxHandBacks, e.Message)
	return true
}

// stoppedAnswer marks an answer that was stopped, for the model to read.
const stoppedAnswer = "[stopped: the answer repeated itself]"

// runawayAnswer keeps what came of an answer that repeated itself, and ends the
// turn. Reasoning without an answer is tried once more without reasoning.
func (g *generation) runawayAnswer(a *answer, e *llm.Error) (again bool, end *outcome) {
	if a.Message.Text == "" && !g.mending.calmed {
		g.mending.calmed, g.noThinking = true, true
		g.repaired(repairedRunaway, "repaired: the reasoning repeated itself, asked for the answer without it")
		return true, nil
	}
	if a.Message.Text != "" {
		a.Message.Text = joinParagraphs(llm.Unrepeat(a.Message.Text), stoppedAnswer)
		g.keepPartial(a.Response)
	}
	return false, g.fail(e)
}

// overlong treats an answer that the server did not end like one that was cut
// at max_tokens, and says whose fault it is.
func (g *generation) overlong(ctx context.Context, a *answer, e *llm.Error) (again bool, end *outcome) {
	text := explain(e, g.model)
	a.Finish = llm.FinishLength
	if again, end = g.cut(ctx, a); end != nil {
		end.advice = text
		return again, end
	}
	g.emit(Notice{Level: Warn, Text: text})
	return again, nil
}

// announcement matches a last sentence that promises a step, a purpose in
// front of it ("To find out, I will look") included. A first person in the
// middle of a sentence ("the changes I will make") promises nothing.
var announcement = regexp.MustCompile(`(?i)^(to [^,]+, )?(now,? |next,? |first,? |then,? |ok(ay)?,? |so,? )*(i will|i'll|i am going to|i'm going to|i need to|let me|let's|let us) `)

// sentenceEnd is where a sentence ends: a dot within a file's name is none.
var sentenceEnd = regexp.MustCompile("[.?!:…][)*`\"]*(\\s+|$)|\n")

// lack is what an answer without a call lacks.
type lack struct {
	kind RepairKind
	what string // for the user, and for a model that is made to write a call
	note string // for the model

	call   bool // a call is what is lacking
	madeUp bool // what the answer says is not to be read again
}

// lacks looks for what is lacking in an answer without calls: anything at all,
// anything but reasoning, the step that it announces, or the work that was asked
// for. It is nil when the answer stands as it is. An answer that was cut off
// may still be the work itself, but not when it makes up what a call would tell.
func (t *turn) lacks(ctx context.Context, resp llm.Response, cut bool) *lack {
	text := strings.TrimSpace(resp.Message.Text)
	if cut {
		if l := t.lacksWork(ctx); l != nil && l.what != nothingChanged {
			return l
		}
		return nil
	}
	switch {
	case text == "" && resp.Reasoning != "":
		return &lack{
			kind: repairedThought, what: "there was reasoning and no answer", call: t.failed,
			note: "You reasoned and gave no answer: what you think is not read. Call a tool now, or answer in a sentence.",
		}
	case text == "" && t.failed:
		return &lack{
			kind: repairedEmpty, what: "the answer was empty after a call that failed", call: true,
			note: "Your answer was empty, and your last call failed. Do what its result says and make the call again, for what was asked: " + t.quoted(),
		}
	case text == "":
		return &lack{
			kind: repairedEmpty, what: "the answer was empty",
			note: "Your answer was empty. Call a tool now, or answer in a sentence: " + t.quoted(),
		}
	case t.showsCall(text):
		return &lack{
			kind: repairedAnnounced, what: "a call was shown and not made", call: true, madeUp: true,
			note: "You showed a call and did not make it: a call in the middle of a text does not run. Make it now, with no other words.",
		}
	case announcesOnly(text):
		return &lack{
			kind: repairedAnnounced, what: "a step was announced and not taken", call: true,
			note: "You announced a step and did not take it. Call the tool for it now.",
		}
	}
	if l := t.lacksWork(ctx); l != nil {
		return l
	}
	return t.lacksRepair(ctx)
}

// lacksRepair is what a turn lacks that leaves a broken file.
func (t *turn) lacksRepair(ctx context.Context) *lack {
	what := t.broken(ctx)
	if what == "" {
		return nil
	}
	return &lack{kind: repairedBroken, what: what, call: true, note: what + ". Mend it now: read those lines, then call edit_file."}
}

// lacksWork is what a turn lacks whose request nothing was done for.
func (t *turn) lacksWork(ctx context.Context) *lack {
	what := t.undone(ctx)
	if what == "" {
		return nil
	}
	return &lack{
		kind: repairedUndone, what: what, call: true, madeUp: true,
		note: fmt.Sprintf("In this turn %s. If the request is not done, call the tool for its next step now; else answer it in a sentence. The request: %s", what, t.quoted()),
	}
}

// left is what undone and broken say at the end of a turn, of which the lack of
// its answer tells a part.
func (t *turn) left(ctx context.Context, l *lack) (undone, broken string) {
	switch {
	case l == nil:
		return "", ""
	case l.kind == repairedUndone:
		return l.what, t.broken(ctx)
	case l.kind == repairedBroken:
		return "", l.what
	}
	return t.undone(ctx), t.broken(ctx)
}

// mended is what came of an answer that lacks something.
type mended int

const (
	notMended     mended = iota
	called               // the last message has a call now
	askedAgain           // the model is to be called again
	mendCancelled        // the user cancelled
)

// mend gets from the server, or else from the model, what an answer lacks. A
// server that must read the prompt anew to write a call is asked after the model.
func (t *turn) mend(ctx context.Context, l *lack) mended {
	if l == nil || t.steps >= t.opts.MaxTurns {
		return notMended
	}
	told := slices.Contains(t.mending.nudged, l.kind)
	if l.madeUp {
		t.emit(AnswerDoubted{})
	}
	if l.call && (told || constrains[t.model.Provider].keepsTools) {
		got := t.force(ctx, l)
		switch {
		case ctx.Err() != nil:
			return mendCancelled
		case got == written:
			return called
		case got == declined && (l.kind == repairedUndone || l.kind == repairedBroken):
			return notMended // it was asked, and stands by its answer
		}
	}
	if told {
		return notMended
	}
	t.mending.nudged = append(t.mending.nudged, l.kind)
	t.mending.doubted = l.madeUp
	t.note(l.note)
	t.repaired(l.kind, "%s: asked once more", l.what)
	return askedAgain
}

// leaveOut keeps the answers since the last result from being sent, those of the
// turn that end the first n items: they are made up, and a model that reads what
// it made up goes on to make things up.
func (t *turn) leaveOut(n int) {
	items := t.opts.Session.Items
	for i := n - 1; i >= 0 && items[i].Turn == t.number; i-- {
		item := &items[i]
		switch {
		case item.Role == llm.Tool, item.Role == llm.User && !item.Note, len(item.Calls) > 0:
			return
		case item.Role == llm.Assistant && !item.Unsent:
			item.Unsent = true
			t.gauge.freed(t.gauge.est.Text(item.Text))
		}
	}
}

// leaveOutDoubted does so with what the model was asked about, when a call came
// of that. Without one it was an answer.
func (t *turn) leaveOutDoubted() {
	if t.mending.doubted {
		t.leaveOut(len(t.opts.Session.Items) - 1)
	}
	t.mending.doubted = false
}

// fenced matches the blocks of code in a text.
var fenced = regexp.MustCompile("(?s)```.*?```")

// showsCall tells a text with a call of a declared tool in a fence, among words:
// to run it would be a guess, but the model may be asked. Not when the user
// wanted to see one.
func (t *turn) showsCall(text string) bool {
	if t.opts.NoTextCalls || llm.AsksForExample(t.asked) {
		return false
	}
	return slices.ContainsFunc(fenced.FindAllString(text, -1), func(block string) bool {
		_, _, ok := llm.TextCalls(block, t.declared())
		return ok
	})
}

// announcesOnly tells a text whose last sentence promises an action. A
// question to the user, or an offer, promises nothing.
func announcesOnly(text string) bool {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "```") {
		return false
	}
	last := strings.TrimRight(text, ".:!… \n")
	if ends := sentenceEnd.FindAllStringIndex(last, -1); len(ends) > 0 {
		last = last[ends[len(ends)-1][1]:]
	}
	last = strings.ToLower(strings.TrimSpace(last))
	return announcement.MatchString(last) && !strings.Contains(last, "let me know") && !strings.Contains(last, " if you")
}

// cutOff ends the turn after a cut answer that could not be handed back. The
// end of the turn tells why.
func (t *turn) cutOff(a *answer) *outcome {
	t.keepPartial(a.Response)
	limit := t.opts.Sampling.MaxTokens
	var advice string
	switch {
	case a.Finish != llm.FinishLength:
		advice = "the answer ended early (" + cmp.Or(string(a.Finish), "no finish reason") + "): ask again"
	case len(a.Message.Calls) > 0 || a.unread != "":
		advice = fmt.Sprintf("the model hit max_tokens (%d) while writing a tool call: raise sampling.max_tokens, or ask for less at once", limit)
	case a.Message.Text == "":
		advice = fmt.Sprintf("the reasoning used up max_tokens (%d) before any answer: raise sampling.max_tokens, or turn thinking off", limit)
	default:
		advice = fmt.Sprintf("[answer cut off at max_tokens (%d)]: send \"go on\", or raise sampling.max_tokens", limit)
	}
	return &outcome{StopMaxTokens, advice}
}
