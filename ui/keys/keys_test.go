package keys_test

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
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

// keyName is how a key would be called in a text.
var keyName = regexp.MustCompile(`\b(Esc|Enter|Tab|PgUp|PgDn)\b|\b(Ctrl|Alt)\+`)

// No other text of the screen names a key: a key that is bound anew would not
// change there.
func TestKeysAreNamedHereAlone(t *testing.T) {
	t.Parallel()
	read := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() && d.Name() == "keys" {
			return cmp.Or(err, fs.SkipDir)
		}
		if filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			return err
		}
		read++
		ast.Inspect(file, func(n ast.Node) bool {
			if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING && keyName.MatchString(lit.Value) {
				t.Errorf("%s names a key: %s", path, lit.Value)
			}
			return true
		})
		return nil
	})
	if err != nil || read == 0 {
		t.Fatalf("%d files were read: %v", read, err)
	}
}

func TestHintNamesTheFirstKeyOfEach(t *testing.T) {
	t.Parallel()
	if got := keys.Hint("move", keys.BlockDown, keys.BlockUp); got != "j/k move" {
		t.Errorf("got %q, want j/k move", got)
	}
}
