package configs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

	"go.yaml.in/yaml/v3"
)

// Allow adds rules in their short form ("bash: go test *") to permissions.allow
// in the user's file, which is made if there is none. What the file says
// otherwise, comments included, stays; rules that it has already are left out.
// It returns those that were added.
func Allow(name string, rules []string) ([]string, error) {
	if name == "" {
		return nil, errors.New("this system names no folder for configuration: set HOME")
	}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a link to the file stays one
	}
	data, err := readBounded(name, exposed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(doc.Content) == 0 {
		doc = yaml.Node{Kind: yaml.DocumentNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}, HeadComment: doc.HeadComment, FootComment: doc.FootComment}
	}
	list := child(child(doc.Content[0], "permissions", yaml.MappingNode), "allow", yaml.SequenceNode)
	if list == nil {
		return nil, fmt.Errorf("%s: permissions.allow is not a list", name)
	}
	var added []string
	for _, rule := range rules {
		if !slices.ContainsFunc(list.Content, func(n *yaml.Node) bool { return n.Value == rule }) {
			list.Content = append(list.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: rule})
			added = append(added, rule)
		}
	}
	if len(added) == 0 {
		return nil, nil
	}
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	if err := enc.Encode(&doc); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return added, replaceFile(name, out.Bytes())
}

// child returns the value of a key, made if it is missing; nil when it is of
// another kind.
func child(parent *yaml.Node, key string, kind yaml.Kind) *yaml.Node {
	if parent == nil || parent.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(parent.Content); i += 2 {
		if parent.Content[i].Value == key {
			if value := parent.Content[i+1]; value.Kind == kind {
				return value
			}
			return nil
		}
	}
	value := &yaml.Node{Kind: kind}
	parent.Content = append(parent.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
	return value
}
