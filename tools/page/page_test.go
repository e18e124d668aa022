package page

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

func at(t testing.TB, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestReadPages(t *testing.T) {
	t.Parallel()
	archive, err := txtar.ParseFile("testdata/pages.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(archive.Files); i += 2 {
		in, want := archive.Files[i], string(archive.Files[i+1].Data)
		doc, err := Read(in.Data, "text/html; charset=utf-8", Options{Base: at(t, "https://example.com/a/b")})
		if err != nil {
			t.Errorf("%s: %v", in.Name, err)
		}
		if diff := cmp.Diff(want, doc.Markdown+"\n"); diff != "" {
			t.Errorf("%s (-want +got):\n%s", in.Name, diff)
		}
	}
}

func TestReadTitle(t *testing.T) {
	t.Parallel()
	doc, err := Read([]byte("<title> A\n \x1b[31mtitle\u202e </title><p>x"), "text/html", Options{})
	if err != nil || doc.Title != "A title" {
		t.Errorf("got %q, %v", doc.Title, err)
	}
}

func TestReadWithoutExtensions(t *testing.T) {
	t.Parallel()
	const in = "<p><del>a</del><table><tr><td>b<td>c</table><ul><li><input type=checkbox checked>d</ul>"
	doc, err := Read([]byte(in), "text/html", Options{NoTables: true, NoStrikethrough: true, NoTaskList: true})
	if err != nil || strings.ContainsAny(doc.Markdown, "~|[") || !strings.Contains(doc.Markdown, "- d") {
		t.Errorf("got %q, %v", doc.Markdown, err)
	}
}

func TestReadTypes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ body, kind, want, err string }{
		{"a\r\n\r\n\r\nb \n", "text/plain", "a\n\n\nb", ""},
		{`{"a":1}`, "application/json", `{"a":1}`, ""},
		{`{"a":1}`, "application/ld+json; charset=utf-8", `{"a":1}`, ""},
		{"<p>x", "text/plain", "<p>x", ""},
		{"<p>x", "", "x", ""},
		{"<p>x", "text/html; charset=\"", "x", ""},
		{"caf\xe9", "text/plain; charset=iso-8859-1", "café", ""},
		{"<meta charset=shift_jis><p>\x93\xfa\x96{", "text/html", "日本", ""},
		{"\xff\xfea\x00b\x00", "text/plain", "ab", ""},
		{"# A\n\x1b]52;c;eA==\x07b\u202ec", "text/markdown", "# A\nbc", ""},
		{"%PDF-1.7", "application/pdf", "", "it is of the type application/pdf, which is no text"},
		{"\x89PNG", "image/png", "", "it is of the type image/png, which is no text"},
		{"\x89PNG\r\n\x1a\n", "", "", "it is of the type image/png, which is no text"},
		{"PK\x03\x04", "application/octet-stream", "", "it is of the type application/octet-stream, which is no text"},
		{"a\x00b", "text/plain; charset=utf-8", "", "it holds binary data"},
		{"", "text/html", "", ErrEmpty.Error()},
		{" \n ", "text/plain", "", ErrEmpty.Error()},
		{"<html><body><div id=root></div><script>fill()</script></body></html>", "text/html", "", ErrEmpty.Error()},
		{"<!-- only -->", "text/html", "", ErrEmpty.Error()},
	} {
		doc, err := Read([]byte(tc.body), tc.kind, Options{})
		said := ""
		if err != nil {
			said = err.Error()
		}
		if doc.Markdown != tc.want || said != tc.err {
			t.Errorf("%q as %q: got %q, %q; want %q, %q", tc.body, tc.kind, doc.Markdown, said, tc.want, tc.err)
		}
	}
	if _, err := Read(nil, "", Options{}); !errors.Is(err, ErrEmpty) {
		t.Errorf("nothing: %v", err)
	}
}

// Pages on which the libraries need minutes or gigabytes are refused or read
// without what costs so much.
func TestReadHostilePages(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for name, in := range map[string]string{
		"deep":           strings.Repeat("<div>", 99_000),
		"many":           strings.Repeat("<p>x", 1_000_000),
		"deep and many":  strings.Repeat(strings.Repeat("<div>", 400)+"a, b"+strings.Repeat("</div>", 400), 80),
		"spans of cells": "<table><tr><td colspan=1000 rowspan=65534>x" + strings.Repeat("<tr><td colspan=1000>", 1000),
		"open brackets":  "<p>" + strings.Repeat("*_`[", 200_000),
		"lists in lists": strings.Repeat("<ul><li>"+strings.Repeat("x<br>", 50), 200),
		"quotes":         strings.Repeat("<blockquote>x", 450),
		"links in links": strings.Repeat("<a href=x>y", 30_000),
		"wide table":     "<table><tr>" + strings.Repeat("<td>a", 30_000),
	} {
		began := time.Now()
		doc, err := Read([]byte(in), "text/html", Options{Base: at(t, "https://example.com")})
		// With the bounds each takes a second or two on a slow machine.
		if d := time.Since(began); d > time.Minute || len(doc.Markdown) > 20<<20 {
			t.Errorf("%s: %v, %d bytes, %v", name, d, len(doc.Markdown), err)
		}
	}
}

func FuzzRead(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/pages.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range archive.Files {
		f.Add(file.Data)
	}
	f.Add([]byte("<a href='java\nscript:x'>y</a><img src=x onerror=z>"))
	f.Fuzz(func(t *testing.T, in []byte) {
		doc, err := Read(in, "text/html; charset=utf-8", Options{Base: at(t, "https://example.com/")})
		if err != nil {
			return
		}
		if strings.TrimSpace(doc.Markdown) == "" {
			t.Error("an empty page is no document")
		}
		if strings.ContainsAny(doc.Markdown+doc.Title, "\x00\x1b\u202e\u200b\r") {
			t.Errorf("controls in %q", doc.Markdown)
		}
		if strings.Contains(strings.ToLower(doc.Markdown), "](javascript:") && !strings.Contains(strings.ToLower(string(in)), "](javascript:") {
			t.Errorf("a script link in %q", doc.Markdown)
		}
	})
}
