package agent

import (
	"context"
	"errors"

	"mm/llm"
)

// How often a model call is repeated for one answer, per kind of trouble.
const (
	maxHandBacks = 2 // notes about a cut call
	maxRetries   = 1 // repeats of a call that failed in mid-stream
	maxOverflows = 1 // repeats after the prompt did not fit and room was made
	maxReshapes  = 3 // repeats after the template refused the messages
)

// request is what differs from one call of the model to another.
type request struct {
	noTools    bool // tools are still declared, so that the prefix holds
	noThinking bool
	noStream   bool
}

// generation is the work on one usable answer: as many calls of the model as
// that takes, with what was tried so far.
type generation struct {
	*turn
	request

	handBacks, retries, overflows, reshapes int
}

// generate calls the model until an answer is usable, with the repairs that
// code can make on the way. The usable answer is in the history when generate
// returns. end is set when the turn is over.
func (t *turn) generate(ctx context.Context) (llm.Response, *outcome) {
	return t.generateWith(ctx, request{})
}

func (t *turn) generateWith(ctx context.Context, r request) (resp llm.Response, end *outcome) {
	g := generation{turn: t, request: r}
	for {
		t.fit(ctx)
		a, err := t.stream(ctx, g.request)
		if err == nil && a.lost() {
			err = &llm.Error{Kind: llm.Disconnected, Message: "the answer ended without its end"}
		}
		again := false
		switch {
		case ctx.Err() != nil:
		case err != nil:
			again, end = g.failed(ctx, a, err)
		case a.blind:
			again, end = g.readInPart(ctx, a)
		case !a.Complete:
			again, end = g.cut(ctx, a)
		default:
			again, end = g.whole(ctx, a)
		}
		switch {
		case ctx.Err() != nil:
			t.keepPartial(a.Response)
			return a.Response, &outcome{stop: StopCancelled}
		case again:
			continue
		case end == nil:
			t.keep(a)
		}
		return a.Response, end
	}
}

// whole looks at an answer that arrived whole. It is kept, unless the call of
// the model is made again or the turn ends.
func (g *generation) whole(ctx context.Context, a *answer) (again bool, end *outcome) {
	if a.unread != "" {
		g.unreadable(a)
		return true, nil
	}
	return false, g.mendArgs(ctx, a)
}

// lost reports whether an answer broke off, or what it was meant to be did not
// arrive.
func (a *answer) lost() bool {
	return !a.Complete && (a.Finish == llm.FinishNone ||
		a.Finish == llm.FinishCalls && len(a.Message.Calls) == 0 && a.unread == "")
}

// cut looks at an answer that did not arrive whole: none of its calls may run
// as they are. A text stands, though junk was among it.
func (g *generation) cut(ctx context.Context, a *answer) (again bool, end *outcome) {
	if a.Finish == llm.FinishStop && a.Message.Text != "" && len(a.Message.Calls) == 0 && a.unread == "" {
		g.emit(Notice{Level: Warn, Text: "a part of the answer could not be read: the server sent something that is no JSON"})
		return false, nil
	}
	if g.noTools {
		return false, g.cutOff(a)
	}
	if g.salvage(ctx, a) {
		return false, g.mendArgs(ctx, a)
	}
	g.drop(a)
	if ctx.Err() == nil && g.handBack(a) {
		return true, nil
	}
	return false, g.cutOff(a)
}

// failed looks at a call of the model that ended in an error. What came of the
// answer is kept when the turn ends with it.
func (g *generation) failed(ctx context.Context, a *answer, err error) (again bool, end *outcome) {
	if errors.Is(err, errAnswerNow) {
		g.noThinking = true
		g.emit(Notice{Level: Info, Text: "the reasoning was ended: asking for the answer without it"})
		return true, nil
	}
	e, typed := errors.AsType[*llm.Error](err)
	switch {
	case !typed:
	case e.Kind == llm.ContextFull && g.overflows < maxOverflows:
		g.overflows++
		g.emit(Retrying{Attempt: g.overflows, Max: maxOverflows, Cause: explain(err, g.model)})
		if g.overflowed(ctx, e) {
			return true, nil
		}
	case e.Kind == llm.RunawayCall || e.Kind == llm.RunawayAnswer && a.unread != "":
		if !g.noTools && g.runawayCall(a, e) {
			return true, nil
		}
	case e.Kind == llm.RunawayAnswer:
		return g.runawayAnswer(a, e)
	case e.Kind == llm.Overlong:
		return g.overlong(ctx, a, e)
	case g.reshapes < maxReshapes && g.reshape(err):
		g.reshapes++
		g.emit(Retrying{Attempt: g.reshapes, Max: maxReshapes, Cause: explain(err, g.model)})
		return true, nil
	}
	g.stale = g.stale || typed && (e.Kind == llm.Unreachable || e.Kind == llm.Disconnected)
	if retryable(err) && g.retry(err) {
		return true, nil
	}
	g.keepPartial(a.Response)
	return false, g.fail(err)
}

// retry repeats a call of the model that failed: once as it was, and once
// without streaming when nothing of the turn was seen and nothing ran. Tools
// that ran in this turn are not run again.
func (g *generation) retry(err error) bool {
	cause := explain(err, g.model)
	switch {
	case g.retries < maxRetries:
		g.retries++
		g.emit(Retrying{Attempt: g.retries, Max: maxRetries, Cause: cause})
	case !g.noStream && !g.mending.shown && g.lastTool == "":
		g.noStream = true
		g.emit(Retrying{Attempt: g.retries + 1, Max: maxRetries + 1, Cause: cause + " (now without streaming)"})
	default:
		return false
	}
	return true
}

// retryable tells the errors after which the same request may succeed. What
// the server refused it will refuse again.
func retryable(err error) bool {
	e, ok := errors.AsType[*llm.Error](err)
	if !ok {
		return false
	}
	switch e.Kind {
	case llm.Disconnected, llm.Stalled, llm.BadAnswer:
		return true
	case llm.ServerFault:
		inStream, gateway := e.Status == 0 || e.Partial != nil, e.Status >= 502
		return inStream || gateway
	}
	return false
}

// fail turns an error into the end of the turn.
func (t *turn) fail(err error) *outcome {
	text := explain(err, t.model)
	t.logf("model call: %v", err)
	t.emit(Fault{Text: text})
	return &outcome{StopFailed, text}
}

func explain(err error, info llm.ModelInfo) string { return llm.Explain(err, info) }
