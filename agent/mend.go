package agent

import (
	"fmt"
	"regexp"
	"strings"

	"mm/agent/session"
	"mm/llm"
)

// handBack tells the model that its call was cut, and how much it may write at
// once. It returns false when there is nothing to hand back, or no more tries.
func (t *turn) handBack(resp llm.Response, tries *int) bool {
	if len(resp.Message.Calls) == 0 || *tries >= maxHandBacks {
		return false
	}
	*tries++
	names := make([]string, len(resp.Message.Calls))
	for i, call := range resp.Message.Calls {
		names[i] = orElse(toolName(call.Name), "a tool")
	}
	text := joinParagraphs(resp.Message.Text, "[a call of "+strings.Join(names, ", ")+" that was cut off]")
	t.add(session.Item{Message: llm.Message{Role: llm.Assistant, Text: text}})
	if resp.Finish == llm.FinishLength {
		t.note(fmt.Sprintf("Your call of %s was cut off at max_tokens (%d): it did not run, nothing was written. "+
			"Write only the first part now (about %d characters), then add the rest with edit_file, part by part.",
			names[0], t.opts.Sampling.MaxTokens, t.writeBudget(resp)))
	} else {
		t.note(fmt.Sprintf("Your call of %s did not arrive whole and did not run. Make the call again.", names[0]))
	}
	t.emit(Notice{Level: Repair, Text: fmt.Sprintf("repaired: a call of %s was cut, asked to write in parts (%d/%d)", names[0], *tries, maxHandBacks)})
	return true
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

// announced matches a last sentence that promises a step.
var announced = regexp.MustCompile(`(?i)^(now,? |next,? |first,? |then,? |ok(ay)?,? |so,? )*(i will|i'll|i am going to|i'm going to|let me|let's|let us) `)

// nudge answers an empty answer, or one that announces a step and does not
// take it, with a short note, once in a turn. It returns false when the answer
// stands as it is.
func (t *turn) nudge(resp llm.Response) bool {
	if t.nudged {
		return false
	}
	text := strings.TrimSpace(resp.Message.Text)
	switch {
	case text == "":
		t.note("Your answer was empty. Call a tool now, or answer in a sentence.")
		t.emit(Notice{Level: Repair, Text: "the answer was empty: asked once more"})
	case announcesOnly(text):
		t.note("You announced a step and did not take it. Call the tool now, or say why not.")
		t.emit(Notice{Level: Repair, Text: "a step was announced and not taken: asked once more"})
	default:
		return false
	}
	t.nudged = true
	return true
}

// announcesOnly tells a text whose last sentence promises an action. A
// question to the user, or an offer, promises nothing.
func announcesOnly(text string) bool {
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "```") {
		return false
	}
	last := strings.TrimRight(text, ".:!… ")
	if i := strings.LastIndexAny(last, ".?!\n"); i >= 0 {
		last = last[i+1:]
	}
	last = strings.ToLower(strings.TrimSpace(last))
	return announced.MatchString(last) && !strings.Contains(last, "let me know") && !strings.Contains(last, " if you")
}
