package openai

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"mm/llm"
)

// maxMessage bounds the server's wording that is kept, in bytes.
const maxMessage = 600

// serverError is the body of an error in the forms that servers use.
type serverError struct {
	Message      text
	Detail       text // FastAPI
	Type         text
	Code         json.RawMessage // a number or a word
	PromptTokens int             `json:"n_prompt_tokens"`
	Window       int             `json:"n_ctx"`
}

// parseError reads an error of the server: JSON in any of its forms, or plain
// text. status is 0 inside of a stream.
func parseError(status int, body []byte) *llm.Error {
	var outer struct{ Error json.RawMessage }
	var e serverError
	// Bodies that are no JSON are taken as text below.
	_ = json.Unmarshal(body, &outer)
	inner := outer.Error
	if isEmptyJSON(inner) || inner == nil {
		inner = body
	}
	_ = json.Unmarshal(inner, &e)
	message := string(e.Message)
	if message == "" {
		message = string(e.Detail)
	}
	if message == "" {
		var plain text
		_ = json.Unmarshal(inner, &plain)
		message = string(plain)
	}
	if message == "" {
		message = plainText(body)
	}
	if status == 0 {
		// Not a status of this exchange, but the server's own view.
		status, _ = strconv.Atoi(strings.Trim(string(e.Code), `"`))
	}
	err := &llm.Error{
		Status:        status,
		Message:       clip(message),
		PromptTokens:  max(0, e.PromptTokens),
		ContextWindow: max(0, e.Window),
	}
	err.Kind = kindOf(status, string(e.Type)+" "+strings.Trim(string(e.Code), `"`), message)
	if err.Kind == llm.ContextFull && err.ContextWindow == 0 {
		err.PromptTokens, err.ContextWindow = overflowFigures(message)
	}
	return err
}

// plainText is the first line of a body that is no JSON.
func plainText(body []byte) string {
	text := strings.TrimSpace(string(body))
	if strings.HasPrefix(text, "<") {
		return "a web page in place of an answer"
	}
	line, _, _ := strings.Cut(text, "\n")
	return strings.TrimSpace(line)
}

// clip bounds a message and makes it one line.
func clip(s string) string {
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > maxMessage {
		s = strings.ToValidUTF8(s[:maxMessage], "") + "…"
	}
	return s
}

// faultPatterns tell the kind of an error from the server's wording, the more
// telling first. The wordings are those of llama-server, vLLM, Ollama and LM
// Studio.
var faultPatterns = []struct {
	kind    llm.ErrorKind
	pattern *regexp.Regexp
}{
	{llm.ContextFull, regexp.MustCompile(`(?i)exceed_context_size|exceeds the available context|context_length_exceeded|maximum context length|longer than the context|context length of only|context overflows|exceeds? (the )?(model'?s )?(maximum )?context (length|window|size)`)},
	{llm.LoadingModel, regexp.MustCompile(`(?i)loading model|model is (still )?loading`)},
	{llm.NoToolSupport, regexp.MustCompile(`(?i)does not support tools|requires --jinja|--enable-auto-tool-choice|tools? (calling )?(is|are) not supported`)},
	{llm.BadRequest, regexp.MustCompile(`(?i)failed to parse tool call arguments`)},
	{llm.BadTemplate, regexp.MustCompile(`(?i)jinja|chat template|roles? must alternate|system role not supported|raise_exception|tool call id was|conversation roles`)},
	{llm.UnknownModel, regexp.MustCompile(`(?i)model_not_found|\bmodel\b.*(not found|does not exist|no longer available)|no such model|unknown model|no models? loaded|model name is missing`)},
}

func kindOf(status int, code, message string) llm.ErrorKind {
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		return llm.Unauthorized
	}
	for _, p := range faultPatterns {
		if p.pattern.MatchString(code) || p.pattern.MatchString(message) {
			return p.kind
		}
	}
	switch {
	case status >= 400 && status < 500 && status != http.StatusTooManyRequests && status != http.StatusRequestTimeout:
		return llm.BadRequest
	case strings.Contains(message, "Unexpected endpoint"): // LM Studio, with status 200
		return llm.BadRequest
	}
	return llm.ServerFault
}

// overflowPatterns find the figures in an overflow message that has no fields
// for them: prompt tokens and window, in whichever order.
var overflowPatterns = []*regexp.Regexp{
	regexp.MustCompile(`\((?P<prompt>\d+) tokens\).*\((?P<window>\d+) tokens\)`),                        // llama-server
	regexp.MustCompile(`context length is (?P<window>\d+) tokens.*?requested (?P<prompt>\d+) tokens`),   // vLLM
	regexp.MustCompile(`context length is (?P<window>\d+) tokens.*?resulted in (?P<prompt>\d+) tokens`), // OpenAI
	regexp.MustCompile(`first (?P<prompt>\d+) tokens.*context length of only (?P<window>\d+) tokens`),   // LM Studio
	regexp.MustCompile(`(?P<prompt>\d+) tokens? .*(?:context|maximum)[^0-9]*(?P<window>\d+)`),           // others
}

func overflowFigures(message string) (prompt, window int) {
	for _, p := range overflowPatterns {
		m := p.FindStringSubmatch(message)
		if m == nil {
			continue
		}
		// Figures too long for an int stay 0, unknown.
		prompt, _ = strconv.Atoi(m[p.SubexpIndex("prompt")])
		window, _ = strconv.Atoi(m[p.SubexpIndex("window")])
		return prompt, window
	}
	return 0, 0
}
