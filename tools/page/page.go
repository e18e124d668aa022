// Package page makes Markdown of what a web server sent: the readable part of
// a page, without what serves the site and not the reader. It knows neither
// the network nor tools, and treats its input as hostile.
package page

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"

	"codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/charset"

	"mm/safety/clean"
)

const (
	// maxTags bounds the elements of a page: the time of parsing is their
	// number times their depth. The longest pages of Wikipedia have 60,000.
	maxTags = 100_000

	// maxElements is how many elements of a page are looked at for what is
	// its article; on a page with more the whole is taken.
	maxElements = 30_000

	// leastArticle is how many characters an article has to have, and
	// leastShare the percentage of the page's text, to be taken for all that
	// matters of the page. Lists and references are no articles.
	leastArticle = 200
	leastShare   = 30
)

// ErrEmpty says that a page holds no text, as one that a script fills does.
var ErrEmpty = errors.New("the page holds no text; it may need a browser with scripts")

// Options says how a page is written.
type Options struct {
	// Base is what relative links are relative to.
	Base *url.URL

	// NoTables, NoStrikethrough and NoTaskList write these as plain text.
	NoTables, NoStrikethrough, NoTaskList bool
}

// Document is the text of a page.
type Document struct {
	Title    string // "" where there is none
	Markdown string // without the title
}

// Read makes a document of a body with this Content-Type header. The text of
// an error is a reason in words for the model.
func Read(body []byte, contentType string, o Options) (Document, error) {
	if len(bytes.TrimSpace(body)) == 0 {
		return Document{}, ErrEmpty
	}
	if strings.TrimSpace(contentType) == "" {
		contentType = http.DetectContentType(body)
	}
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil {
		kind, _, _ = strings.Cut(strings.ToLower(contentType), ";")
		kind = strings.TrimSpace(kind)
	}
	isPage := kind == "text/html" || kind == "application/xhtml+xml"
	if !isPage && !readable(kind) {
		return Document{}, fmt.Errorf("it is of the type %s, which is no text", clean.Line(kind).Short(60))
	}
	text, err := decode(body, contentType)
	if err != nil {
		return Document{}, errors.New("its text encoding cannot be read")
	}
	var doc Document
	if isPage {
		doc, err = readPage(text, o)
	} else {
		doc.Markdown, err = plain(text)
	}
	if err == nil && strings.TrimSpace(doc.Markdown) == "" {
		err = ErrEmpty
	}
	return doc, err
}

// readable tells the types that are text without being a page.
func readable(kind string) bool {
	switch kind {
	case "application/json", "application/xml", "application/javascript", "application/yaml",
		"application/x-yaml", "application/toml", "application/x-sh", "application/sql", "application/graphql":
		return true
	}
	return strings.HasPrefix(kind, "text/") || strings.HasPrefix(kind, "application/") &&
		(strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml") || strings.HasSuffix(kind, "+yaml"))
}

// decode brings a text to UTF-8, by the header, the text's own words on it or
// its bytes.
func decode(body []byte, contentType string) (string, error) {
	r, err := charset.NewReader(bytes.NewReader(body), contentType)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(r)
	return strings.ToValidUTF8(string(text), "\uFFFD"), err
}

// plain takes a text as it is, without what could act on a screen or hide.
func plain(text string) (string, error) {
	if strings.ContainsRune(text[:min(len(text), 8<<10)], 0) {
		return "", errors.New("it holds binary data")
	}
	return cleanText(text), nil
}

func readPage(text string, o Options) (Document, error) {
	if tags(text) > maxTags {
		return Document{}, fmt.Errorf("it is too large: more than %d elements", maxTags)
	}
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return Document{}, errors.New("its HTML cannot be read: elements are nested too deeply")
	}
	s := stripper{base: baseOf(root, o.Base), tasks: !o.NoTaskList}
	s.strip(root, nesting{})
	doc := Document{Title: titleOf(root)}
	content := article(root, s.elements, s.base)
	if content == nil {
		content = whole(root)
	}
	if content == nil {
		return doc, ErrEmpty
	}
	markdown, err := write(content, o)
	if err != nil {
		return Document{}, errors.New("its HTML cannot be written as Markdown")
	}
	doc.Markdown = strings.TrimSpace(cleanText(markdown))
	return doc, nil
}

// tags counts what may be the start of an element.
func tags(text string) int {
	n := 0
	for i := 0; i+1 < len(text); i++ {
		if text[i] == '<' && (text[i+1]|0x20) >= 'a' && (text[i+1]|0x20) <= 'z' {
			n++
		}
	}
	return n
}

// article finds what a reader came for, or returns nil where a page is no
// article.
func article(root *html.Node, elements int, base *url.URL) *html.Node {
	if elements > maxElements {
		return nil
	}
	parser := readability.NewParser()
	parser.DisableJSONLD = true
	parser.KeepClasses = true // the languages of code are classes
	found, err := parser.ParseDocument(root, base)
	if err != nil || found.Node == nil {
		return nil
	}
	n := textLength(found.Node)
	if n < leastArticle || 100*n < leastShare*textLength(root) {
		return nil
	}
	return found.Node
}

// cleanText drops what acts on a screen or hides, and white space at the ends
// of lines.
func cleanText(text string) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		b.WriteString(strings.TrimRight(clean.Unbounded(line).String(), " \t\n"))
		b.WriteByte('\n')
	}
	return strings.TrimRight(b.String(), "\n")
}
