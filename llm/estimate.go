package llm

import "unicode/utf8"

// charsPerToken is the estimate before any server count was seen. Code and
// English prose lie around it for the tokenizers of current small models.
const charsPerToken = 3.5

// Estimator estimates token counts. It corrects itself by the server's counts.
// The zero value is ready to use.
type Estimator struct {
	ratio float64 // server's count / raw estimate; 0 before the first count
}

// Text estimates the tokens of a text.
func (e *Estimator) Text(s string) int { return e.scale(utf8.RuneCountInString(s)) }

// Request estimates the tokens of a whole prompt: messages and tools.
func (e *Estimator) Request(r Request) int {
	chars := 0
	for _, m := range r.Messages {
		chars += perMessage + utf8.RuneCountInString(m.Text)
		for _, c := range m.Calls {
			chars += perMessage + len(c.Name) + utf8.RuneCountInString(c.Args)
		}
	}
	for _, t := range r.Tools {
		chars += perMessage + len(t.Name) + utf8.RuneCountInString(t.Description) + len(t.Schema)
	}
	return e.scale(chars)
}

// perMessage is what a chat template adds around a message, in characters.
const perMessage = 16

// Calibrated is an estimator that goes on with what another has learnt, as its
// Ratio told. A ratio that Learn would not believe is not taken.
func Calibrated(ratio float64) Estimator {
	if !believable(ratio) {
		ratio = 0
	}
	return Estimator{ratio}
}

// Ratio is the server's count of a prompt over the raw estimate of it; 0 before
// the first count.
func (e *Estimator) Ratio() float64 { return e.ratio }

func believable(ratio float64) bool { return ratio > 0.25 && ratio < 4 }

// Learn corrects the estimate: a prompt estimated at estimate tokens by this
// estimator had actual ones. Ratios beyond 1/4 and 4 are not believed: they
// tell of a truncated prompt, not of a tokenizer.
func (e *Estimator) Learn(estimate, actual int) {
	if estimate <= 0 || actual <= 0 {
		return
	}
	ratio := float64(actual) / float64(estimate)
	if e.ratio != 0 {
		ratio *= e.ratio
	}
	if believable(ratio) {
		e.ratio = ratio
	}
}

func (e *Estimator) scale(chars int) int {
	if chars == 0 {
		return 0
	}
	tokens := float64(chars) / charsPerToken
	if e.ratio != 0 {
		tokens *= e.ratio
	}
	return int(tokens) + 1
}
