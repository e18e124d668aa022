package configs_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"mm/configs"
)

// Both files are made anew by: go test ./configs -update
var update = flag.Bool("update", false, "write the files that are made from the code")

const (
	schemaFile    = "agent.schema.json"
	referenceFile = "../docs/configuration.md"

	generatedStart = "<!-- made from the code: go test ./configs -update -->\n"
	generatedEnd   = "<!-- end -->\n"
)

// golden compares a file with what it should hold, or writes it.
func golden(t *testing.T, name, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the code says; go test ./configs -update writes it anew", name)
	}
}

func TestReferenceIsUpToDate(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(referenceFile)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(data), generatedStart)
	_, after, closed := strings.Cut(rest, generatedEnd)
	if !ok || !closed {
		t.Fatalf("%s has no place for the tables", referenceFile)
	}
	golden(t, referenceFile, before+generatedStart+"\n"+configs.Reference()+"\n"+generatedEnd+after)
}

func TestSchemaIsUpToDate(t *testing.T) {
	t.Parallel()
	golden(t, schemaFile, string(configs.Schema()))
}

// TestSchemaKnowsEveryKey holds the schema to the keys, with a description and
// a type for each.
func TestSchemaKnowsEveryKey(t *testing.T) {
	t.Parallel()
	type node struct {
		Type, Description    string
		Enum                 []string
		Properties           map[string]*node
		AdditionalProperties any
	}
	var root node
	if err := json.Unmarshal(configs.Schema(), &root); err != nil {
		t.Fatal(err)
	}
	leaves := 0
	var count func(n *node)
	count = func(n *node) {
		for _, p := range n.Properties {
			if p.Properties == nil {
				leaves++
			}
			count(p)
		}
		if n.Properties != nil && n.AdditionalProperties != false {
			t.Error("a section takes unknown keys")
		}
	}
	count(&root)
	if leaves != len(configs.Keys()) {
		t.Errorf("%d keys in the schema, want %d", leaves, len(configs.Keys()))
	}
	for _, key := range configs.Keys() {
		n := &root
		for part := range strings.SplitSeq(key, ".") {
			if n = n.Properties[part]; n == nil {
				t.Fatalf("%s is not in the schema", key)
			}
		}
		if n.Type == "" || n.Description == "" {
			t.Errorf("%s has no type or no description: default.yaml needs a comment above it", key)
		}
		for _, value := range n.Enum {
			if _, err := configs.Load(configs.Sources{Flags: map[string]string{key: value, "baseURL": "http://h:1"}}); err != nil {
				t.Errorf("%s takes no %q: %v", key, value, err)
			}
		}
	}
}

// The key "ask" stands behind a value of the same text.
func TestDefaultOfAKeyThatIsAValueToo(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	type property struct{ Default json.RawMessage }
	var schema struct {
		Properties struct {
			Permissions struct{ Properties map[string]property }
		}
	}
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"ask": "[]", "mode": `"ask"`} {
		if got := string(schema.Properties.Permissions.Properties[key].Default); got != want {
			t.Errorf("permissions.%s is %s by default, want %s", key, got, want)
		}
	}
}
