package llm

import (
	"encoding/json"
	"strings"
	"testing"
)

var textTools = []ToolSpec{
	{Name: "bash", Schema: json.RawMessage(`{"type":"object","properties":{"command":{"type":"string"},"timeout":{"type":"integer"}}}`)},
	{Name: "read_file", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"start":{"type":"integer"},"end":{"type":"integer"}}}`)},
	{Name: "edit_file", Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"},"edits":{"type":"array"}}}`)},
}

// textCases: calls are "name args" joined by a space; empty means that the
// text stays text.
var textCases = []struct{ name, text, calls, rest string }{
	{"hermes", "<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\":\"ls\"}}\n</tool_call>", `bash {"command":"ls"}`, ""},
	{"hermes, two blocks", `<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call><tool_call>{"name":"read_file","arguments":{"path":"a"}}</tool_call>`, `bash {"command":"ls"} read_file {"path":"a"}`, ""},
	{"hermes, not closed", `<tool_call>{"name":"bash","arguments":{"command":"ls"}}`, `bash {"command":"ls"}`, ""},
	{"hermes, Python literals", `<tool_call>{'name': 'bash', 'arguments': {'command': 'ls'}}</tool_call>`, `bash {"command":"ls"}`, ""},
	{"hermes, arguments as text", `<tool_call>{"name":"bash","arguments":"{\"command\":\"ls\"}"}</tool_call>`, `bash {"command":"ls"}`, ""},
	{"hermes, closing tag in a string", `<tool_call>{"name":"bash","arguments":{"command":"echo </tool_call>"}}</tool_call>`, `bash {"command":"echo </tool_call>"}`, ""},
	{"hermes around a function", "<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>", `bash {"command":"ls"}`, ""},
	{"hermes after a sentence", "Let me look.\n<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}</tool_call><|im_end|>", `bash {"command":"ls"}`, "Let me look."},
	{"GLM", "<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a.go</arg_value>\n<arg_key>start</arg_key>\n<arg_value>3</arg_value>\n</tool_call>", `read_file {"path":"a.go","start":3}`, ""},
	{"function in XML", "<function=read_file>\n<parameter=path>lib.go</parameter>\n<parameter=start>3</parameter>\n</function>", `read_file {"path":"lib.go","start":3}`, ""},
	{"a string that looks like a number", "<function=bash><parameter=command>42</parameter></function>", `bash {"command":"42"}`, ""},
	{"a value of many lines", "<function=bash>\n<parameter=command>\ncat <<E\n  a </parameter> b\nE\n</parameter>\n</function>", `bash {"command":"cat <<E\n  a </parameter> b\nE"}`, ""},
	{"a list in XML", "<function=edit_file><parameter=path>a</parameter><parameter=edits>[{\"old\":\"x\",\"new\":\"y\"}]</parameter></function>", `edit_file {"path":"a","edits":[{"old":"x","new":"y"}]}`, ""},
	{"function with JSON", `<function=bash>{"command":"ls"}</function>`, `bash {"command":"ls"}`, ""},
	{"Mistral, list", `[TOOL_CALLS][{"name":"bash","arguments":{"command":"ls"}}]</s>`, `bash {"command":"ls"}`, ""},
	{"Mistral, newer", `[TOOL_CALLS]bash[ARGS]{"command":"ls"}`, `bash {"command":"ls"}`, ""},
	{"Llama", `<|python_tag|>{"name":"bash","parameters":{"command":"ls"}}<|eom_id|>`, `bash {"command":"ls"}`, ""},
	{"Granite", `<|tool_call|>[{"name":"bash","arguments":{"command":"ls"}}]`, `bash {"command":"ls"}`, ""},
	{"gpt-oss", `<|channel|>commentary to=functions.bash <|constrain|>json<|message|>{"command":"ls"}<|call|>`, `bash {"command":"ls"}`, ""},
	{"DeepSeek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>bash\n```json\n{\"command\":\"ls\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜><｜end▁of▁sentence｜>", `bash {"command":"ls"}`, ""},
	{"tool_code", "```tool_code\nread_file(path='a.go', start=3)\n```", `read_file {"path":"a.go","start":3}`, ""},
	{"tool_code with print", "```tool_code\nprint(default_api.bash(command=\"echo 'hi'\"))\n```", `bash {"command":"echo 'hi'"}`, ""},
	{"bare JSON", `{"name": "bash", "arguments": {"command": "ls"}}`, `bash {"command": "ls"}`, ""},
	{"bare JSON with parameters", `{"name": "bash", "parameters": {"command": "ls"}}`, `bash {"command": "ls"}`, ""},
	{"OpenAI's shape", `{"type":"function","function":{"name":"bash","arguments":"{\"command\":\"ls\"}"}}`, `bash {"command":"ls"}`, ""},
	{"fenced JSON", "```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```", `bash {"command": "ls"}`, ""},
	{"doubled braces", `{{"name": "bash", "arguments": {"command": "ls"}}}`, `bash {"command": "ls"}`, ""},
	{"doubled braces, more at the end", `{{"name": "bash", "arguments": {"command": "ls"}}}}`, `bash {"command": "ls"}`, ""},
	{"doubled braces in markup", "<tool_call>\n{{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}}\n</tool_call>", `bash {"command": "ls"}`, ""},
	{"doubled braces, prose after", `{{"name": "bash", "arguments": {"command": "ls"}}} and so on`, "", ""},
	{"the end of a fence that was never opened", "{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```", `bash {"command": "ls"}`, ""},
	{"namespace", `{"name": "functions.bash", "arguments": {"command": "ls"}}`, `bash {"command": "ls"}`, ""},

	{"triple quotes", "```json\n{\n  \"name\": \"bash\",\n  \"arguments\": {\n    \"command\": \"\"\"\ncat <<E\n\"\"\"doc\"\"\"\nE\n\"\"\"\n  }\n}\n```", "bash {\n    \"command\": \"cat <<E\\n\\\"\\\"\\\"doc\\\"\\\"\\\"\\nE\\n\"\n  }", ""},
	{"triple quotes in markup", "<tool_call>\n{\"name\": \"bash\", \"arguments\": {\"command\": \"\"\"ls\"\"\"}}\n</tool_call>", `bash {"command": "ls"}`, ""},

	{"an undeclared tool", `<tool_call>{"name":"python","arguments":{"code":"1"}}</tool_call>`, "", ""},
	{"one of two undeclared", `<tool_call>{"name":"bash","arguments":{}}</tool_call><tool_call>{"name":"python","arguments":{}}</tool_call>`, "", ""},
	{"prose after", `<tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call> And then I will see.`, "", ""},
	{"prose about syntax and format", "I mend the syntax error, then format it.\n<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}</tool_call>", `bash {"command":"ls"}`, "I mend the syntax error, then format it."},
	{"the form told", `The syntax is: <tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`, "", ""},
	{"an example", `For example: <tool_call>{"name":"bash","arguments":{"command":"ls"}}</tool_call>`, "", ""},
	{"JSON with prose before", `I will call it like this: {"name": "bash", "arguments": {"command": "ls"}}`, "", ""},
	{"fenced JSON with prose before", "I will call it:\n\n```json\n{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}\n```", "", ""},
	{"markup in a fence", "```\n<tool_call>{\"name\":\"bash\",\"arguments\":{\"command\":\"ls\"}}</tool_call>\n```", "", ""},
	{"markup in inline code", "Write `<function=bash>` first.", "", ""},
	{"cut", `<tool_call>{"name":"bash","arguments":{"command":"ls`, "", ""},
	{"cut in XML", "<function=bash>\n<parameter=command>\nls", "", ""},
	{"JSON that is no call", `{"path": "main.go", "name": "bash"}`, "", ""},
	{"JSON without arguments", `{"tool": "read_file", "path": "main.go"}`, "", ""},
	{"prose", "I have read the file and can answer.", "", ""},
	{"nothing", "", "", ""},
}

func TestTextCalls(t *testing.T) {
	for _, tc := range textCases {
		t.Run(tc.name, func(t *testing.T) {
			calls, rest, ok := TextCalls(tc.text, textTools)
			var got []string
			for _, c := range calls {
				got = append(got, c.Name+" "+c.Args)
			}
			if s := strings.Join(got, " "); s != tc.calls || ok != (tc.calls != "") {
				t.Fatalf("got %q, %v, want %q", s, ok, tc.calls)
			}
			if !ok {
				tc.rest = tc.text
			}
			if rest != tc.rest {
				t.Errorf("got rest %q, want %q", rest, tc.rest)
			}
		})
	}
}

func TestReportedTextCalls(t *testing.T) {
	all := rows(t)
	gemma := all["A16"].Input.Variants
	for _, tc := range []struct{ text, call, rest string }{
		{all["A13"].Input.Text, `read_file {"path":"internal/app/main.go"}`, "I will look at the file first."},
		{gemma[0], `bash {"command":"ls -la"}`, ""},
		{gemma[1], `read_file {"path":"main.go","start":1,"end":20}`, ""},
		{gemma[2], `bash {"command":"grep -rn \"TODO\" ."}`, ""},
	} {
		calls, rest, ok := TextCalls(tc.text, textTools)
		if !ok || len(calls) != 1 || calls[0].Name+" "+calls[0].Args != tc.call || rest != tc.rest {
			t.Errorf("%q: got %v, %q, %v, want %s", tc.text, calls, rest, ok, tc.call)
		}
	}
}

func TestHasCallMarkup(t *testing.T) {
	for text, want := range map[string]bool{
		"<tool_call>call bash with ls</tool_call>": true,
		"Write `<tool_call>` first.":               false,
		"plain":                                    false,
	} {
		if got := HasCallMarkup(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

func TestAsksForExample(t *testing.T) {
	for text, want := range map[string]bool{
		"show me an example of a tool call":  true,
		"what does a bash call look like?":   true,
		"show me an example of a call":       true,
		"what is the format of a tool call?": true,
		"explain how tool calls are written": true,
		"fix the syntax error in main.go":    false,
		"format the file with gofmt":         false,
		"for example, rename a to b":         false,
		"add an example to the README":       false,
		"list the files":                     false,
		"run the tests and tell what failed": false,
	} {
		if got := AsksForExample(text); got != want {
			t.Errorf("%q: got %v", text, got)
		}
	}
}

// FuzzTextCalls: what is recovered is a valid call of a declared tool, and
// what is not leaves the text alone.
func FuzzTextCalls(f *testing.F) {
	for _, tc := range textCases {
		f.Add(tc.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		calls, rest, ok := TextCalls(text, textTools)
		if !ok && (rest != text || calls != nil) {
			t.Errorf("got %v and %q for %q", calls, rest, text)
		}
		for _, c := range calls {
			p := textParser{declared: textTools}
			if p.spec(c.Name) == nil || !isJSONObject(c.Args) || c.ID == "" {
				t.Errorf("got %+v from %q", c, text)
			}
		}
	})
}
