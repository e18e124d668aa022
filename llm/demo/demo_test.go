package demo_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"mm/llm/demo"
)

// TestRequestsBecomeCalls asks in English and in French. The calls follow from
// the tools' contracts.
func TestRequestsBecomeCalls(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ say, tool, args string }{
		{"list files", "bash", `{"command":"ls -la ."}`},
		{"List the files in mm-demo, please", "bash", `{"command":"ls -la mm-demo"}`},
		{"can you show me all files of the folder 'my docs'?", "bash", `{"command":"ls -la 'my docs'"}`},
		{"ls -x", "bash", `{"command":"ls -la ./-x"}`},
		{"what files are here?", "bash", `{"command":"ls -la ."}`},
		{"liste les fichiers", "bash", `{"command":"ls -la ."}`},
		{"Peux-tu lister les fichiers du dossier src ?", "bash", `{"command":"ls -la src"}`},
		{"Quels sont les fichiers ?", "bash", `{"command":"ls -la ."}`},

		{"read main.go", "read_file", `{"path":"main.go"}`},
		{"Please read the file `docs/a b.md`.", "read_file", `{"path":"docs/a b.md"}`},
		{"read @main.go\n[attached file: /home/user/main.go]", "read_file", `{"path":"main.go"}`},
		{"what's in Makefile?", "read_file", `{"path":"Makefile"}`},
		{"lis main.go s'il te plaît", "read_file", `{"path":"main.go"}`},
		{"montre-moi le fichier « notes.txt »", "read_file", `{"path":"notes.txt"}`},
		{"Que contient README.md ?", "read_file", `{"path":"README.md"}`},
		{"[the user ran: ls]\nmain.go\n\nread main.go", "read_file", `{"path":"main.go"}`},
		{"[summary of the conversation so far]\nGOAL: none\n\nread main.go", "read_file", `{"path":"main.go"}`},

		{"create hello.txt with hi there", "write_file", `{"path":"hello.txt","content":"hi there\n"}`},
		{"Create a file called a.txt containing the text \"x, please\"", "write_file", `{"path":"a.txt","content":"x, please\n"}`},
		{"write b.go with:\n```go\npackage b\n\nvar X = \"<\"\n```", "write_file", `{"path":"b.go","content":"package b\n\nvar X = \"<\"\n"}`},
		{"crée un fichier note.txt avec le texte « à bientôt »", "write_file", `{"path":"note.txt","content":"à bientôt\n"}`},

		{"run go version", "bash", `{"command":"go version"}`},
		{"run `echo a | wc -l`", "bash", `{"command":"echo a | wc -l"}`},
		{"$ make test", "bash", `{"command":"make test"}`},
		{"execute the command: ls | head", "bash", `{"command":"ls | head"}`},
		{"lance la commande git status", "bash", `{"command":"git status"}`},
	} {
		c := newConversation(nil)
		got := c.say(t, tc.say)[0]
		if got.tool != tc.tool || got.args != tc.args || got.finish != "tool_calls" {
			t.Errorf("%q: got %s %s, finish %q; want %s %s", tc.say, got.tool, got.args, got.finish, tc.tool, tc.args)
		}
	}
}

// TestReplaceReadsThenEdits follows a replacement to the file.
func TestReplaceReadsThenEdits(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, say, before, after string
		calls                    []string
	}{
		{
			"once", "replace foo by bar in a.txt", "a foo\nb\n", "a bar\nb\n",
			[]string{"read_file", "edit_file"},
		},
		{
			"quoted", "Change \"a by b\" to 'c' in the file a.txt.", "x a by b\n", "x c\n",
			[]string{"read_file", "edit_file"},
		},
		{
			"French", "remplace foo par bar dans a.txt", "foo\n", "bar\n",
			[]string{"read_file", "edit_file"},
		},
		{
			"several lines, kept with their indentation", "rename foo to bar in a.txt",
			"  foo 1\n\tfoo(foo)\nend\n", "  bar 1\n\tbar(bar)\nend\n",
			[]string{"read_file", "edit_file", "edit_file"},
		},
		{
			"several equal lines cannot be told apart", "replace foo by bar in a.txt", "foo\nfoo\n", "foo\nfoo\n",
			[]string{"read_file", "edit_file"},
		},
		{
			"not there", "replace nothing by bar in a.txt", "foo\n", "foo\n",
			[]string{"read_file", "edit_file"},
		},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := newConversation(map[string]string{"a.txt": tc.before})
			turns := c.say(t, tc.say)
			if diff := cmp.Diff(tc.calls, calls(turns)); diff != "" {
				t.Errorf("calls (-want +got):\n%s", diff)
			}
			if c.files["a.txt"] != tc.after {
				t.Errorf("a.txt is %q, want %q", c.files["a.txt"], tc.after)
			}
			done := strings.Contains(last(turns), "/undo")
			if changed := tc.before != tc.after; done != changed {
				t.Errorf("the last words are %q, the file changed: %v", last(turns), changed)
			}
		})
	}
}

// TestWordsWithoutCalls: what is no request gets words, that begin with the
// admission that all is scripted.
func TestWordsWithoutCalls(t *testing.T) {
	t.Parallel()
	const english, french = "*A script answers here, not a model.* ", "*C'est un script qui répond ici, pas un modèle.* "
	for _, tc := range []struct{ say, lead, holds string }{
		{"fix the bug in the parser", english, "`tour`"},
		{"read the manual", english, "`tour`"},
		{"list the reasons", english, "`tour`"},
		{"run the tests", english, "`tour`"},
		{"go on", english, "`tour`"},
		{"", english, "`tour`"},
		{"corrige la faute dans le parseur", french, "`visite`"},
		{"help", english, "`replace OLD by NEW in FILE`"},
		{"aide", french, "`remplace ANCIEN par NOUVEAU dans FICHIER`"},
		{"hello!", english, "`help`"},
		{"Bonjour", french, "`aide`"},
	} {
		turns := newConversation(nil).say(t, tc.say)
		got := turns[0]
		if len(turns) != 1 || !strings.HasPrefix(got.say, tc.lead) || !strings.Contains(got.say, tc.holds) || got.finish != "stop" {
			t.Errorf("%q: got %d answers, %q, finish %q; want one that begins with %q and holds %q",
				tc.say, len(turns), got.say, got.finish, tc.lead, tc.holds)
		}
	}
}

// TestFailuresAreTold: the last words name what happened, in one more request.
func TestFailuresAreTold(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ say, result, holds string }{
		{"read x.go", "[error: x.go does not exist; near are: y.go]", "x.go does not exist; near are: y.go"},
		{"run make", "[command rejected by the user]", "You said no"},
		{"run make", "[refused: this session is read-only and runs no commands]", "this session is read-only"},
		{"run make", "working\n[error: 30s timeout exceeded]\n[stopped]", "did not work"},
		{"run make", "no rule\n[exit code: 2]", "exit code 2"},
		{"run make", "[exit code: 137, ended by killed]", "exit code 137"},
		{"run make", "[no output]", "ended well"},
		{"lance make", "[command rejected by the user]\nThe user says: no", "Vous avez refusé"},
		{"create a.txt with x", "[refused: a.txt exists and you have not read it in this session; nothing was written. To change it: read_file]", "`read a.txt`"},
		{"replace a by b in c.txt", "[error: c.txt is not text]", "c.txt is not text"},
	} {
		c := newConversation(nil)
		c.answer = func(string, string) string { return tc.result }
		turns := c.say(t, tc.say)
		if len(turns) != 2 || !strings.Contains(last(turns), tc.holds) {
			t.Errorf("%q with %q: got %d answers, the last %q; want two, the last with %q",
				tc.say, tc.result, len(turns), last(turns), tc.holds)
		}
	}
}

// TestListWithoutCommands reads the folder where no command may run.
func TestListWithoutCommands(t *testing.T) {
	t.Parallel()
	c := newConversation(nil)
	c.answer = func(tool, _ string) string {
		if tool == "bash" {
			return "[refused: this session is read-only and runs no commands]"
		}
		return "main.go"
	}
	if diff := cmp.Diff([]string{"bash", "read_file"}, calls(c.say(t, "list files"))); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
	c.tools = []string{"read_file"}
	if diff := cmp.Diff([]string{"read_file"}, calls(c.say(t, "list files"))); diff != "" {
		t.Errorf("turned off (-want +got):\n%s", diff)
	}
}

// TestNothingLoops answers every call with the same text, whatever it is.
func TestNothingLoops(t *testing.T) {
	t.Parallel()
	for _, say := range []string{"tour", "visite", "list files", "read a.go", "create a with b", "replace a by b in c", "run x"} {
		for _, result := range []string{
			" ", "ok", "1 edit applied", "[error: no]", "[refused: no]", "[refused: read_file first]",
			"[command rejected by the user]", "[exit code: 1]",
		} {
			c := newConversation(nil)
			c.answer = func(string, string) string { return result }
			if turns := c.say(t, say); strings.TrimSpace(last(turns)) == "" {
				t.Errorf("%q with %q: the last answer is empty", say, result)
			}
		}
	}
}

// TestHistoryThatComesBackChanged: calls whose arguments are not those that
// were made end in words, not in more calls.
func TestHistoryThatComesBackChanged(t *testing.T) {
	t.Parallel()
	messages := []object{{"role": "user", "content": "tour"}}
	for range 20 {
		messages = append(messages,
			object{"role": "assistant", "tool_calls": []any{object{
				"id": "x", "type": "function", "function": object{"name": "write_file", "arguments": `{"path":"other"}`},
			}}},
			object{"role": "tool", "tool_call_id": "x", "content": "ok"})
	}
	got := ask(t, demo.Handler(demo.Options{}), object{"messages": messages, "tools": declare(allTools...)})
	if got.tool != "" || !strings.Contains(got.say, "I stop here") {
		t.Errorf("got a call of %q and %q, want an end", got.tool, got.say)
	}
}

func TestSummaryTellsWhatWasDone(t *testing.T) {
	t.Parallel()
	c := newConversation(map[string]string{"a.txt": "foo\n"})
	c.say(t, "replace foo by bar in a.txt")
	c.say(t, "run make")
	messages := append(c.messages, object{"role": "user", "content": "Summarise the conversation above. GOAL: ..."})
	for name, body := range map[string]object{
		"no tools":         {"messages": messages},
		"tool choice none": {"messages": messages, "tools": declare(allTools...), "tool_choice": "none"},
	} {
		got := ask(t, c.h, body)
		want := "GOAL: run make\n" +
			"DONE: read_file a.txt; edit_file a.txt; bash make\n" +
			"FILES TOUCHED: a.txt\n" +
			"FACTS FOUND: none (a script wrote this summary)\n" +
			"REMAINING: whatever the user asks next"
		if got.say != want || got.tool != "" {
			t.Errorf("%s: got %q, want %q", name, got.say, want)
		}
	}
}

// TestProbeIsCalled: a caller that checks whether calls work declares a tool
// of its own, and gets a call that its schema takes.
func TestProbeIsCalled(t *testing.T) {
	t.Parallel()
	got := ask(t, demo.Handler(demo.Options{}), object{
		"messages": []object{{"role": "user", "content": "Call the tool."}},
		"tools": []any{object{"type": "function", "function": object{
			"name": "add", "parameters": object{
				"type":     "object",
				"required": []string{"a", "unit", "label"},
				"properties": object{
					"a": object{"type": "integer"}, "unit": object{"type": "string", "enum": []string{"cm", "m"}},
					"label": object{"type": "string"}, "b": object{"type": "integer"},
				},
			},
		}}},
	})
	if want := `{"a":1,"label":"demo","unit":"cm"}`; got.tool != "add" || got.args != want {
		t.Errorf("got %s %s, want add %s", got.tool, got.args, want)
	}
}

// TestWire holds the stream against llama-server's: progress from the cached
// part to the whole prompt, usage whose cached tokens grow, an end.
func TestWire(t *testing.T) {
	t.Parallel()
	c := newConversation(map[string]string{"a.txt": strings.Repeat("some text\n", 100)})
	c.tools = append([]string{}, allTools...)
	turns := c.say(t, "read a.txt")
	first, second := turns[0], turns[1]
	if first.usage.cached != 0 {
		t.Errorf("the first prompt has %d cached tokens, want 0", first.usage.cached)
	}
	// The second request begins with the first, and adds the answer that was
	// given: only the file is new, 1,000 characters and its line numbers.
	fresh := second.usage.processed - second.usage.cached
	if second.usage.cached < first.usage.processed || fresh < 1000/4 || fresh > 2000/3 {
		t.Errorf("the second prompt has %d cached of %d tokens; the first had %d", second.usage.cached, second.usage.processed, first.usage.processed)
	}
	for i, g := range turns {
		if !g.done || g.usage.total <= g.usage.processed {
			t.Errorf("answer %d: done %v, usage %+v", i+1, g.done, g.usage)
		}
		if n := len(g.progress); n < 2 ||
			g.progress[0] != (figures{g.usage.cached, g.usage.processed, g.usage.cached}) ||
			g.progress[n-1] != (figures{g.usage.processed, g.usage.processed, g.usage.cached}) {
			t.Errorf("answer %d: progress %v, usage %v", i+1, g.progress, g.usage)
		}
	}
	if first.chunks < 5 {
		t.Errorf("the first answer came in %d chunks, want words and fragments", first.chunks)
	}
}

func TestPromptBeyondTheWindowIsRefused(t *testing.T) {
	t.Parallel()
	w := post(t, demo.Handler(demo.Options{}), object{
		"messages": []object{{"role": "user", "content": strings.Repeat("x", 4*demo.Window)}},
	})
	if w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"exceed_context_size_error"`) ||
		!strings.Contains(w.Body.String(), `"n_ctx":8192`) {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
}

func TestWarmingTheCacheSaysNothing(t *testing.T) {
	t.Parallel()
	got := ask(t, demo.Handler(demo.Options{}), object{
		"messages": []object{{"role": "user", "content": "tour"}}, "tools": declare(allTools...), "max_tokens": 0,
	})
	if got.say+got.tool != "" || !got.done {
		t.Errorf("got %+v", got)
	}
}

func TestBadRequests(t *testing.T) {
	t.Parallel()
	for _, body := range []object{{}, {"messages": []object{}}, {"messages": "x"}} {
		if w := post(t, demo.Handler(demo.Options{}), body); w.Code != http.StatusBadRequest {
			t.Errorf("%v: got %d %s, want 400", body, w.Code, w.Body)
		}
	}
}

func TestServerPages(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		"/health":    `"ok"`,
		"/props":     `"n_ctx":8192`,
		"/v1/models": `"id":"demo"`,
	} {
		w := httptest.NewRecorder()
		demo.Handler(demo.Options{}).ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), want) {
			t.Errorf("%s: got %d %s, want 200 with %s", path, w.Code, w.Body, want)
		}
	}
}

// TestPace measures, in fake time, that an answer takes what a person can
// follow, and nothing when it is to be instant.
func TestPace(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ pace, least, most time.Duration }{
		{0, 0, 0},
		{demo.DefaultPace, 300 * time.Millisecond, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			client := &http.Client{Transport: demo.Transport(demo.Options{Pace: tc.pace})}
			start := time.Now()
			resp, err := client.Post(demo.BaseURL+"/chat/completions", "application/json",
				strings.NewReader(`{"stream":true,"messages":[{"role":"user","content":"hello"}]}`))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			var b strings.Builder
			if _, err := io.Copy(&b, resp.Body); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(start); took < tc.least || took > tc.most || !strings.Contains(b.String(), "[DONE]") {
				t.Errorf("pace %v: took %v, want %v to %v; got %s", tc.pace, took, tc.least, tc.most, b.String())
			}
		})
	}
}

func TestScriptIsReplayed(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "bug.txtar")
	script := "-- server --\nmodel strange\n-- llm/1 --\nwant user 'hi'\nsay 'From the script.'\nfinish stop\n"
	if err := os.WriteFile(name, []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	s, err := demo.ReadScript(name)
	if err != nil {
		t.Fatal(err)
	}
	h := demo.Handler(demo.Options{Script: s})
	body := object{"messages": []object{{"role": "user", "content": "hi"}}}
	if got := ask(t, h, body); got.say != "From the script." {
		t.Errorf("got %q", got.say)
	}
	if w := post(t, h, body); w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "no section in the script") {
		t.Errorf("beyond the script: got %d %s", w.Code, w.Body)
	}
}

func TestReadScriptNamesWhatIsWrong(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                        "no section llm/1",
		"-- llm/1 --\nshout hi\n": "unknown verb shout",
	} {
		name := filepath.Join(t.TempDir(), "bad.txtar")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := demo.ReadScript(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "bad.txtar") {
			t.Errorf("%q: got %v, want the file's name and %q", text, err, want)
		}
	}
	if _, err := demo.ReadScript(filepath.Join(t.TempDir(), "none")); !os.IsNotExist(err) {
		t.Errorf("a missing file: got %v", err)
	}
}

// FuzzAnswers: whatever the user says and a tool answers, the reply is whole,
// and its arguments are JSON.
func FuzzAnswers(f *testing.F) {
	for _, say := range []string{
		"tour", "read a.go", "create a with ```\nx\n```", "replace «a» by 'b' in \"c\"", "run `x", "[the user ran: x]\n\n", "lis \xff.go", "list -",
	} {
		f.Add(say, "1|a\n2|a", "[exit code: 9")
	}
	f.Fuzz(func(t *testing.T, say, first, second string) {
		c := newConversation(nil)
		results := []string{first, second}
		c.answer = func(_, args string) string {
			if !json.Valid([]byte(args)) {
				t.Errorf("%q: arguments %s", say, args)
			}
			if len(results) == 0 {
				return "ok"
			}
			result := results[0]
			results = results[1:]
			return result + " "
		}
		turns := c.say(t, say)
		if got := turns[len(turns)-1]; !got.done || got.finish != "stop" || strings.TrimSpace(got.say) == "" {
			t.Errorf("%q: the last answer is %+v", say, got)
		}
	})
}
