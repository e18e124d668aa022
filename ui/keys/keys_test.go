package keys_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"testing"

	"mm/ui/keys"
)

// The help lists all that there is. "?" stands in the line of F1.
func TestEveryBindingIsInTheHelp(t *testing.T) {
	t.Parallel()
	file, err := parser.ParseFile(token.NewFileSet(), "keys.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var bindings []string
	helped := map[string]bool{"HelpTyped": true}
	for _, decl := range file.Decls {
		switch decl := decl.(type) {
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				if v, ok := spec.(*ast.ValueSpec); ok {
					bindings = append(bindings, v.Names[0].Name)
				}
			}
		case *ast.FuncDecl:
			if decl.Name.Name != "All" {
				continue
			}
			ast.Inspect(decl, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					helped[id.Name] = true
				}
				return true
			})
		}
	}
	if len(bindings) == 0 {
		t.Fatal("there are no bindings")
	}
	for _, name := range bindings {
		if !helped[name] {
			t.Errorf("the help lacks %s", name)
		}
	}
}

func TestHintNamesTheFirstKeyOfEach(t *testing.T) {
	t.Parallel()
	if got := keys.Hint("move", keys.BlockDown, keys.BlockUp); got != "j/k move" {
		t.Errorf("got %q, want j/k move", got)
	}
}
