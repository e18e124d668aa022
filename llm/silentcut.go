package llm

import "fmt"

// Prompt is what is known of one prompt: our estimate of its tokens, and the
// server's count.
type Prompt struct{ Estimated, Counted int }

// SilentlyCut reports whether a server has dropped the front of a prompt and
// answered all the same, as Ollama does. now is this request, before the one
// before it in the same conversation (zero if there is none); window is 0 when
// unknown.
//
// Three signs tell: the count is far below the estimate; it is the window's
// size or half of it, where servers cut, and below the estimate; it fell while
// the estimate grew. A server that counts only what it read anew is told by a
// count no larger than what was added.
func SilentlyCut(now, before Prompt, window int) bool {
	const (
		enough = 1000 // tokens: small prompts are too uncertain to judge
		far    = 0.5
		below  = 0.8
		slack  = 0.02 // of the window

		newOnly = 64.0 // tokens around a new message
	)
	if now.Counted <= 0 || now.Estimated < enough {
		return false
	}
	count, estimate := float64(now.Counted), float64(now.Estimated)
	if added := estimate - float64(before.Estimated); before.Counted > 0 &&
		added < far*estimate && count <= added/below+newOnly {
		return false
	}
	if count < far*estimate {
		return true
	}
	near := func(size float64) bool {
		return count <= size && count >= size-slack*float64(window)-1
	}
	if window > 0 && count < below*estimate && (near(float64(window)) || near(float64(window)/2)) {
		return true
	}
	return before.Counted > 0 && now.Estimated > before.Estimated && count < below*float64(before.Counted)
}

// ExplainSilentCut says in one line that the beginning of a prompt was dropped,
// and what to do.
func ExplainSilentCut(p Prompt, info ModelInfo) string {
	e := explainer{fault: &Error{}, info: info}
	return fmt.Sprintf("%s read only %d of about %d tokens and dropped the beginning of the conversation without a word: %s, or /compact",
		e.server(), p.Counted, p.Estimated, RaiseWindow(info))
}
