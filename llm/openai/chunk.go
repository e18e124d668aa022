package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// chunk is one event of a stream, or a whole answer without streaming. Fields
// of an unexpected type are left empty: the rest still counts.
type chunk struct {
	ID       string        `json:"id"`
	Model    text          `json:"model"`
	Build    text          `json:"system_fingerprint"`
	Choices  []choice      `json:"choices"`
	Usage    *wireUsage    `json:"usage"`
	Timings  *wireTimings  `json:"timings"`
	Progress *wireProgress `json:"prompt_progress"`
}

type choice struct {
	Index   int        `json:"index"`
	Delta   *wireDelta `json:"delta"`
	Message *wireDelta `json:"message"`
	Finish  text       `json:"finish_reason"`
}

type wireDelta struct {
	Content          text       `json:"content"`
	ReasoningContent text       `json:"reasoning_content"` // llama.cpp, DMR, DeepSeek
	Reasoning        text       `json:"reasoning"`         // Ollama, vLLM
	Refusal          text       `json:"refusal"`
	ToolCalls        []wireCall `json:"tool_calls"`
}

// thought is the reasoning, which some servers send in both fields.
func (d *wireDelta) thought() string { return string(cmp.Or(d.ReasoningContent, d.Reasoning)) }

// written is all that the model wrote.
func (d *wireDelta) written() string {
	s := d.thought() + string(d.Content+d.Refusal)
	for _, call := range d.ToolCalls {
		s += string(call.Function.Arguments)
	}
	return s
}

type wireCall struct {
	Index    *int `json:"index"`
	ID       text `json:"id"`
	Function struct {
		Name      text     `json:"name"`
		Arguments argsText `json:"arguments"`
	} `json:"function"`
}

type wireUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

type wireTimings struct {
	Cached             int     `json:"cache_n"`
	Prompt             int     `json:"prompt_n"`
	PromptPerSecond    float64 `json:"prompt_per_second"`
	Predicted          int     `json:"predicted_n"`
	PredictedPerSecond float64 `json:"predicted_per_second"`
}

type wireProgress struct {
	Total     int     `json:"total"`
	Cache     int     `json:"cache"`
	Processed int     `json:"processed"`
	TimeMS    float64 `json:"time_ms"`
}

// UnmarshalJSON decodes as much as it can.
func (c *chunk) UnmarshalJSON(b []byte) error {
	type plain chunk
	err := json.Unmarshal(b, (*plain)(c))
	if _, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return nil
	}
	return err
}

// delta returns what the first choice says.
func (c *chunk) delta() (wireDelta, text) {
	for _, ch := range c.Choices {
		switch {
		case ch.Index != 0:
		case ch.Delta != nil:
			return *ch.Delta, ch.Finish
		case ch.Message != nil:
			return *ch.Message, ch.Finish
		default:
			return wireDelta{}, ch.Finish
		}
	}
	return wireDelta{}, ""
}

// text is a JSON string, or the text parts of a list; anything else is empty.
// Bytes that are no UTF-8 are kept, since a rune may be split over two events.
type text string

func (t *text) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) >= 2 && b[0] == '"':
		*t = text(unquote(b))
	case len(b) > 0 && b[0] == '[':
		var parts []struct{ Text text }
		// Parts without text are none of ours.
		_ = json.Unmarshal(b, &parts)
		for _, p := range parts {
			*t += p.Text
		}
	}
	return nil
}

// argsText is the arguments of a call: a string, or the object itself.
type argsText string

func (a *argsText) UnmarshalJSON(b []byte) error {
	switch {
	case len(b) >= 2 && b[0] == '"':
		*a = argsText(unquote(b))
	case len(b) > 0 && (b[0] == '{' || b[0] == '['):
		*a = argsText(b)
	}
	return nil
}

// unquote decodes a JSON string that is known to be well formed. encoding/json
// would replace invalid UTF-8.
func unquote(b []byte) string {
	b = b[1 : len(b)-1]
	i := bytes.IndexByte(b, '\\')
	if i < 0 {
		return string(b)
	}
	var out strings.Builder
	out.Grow(len(b))
	for ; i >= 0; i = bytes.IndexByte(b, '\\') {
		out.Write(b[:i])
		b = b[i:]
		n := unescape(&out, b)
		b = b[n:]
	}
	out.Write(b)
	return out.String()
}

// unescape decodes the escape at the start of b and returns its length.
func unescape(out *strings.Builder, b []byte) int {
	const short, long = 2, 6 // \n and \u000a
	switch b[1] {
	case 'b':
		out.WriteByte('\b')
	case 'f':
		out.WriteByte('\f')
	case 'n':
		out.WriteByte('\n')
	case 'r':
		out.WriteByte('\r')
	case 't':
		out.WriteByte('\t')
	case 'u':
		r := hexRune(b[2:long])
		if utf16.IsSurrogate(r) {
			if len(b) >= 2*long && b[long] == '\\' && b[long+1] == 'u' {
				if pair := utf16.DecodeRune(r, hexRune(b[long+2:2*long])); pair != utf8.RuneError {
					out.WriteRune(pair)
					return 2 * long
				}
			}
			r = utf8.RuneError
		}
		out.WriteRune(r)
		return long
	default:
		out.WriteByte(b[1])
	}
	return short
}

func hexRune(b []byte) rune {
	var r rune
	for _, c := range b {
		r <<= 4
		switch {
		case c >= 'a':
			r |= rune(c - 'a' + 10)
		case c >= 'A':
			r |= rune(c - 'A' + 10)
		default:
			r |= rune(c - '0')
		}
	}
	return r
}

// runeJoiner makes valid UTF-8 of pieces that may split a rune.
type runeJoiner struct{ tail string }

// add returns what is whole so far.
func (j *runeJoiner) add(s string) string {
	if j.tail == "" && utf8.ValidString(s) {
		return s
	}
	s = j.tail + s
	j.tail = ""
	// A rune is at most UTFMax bytes long: only the last few may be cut.
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if last := s[len(s)-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRuneInString(last) {
				j.tail, s = last, s[:len(s)-i]
			}
			break
		}
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// end returns the rest, which is no whole rune.
func (j *runeJoiner) end() string {
	rest := j.tail
	j.tail = ""
	return strings.ToValidUTF8(rest, "\ufffd")
}
