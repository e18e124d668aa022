package openai

import (
	"encoding/json"
	"strings"
	"testing"

	"mm/llm"
)

// fragment builds one delta of a call; index -1 leaves it out.
func fragment(index int, id, name, args string) wireCall {
	var f wireCall
	if index >= 0 {
		f.Index = &index
	}
	f.ID = text(id)
	f.Function.Name, f.Function.Arguments = text(name), argsText(args)
	return f
}

func TestCallsAreJoined(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name      string
		fragments []wireCall
		want      string // "id name args" of each, joined by newlines
	}{
		{"by index", []wireCall{
			fragment(0, "a", "bash", ""), fragment(1, "b", "read_file", ""),
			fragment(0, "", "", `{"x":`), fragment(1, "", "", `{"y":2}`), fragment(0, "", "", `1}`),
		}, "a bash {\"x\":1}\nb read_file {\"y\":2}"},
		{"without index", []wireCall{
			fragment(-1, "a", "bash", `{"x"`), fragment(-1, "", "", `:1}`), fragment(-1, "b", "bash", `{}`),
		}, "a bash {\"x\":1}\nb bash {}"},
		{"without index and id", []wireCall{
			fragment(-1, "", "bash", `{"x":1}`), fragment(-1, "", "bash", `{"x":2}`),
		}, "call00001 bash {\"x\":1}\ncall00002 bash {\"x\":2}"},
		{"same index, new ids", []wireCall{
			fragment(0, "a", "bash", `{"x":1}`), fragment(0, "b", "bash", `{"x":2}`),
		}, "a bash {\"x\":1}\nb bash {\"x\":2}"},
		{"same index, new names", []wireCall{
			fragment(0, "", "bash", `{"x":1}`), fragment(0, "", "read_file", `{}`),
		}, "call00001 bash {\"x\":1}\ncall00002 read_file {}"},
		{"head repeated with each fragment", []wireCall{
			fragment(0, "a", "bash", `{"x"`), fragment(0, "a", "bash", `:1`), fragment(0, "a", "bash", `}`),
		}, `a bash {"x":1}`},
		{"name repeated without an id", []wireCall{
			fragment(0, "", "bash", `{"x"`), fragment(0, "", "bash", `:1}`), fragment(0, "", "bash", `{"x":2}`),
		}, "call00001 bash {\"x\":1}\ncall00002 bash {\"x\":2}"},
		{"whole call sent twice", []wireCall{
			fragment(0, "a", "bash", `{"x":1}`), fragment(0, "a", "bash", `{"x":1}`), fragment(1, "a", "bash", `{"x":1}`),
		}, `a bash {"x":1}`},
		{"same id, other arguments", []wireCall{
			fragment(0, "a", "bash", `{"x":1}`), fragment(1, "a", "bash", `{"x":2}`),
		}, "a bash {\"x\":1}\ncall00002 bash {\"x\":2}"},
		{"name comes late", []wireCall{
			fragment(0, "a", "", ""), fragment(0, "", "", "{"), fragment(0, "a", "bash", ""), fragment(0, "", "", "}"),
		}, `a bash {}`},
		{"empty strings are absent", []wireCall{
			fragment(0, "a", "bash", ""), fragment(0, "", "", ""), fragment(0, "", "", "{}"),
		}, `a bash {}`},
		{"nothing at all", []wireCall{fragment(0, "", "", ""), fragment(1, "x", "", "")}, ""},
		{"indices with holes", []wireCall{fragment(5, "a", "bash", "{}"), fragment(2, "b", "bash", "{}")}, "a bash {}\nb bash {}"},
		{"absent arguments", []wireCall{fragment(0, "a", "bash", ""), fragment(1, "b", "bash", "null")}, "a bash {}\nb bash {}"},
		{"rune split", []wireCall{fragment(0, "a", "bash", "\"\xe4\xb8"), fragment(0, "", "", "\x96\"")}, `a bash "世"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c := calls{declared: ask.Tools}
			var shown []string
			for _, f := range tc.fragments {
				d, ok := c.add(f)
				if !ok {
					continue
				}
				for d.Call >= len(shown) {
					shown = append(shown, "")
				}
				shown[d.Call] += d.Name + d.Args
			}
			var got []string
			for i, call := range c.finish(true) {
				got = append(got, call.ID+" "+call.Name+" "+call.Args)
				if call.Args != "{}" && (i >= len(shown) || !strings.HasSuffix(shown[i], call.Args)) {
					t.Errorf("deltas showed %q", shown)
				}
			}
			if s := strings.Join(got, "\n"); s != tc.want {
				t.Errorf("got %q, want %q", s, tc.want)
			}
		})
	}
}

func TestCutCallsKeepTheirArguments(t *testing.T) {
	t.Parallel()
	var c calls
	c.add(fragment(0, "a", "bash", ""))
	if got := c.finish(false); len(got) != 1 || got[0].Args != "" {
		t.Errorf("got %+v, want no arguments made up", got)
	}
}

// FuzzCalls: any fragments give calls with distinct ids, in order, and no
// argument byte is lost or made up.
func FuzzCalls(f *testing.F) {
	f.Add([]byte(`[{"index":0,"id":"a","function":{"name":"bash","arguments":"{}"}},{"function":{"arguments":"x"}}]`))
	f.Add([]byte(`[{"index":1,"function":{"arguments":{"a":1}}},{"index":"0","id":7}]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var fragments []wireCall
		if json.Unmarshal(data, &fragments) != nil {
			return
		}
		c := calls{declared: []llm.ToolSpec{{Name: "bash"}}}
		shown := map[int]string{}
		for _, f := range fragments {
			if d, ok := c.add(f); ok {
				if d.Call < 0 || d.Call >= len(c.shown) {
					t.Fatalf("delta for call %d of %d", d.Call, len(c.shown))
				}
				shown[d.Call] += d.Args
			}
		}
		ids := map[string]bool{}
		for _, call := range c.finish(false) {
			if ids[call.ID] || call.ID == "" {
				t.Errorf("id %q is not its own", call.ID)
			}
			ids[call.ID] = true
		}
		for i, at := range c.shown {
			if at.args.String() != shown[i] {
				t.Errorf("call %d has %q, shown %q", i, at.args.String(), shown[i])
			}
		}
	})
}
