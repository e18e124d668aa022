package tools

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"go/parser"
	"go/scanner"
	"go/token"
	"io"
	"regexp"
	"strconv"

	"github.com/BurntSushi/toml"
	"go.yaml.in/yaml/v3"
)

func goFault(_ context.Context, text []byte) (string, bool) {
	_, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err == nil {
		return "", true
	}
	if list, ok := errors.AsType[scanner.ErrorList](err); ok && len(list) > 0 {
		return lineFault(list[0].Pos.Line, list[0].Msg), true
	}
	return err.Error(), true
}

func jsonSyntaxFault(_ context.Context, text []byte) (string, bool) {
	text = bytes.TrimPrefix(text, []byte(byteOrderMark))
	var v json.RawMessage
	err := json.Unmarshal(text, &v)
	if err == nil {
		return "", true
	}
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		before := text[:min(max(int(syntax.Offset)-1, 0), len(text))]
		return lineFault(bytes.Count(before, []byte("\n"))+1, syntax.Error()), true
	}
	return err.Error(), true
}

var yamlLine = regexp.MustCompile(`^yaml: (?:line (\d+): )?`)

// yamlFault parses each document into nodes, which expands no aliases.
// Templates of YAML are not judged.
func yamlFault(_ context.Context, text []byte) (string, bool) {
	if bytes.Contains(text, []byte("{{")) || bytes.Contains(text, []byte("{%")) {
		return "", false
	}
	for dec := yaml.NewDecoder(bytes.NewReader(text)); ; {
		var node yaml.Node
		err := dec.Decode(&node)
		if err == io.EOF {
			return "", true
		}
		if err != nil {
			m := yamlLine.FindStringSubmatch(err.Error())
			if m == nil {
				return err.Error(), true
			}
			line, _ := strconv.Atoi(m[1]) // 0 when the parser gives no line
			return lineFault(line, err.Error()[len(m[0]):]), true
		}
	}
}

// Bounds within which the TOML parser takes a fraction of a second: its time
// grows with more than the square of the parts of a key, and its stack with
// the depth of lists.
const (
	maxTOML      = 256 << 10 // bytes
	maxTOMLDepth = 200
	maxTOMLParts = 50
)

func tomlFault(_ context.Context, text []byte) (string, bool) {
	if len(text) > maxTOML || !plainTOML(text) {
		return "", false
	}
	var v map[string]any
	_, err := toml.Decode(string(text), &v)
	if err == nil {
		return "", true
	}
	if fault, ok := errors.AsType[toml.ParseError](err); ok {
		message := fault.Message
		if message == "" {
			message = fault.Error()
		}
		return lineFault(fault.Position.Line, message), true
	}
	return err.Error(), true
}

// plainTOML tells whether a text is within the bounds.
func plainTOML(text []byte) bool {
	depth := 0
	for line := range bytes.Lines(text) {
		key, _, _ := bytes.Cut(line, []byte("="))
		if bytes.Count(key, []byte(".")) > maxTOMLParts {
			return false
		}
		for _, c := range line {
			switch c {
			case '[', '{':
				depth++
			case ']', '}':
				depth = max(depth-1, 0)
			}
			if depth > maxTOMLDepth {
				return false
			}
		}
	}
	return true
}
