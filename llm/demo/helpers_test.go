package demo_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"mm/fileedit"
	"mm/llm/demo"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

type object = map[string]any

// turn is one answer of the stand-in, read from its stream.
type turn struct {
	think, say string
	tool, args string
	finish     string
	chunks     int // of text, reasoning and arguments
	progress   []figures
	usage      figures
	done       bool
}

// figures are tokens: processed of total, of which cached.
type figures struct{ processed, total, cached int }

// ask sends a request and reads the stream.
func ask(t *testing.T, h http.Handler, body object) turn {
	t.Helper()
	body["stream"], body["return_progress"] = true, true
	body["stream_options"] = object{"include_usage": true}
	w := post(t, h, body)
	if w.Code != http.StatusOK {
		t.Fatalf("status %d: %s", w.Code, w.Body)
	}
	return readStream(t, w.Body.String())
}

func post(t *testing.T, h http.Handler, body object) *httptest.ResponseRecorder {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(string(data))))
	return w
}

func readStream(t *testing.T, stream string) turn {
	t.Helper()
	var got turn
	for s := bufio.NewScanner(strings.NewReader(stream)); s.Scan(); {
		data, ok := strings.CutPrefix(s.Text(), "data: ")
		if !ok {
			continue
		}
		if data == "[DONE]" {
			got.done = true
			continue
		}
		got.take(t, data)
	}
	return got
}

func (g *turn) take(t *testing.T, data string) {
	t.Helper()
	var c struct {
		Choices []struct {
			FinishReason string `json:"finish_reason"`
			Delta        struct {
				Content   string `json:"content"`
				Reasoning string `json:"reasoning_content"`
				ToolCalls []struct {
					Function struct{ Name, Arguments string } `json:"function"`
				} `json:"tool_calls"`
			} `json:"delta"`
		} `json:"choices"`
		Progress *struct{ Processed, Total, Cache int } `json:"prompt_progress"`
		Usage    *struct {
			Prompt  int `json:"prompt_tokens"`
			Total   int `json:"total_tokens"`
			Details struct {
				Cached int `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		} `json:"usage"`
	}
	if err := json.Unmarshal([]byte(data), &c); err != nil {
		t.Fatalf("%v in %s", err, data)
	}
	if p := c.Progress; p != nil {
		g.progress = append(g.progress, figures{p.Processed, p.Total, p.Cache})
	}
	if u := c.Usage; u != nil {
		g.usage = figures{u.Prompt, u.Total, u.Details.Cached}
	}
	for _, choice := range c.Choices {
		g.say += choice.Delta.Content
		g.think += choice.Delta.Reasoning
		g.finish += choice.FinishReason
		if choice.Delta.Content+choice.Delta.Reasoning != "" {
			g.chunks++
		}
		for _, call := range choice.Delta.ToolCalls {
			g.tool += call.Function.Name
			g.args += call.Function.Arguments
			g.chunks++
		}
	}
}

// conversation is a user's side of a talk with the stand-in: it runs the calls
// on files in memory.
type conversation struct {
	h        http.Handler
	tools    []string
	messages []object
	files    map[string]string
	known    map[string]bool // files that were read or written

	// answer, when it returns a text, is the result in place of the tool's.
	answer func(tool, args string) string
}

var allTools = []string{"bash", "edit_file", "read_file", "write_file"}

func newConversation(files map[string]string) *conversation {
	c := &conversation{
		h:     demo.Handler(demo.Options{}),
		tools: allTools,
		files: map[string]string{},
		known: map[string]bool{},
	}
	maps.Copy(c.files, files)
	return c
}

// most is how many requests an answer may take: more is a loop.
const most = 25

// say sends a message and answers calls until there are none.
func (c *conversation) say(t *testing.T, text string) []turn {
	t.Helper()
	c.messages = append(c.messages, object{"role": "user", "content": text})
	var turns []turn
	for len(turns) < most {
		got := ask(t, c.h, object{"messages": c.messages, "tools": declare(c.tools...)})
		turns = append(turns, got)
		if got.tool == "" {
			c.messages = append(c.messages, object{"role": "assistant", "content": got.say})
			return turns
		}
		id := fmt.Sprintf("call%05d", len(c.messages))
		c.messages = append(c.messages, object{
			"role": "assistant", "content": got.say,
			"tool_calls": []any{object{
				"id": id, "type": "function",
				"function": object{"name": got.tool, "arguments": got.args},
			}},
		}, object{"role": "tool", "tool_call_id": id, "content": c.run(t, got.tool, got.args)})
	}
	t.Fatalf("%q: no end after %d requests", text, most)
	return nil
}

func declare(tools ...string) []any {
	var out []any
	for _, name := range tools {
		out = append(out, object{"type": "function", "function": object{
			"name": name, "description": "a tool", "parameters": object{"type": "object"},
		}})
	}
	return out
}

// run is a small copy of the tools' contracts.
func (c *conversation) run(t *testing.T, tool, args string) string {
	t.Helper()
	if !slices.Contains(c.tools, tool) {
		t.Errorf("%s is called and not declared", tool)
	}
	if c.answer != nil {
		if text := c.answer(tool, args); text != "" {
			return text
		}
	}
	var a struct {
		Path, Content, Command string
		Edits                  []fileedit.Edit
	}
	if err := json.Unmarshal([]byte(args), &a); err != nil {
		t.Fatalf("arguments %s: %v", args, err)
	}
	switch tool {
	case "bash":
		return c.bash(a.Command)
	case "read_file":
		return c.read(a.Path)
	case "write_file":
		return c.write(a.Path, a.Content)
	case "edit_file":
		return c.edit(a.Path, a.Edits)
	}
	return "[error: there is no tool named " + tool + "]"
}

func (c *conversation) bash(command string) string {
	if command != "sh mm-demo/test.sh" {
		return "ran " + command
	}
	if strings.Contains(c.files["mm-demo/greet.sh"], `"Hello, $name!"`) {
		return "PASS: Hello, world!"
	}
	return "FAIL: got \"Helo, world!\", want \"Hello, world!\"\n[exit code: 1]"
}

func (c *conversation) read(path string) string {
	text, ok := c.files[path]
	if !ok {
		return "[error: " + path + " does not exist; list a folder with read_file to see what there is]"
	}
	c.known[path] = true
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	fmt.Fprintf(&b, "%s, lines 1-%d of %d:", path, len(lines), len(lines))
	for i, line := range lines {
		fmt.Fprintf(&b, "\n%d|%s", i+1, line)
	}
	return b.String()
}

func (c *conversation) write(path, content string) string {
	if _, exists := c.files[path]; exists && !c.known[path] {
		return "[refused: " + path + " exists and you have not read it in this session; nothing was written. " +
			"To change it: read_file, then edit_file. To replace all of it: read_file, then this call again]"
	}
	c.files[path], c.known[path] = content, true
	return path + ": created"
}

func (c *conversation) edit(path string, edits []fileedit.Edit) string {
	res, err := fileedit.Apply([]byte(c.files[path]), edits, fileedit.Options{Path: path})
	if err != nil {
		return err.Error()
	}
	c.files[path] = string(res.Text)
	return res.Report()
}

// tools lists the calls of an answer.
func calls(turns []turn) []string {
	var out []string
	for _, g := range turns {
		if g.tool != "" {
			out = append(out, g.tool)
		}
	}
	return out
}

func last(turns []turn) string { return turns[len(turns)-1].say }
