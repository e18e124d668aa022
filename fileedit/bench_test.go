package fileedit

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// large is a file of 5 MB with 40 lines of it to edit, as the file has them
// and as a model writes them.
func large(crlf bool) (src []byte, exact, loose string) {
	var b bytes.Buffer
	for i := 0; b.Len() < 5<<20; i++ {
		fmt.Fprintf(&b, "func f%d(x int) int {\n\tif x > %d {\n\t\treturn x\n\t}\n\treturn 0\n}\n\n", i, i)
	}
	lines := strings.Split(b.String(), "\n")
	at := len(lines) * 9 / 10
	exact = strings.Join(lines[at:at+40], "\n")
	loose = strings.ReplaceAll(exact, "\t", "    ")
	src = b.Bytes()
	if crlf {
		src = bytes.ReplaceAll(src, []byte("\n"), []byte("\r\n"))
	}
	return src, exact, loose
}

func BenchmarkApply5MB(b *testing.B) {
	src, exact, loose := large(false)
	crlf, _, _ := large(true)
	for _, bc := range []struct {
		name string
		src  []byte
		old  string
	}{
		{"exact", src, exact}, {"loose", src, loose}, {"loose CRLF", crlf, loose},
	} {
		edit := []Edit{{bc.old, bc.old + "\n// end"}}
		b.Run(bc.name, func(b *testing.B) {
			b.SetBytes(int64(len(bc.src)))
			for b.Loop() {
				if _, err := Apply(bc.src, edit, Options{Path: "f"}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkNearest5MB(b *testing.B) {
	src, _, loose := large(false)
	missing := []Edit{{strings.Replace(loose, "return 0", "return 1", 1), "x"}}
	braces := []Edit{{strings.Repeat("}\n", 400) + "x", "y"}}
	for name, edits := range map[string][]Edit{"one line differs": missing, "400 braces": braces} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := Apply(src, edits, Options{Path: "f"}); err == nil {
					b.Fatal("was not refused")
				}
			}
		})
	}
}
