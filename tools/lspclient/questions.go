package lspclient

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"
)

// Place is a line of a file.
type Place struct {
	Path string // absolute
	Line int    // from 1
}

// NameError says that a name does not stand in a file.
type NameError struct {
	Name  string
	Line  int      // that was asked for, or 0
	Names []string // that stand in that line
}

func (e *NameError) Error() string { return fmt.Sprintf("the name %q is not in the file", e.Name) }

// RefusedError is a server's answer that it cannot do what was asked.
type RefusedError struct{ Message string }

func (e *RefusedError) Error() string { return e.Message }

// at is what the questions on one name share: it shows the file to the server
// and finds the name in it. line counts from 1 and need not be exact; 0 looks
// for the declaration first.
func (c *Client) at(ctx context.Context, path, name string, line int, question func(context.Context, *session, map[string]any) error) (found int, err error) {
	err = c.ask(ctx, queryTime, "", func(ctx context.Context, s *session) error {
		text, err := s.open(ctx, path)
		if err != nil {
			return err
		}
		lines := splitLines(text)
		near := line
		if near <= 0 {
			near = s.declared(ctx, path, name)
		}
		at, ok := locate(lines, name, near)
		if !ok {
			fault := &NameError{Name: name, Line: line}
			if line >= 1 && line <= len(lines) {
				fault.Names = Names(lines[line-1])
			}
			return fault
		}
		found = at.line + 1
		return refused(question(ctx, s, map[string]any{
			"textDocument": textDocument{uriOf(path)},
			"position":     position{at.line, column(lines[at.line], at.offset, s.utf8)},
		}))
	})
	return found, err
}

// open shows a file as it is on disk.
func (s *session) open(ctx context.Context, path string) (string, error) {
	data, err := s.o.Read(path)
	if err != nil {
		return "", err
	}
	text := valid(data)
	_, err = s.show(ctx, path, text)
	return text, err
}

// refused tells the answers of a server that say no from other errors.
func refused(err error) error {
	if fault, ok := errors.AsType[*jsonrpc2.Error](err); ok {
		return &RefusedError{fault.Message}
	}
	return err
}

// declared returns the line in which a file declares a name, from 1, or 0.
func (s *session) declared(ctx context.Context, path, name string) int {
	symbols, err := s.symbols(ctx, path)
	if err != nil {
		return 0 // then the first occurrence serves
	}
	last := name[strings.LastIndexAny(name, ".:")+1:]
	for _, sym := range symbols {
		if bare := sym.Name[strings.LastIndexAny(sym.Name, ".:")+1:]; sym.Name == name || bare == last {
			return sym.Line
		}
	}
	return 0
}

// Definition finds where a name that stands in a file is defined. found is the
// line in which the name was taken.
func (c *Client) Definition(ctx context.Context, path, name string, line int) (places []Place, found int, err error) {
	return c.places(ctx, "textDocument/definition", path, name, line)
}

// References finds where a name that stands in a file is used, with its
// definition.
func (c *Client) References(ctx context.Context, path, name string, line int) (places []Place, found int, err error) {
	return c.places(ctx, "textDocument/references", path, name, line)
}

func (c *Client) places(ctx context.Context, method, path, name string, line int) (places []Place, found int, err error) {
	found, err = c.at(ctx, path, name, line, func(ctx context.Context, s *session, params map[string]any) error {
		params["context"] = map[string]any{"includeDeclaration": true}
		var answer json.RawMessage
		if err := s.call(ctx, method, params, &answer); err != nil {
			return err
		}
		places = placesOf(answer)
		return nil
	})
	return places, found, err
}

// placesOf reads a location, a list of them or of links, sorted and without
// doubles.
func placesOf(answer json.RawMessage) []Place {
	var list []location
	if json.Unmarshal(answer, &list) != nil {
		var one location
		if json.Unmarshal(answer, &one) != nil {
			return nil
		}
		list = append(list, one)
	}
	var places []Place
	for _, l := range list {
		if l.TargetURI != "" {
			l.URI, l.Range = l.TargetURI, l.TargetRange
		}
		if path := pathOf(l.URI); path != "" && l.Range.Start.Line >= 0 {
			places = append(places, Place{path, l.Range.Start.Line + 1})
		}
	}
	slices.SortFunc(places, func(a, b Place) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line))
	})
	return slices.Compact(places)
}

// Hover says what a server knows of a name that stands in a file: its type and
// its documentation, "" when nothing.
func (c *Client) Hover(ctx context.Context, path, name string, line int) (text string, found int, err error) {
	found, err = c.at(ctx, path, name, line, func(ctx context.Context, s *session, params map[string]any) error {
		var answer struct {
			Contents json.RawMessage `json:"contents"`
		}
		if err := s.call(ctx, "textDocument/hover", params, &answer); err != nil {
			return err
		}
		text = strings.TrimSpace(hoverText(answer.Contents))
		return nil
	})
	return text, found, err
}

// hoverText reads the forms that the protocol has for it: a string, an object
// with a value, or a list of these.
func hoverText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		var parts []string
		for _, part := range list {
			parts = append(parts, hoverText(part))
		}
		return strings.Join(parts, "\n")
	}
	var value struct{ Value string }
	if json.Unmarshal(raw, &value) == nil {
		return value.Value
	}
	return ""
}

// Symbol is a declaration in a file.
type Symbol struct {
	Name, Kind string
	Line, End  int // from 1
	Depth      int // of its nesting
}

// Symbols lists what a file declares, in the order of its lines.
func (c *Client) Symbols(ctx context.Context, path string) (symbols []Symbol, err error) {
	err = c.ask(ctx, queryTime, "", func(ctx context.Context, s *session) error {
		if _, err := s.open(ctx, path); err != nil {
			return err
		}
		symbols, err = s.symbols(ctx, path)
		return refused(err)
	})
	return symbols, err
}

// maxSymbols bounds the symbols of one file, and maxSymbolDepth their nesting.
const (
	maxSymbols     = 2000
	maxSymbolDepth = 10
)

func (s *session) symbols(ctx context.Context, path string) ([]Symbol, error) {
	var list []symbol
	err := s.call(ctx, "textDocument/documentSymbol", map[string]any{"textDocument": textDocument{uriOf(path)}}, &list)
	if err != nil {
		return nil, err
	}
	out := flatten(nil, list, 0)
	slices.SortStableFunc(out, func(a, b Symbol) int { return cmp.Compare(a.Line, b.Line) })
	return out, nil
}

func flatten(out []Symbol, list []symbol, depth int) []Symbol {
	for _, sym := range list {
		if len(out) >= maxSymbols || depth > maxSymbolDepth {
			break
		}
		if sym.Location != nil {
			sym.SelectionRange, sym.Range = sym.Location.Range, sym.Location.Range
		}
		out = append(out, Symbol{
			Name: sym.Name, Kind: kindName(sym.Kind), Depth: depth,
			Line: sym.SelectionRange.Start.Line + 1, End: sym.Range.End.Line + 1,
		})
		out = flatten(out, sym.Children, depth+1)
	}
	return out
}
