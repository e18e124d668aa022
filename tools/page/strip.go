package page

import (
	"net/url"
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"mm/safety/clean"
)

const (
	// maxDepth is how deeply elements may be nested to be kept.
	maxDepth = 400

	// maxLists is how deeply lists and quotes may be nested to be written as
	// such: the writer copies its text once for each level.
	maxLists = 20

	// maxLink is the length in bytes of a link's target from which only its
	// text is kept.
	maxLink = 500

	// maxNotice is the length in bytes of the text of a banner.
	maxNotice = 1500
)

// dropped are elements that hold nothing to read.
var dropped = map[atom.Atom]bool{
	atom.Script: true, atom.Style: true, atom.Template: true, atom.Iframe: true, atom.Frame: true,
	atom.Object: true, atom.Embed: true, atom.Applet: true, atom.Svg: true, atom.Canvas: true,
	atom.Audio: true, atom.Video: true, atom.Link: true, atom.Noscript: true, atom.Dialog: true,
	atom.Select: true, atom.Textarea: true, atom.Button: true, atom.Datalist: true,
}

var (
	// hiding styles make text that a reader does not see, and a program
	// would.
	hiding = regexp.MustCompile(`(?i)(display\s*:\s*none|visibility\s*:\s*(hidden|collapse)|opacity\s*:\s*0*\.?0+\s*(;|!|$)|` +
		`font-size\s*:\s*0*\.?0+\s*(px|em|rem|pt|%)?\s*(;|!|$)|(^|[;\s])(left|top|right|text-indent|margin-left)\s*:\s*-\d{3,}|` +
		`clip\s*:\s*rect\(\s*[01](px)?[\s,]+[01]|(^|[;\s])(width|height)\s*:\s*0(px)?\s*(;|!|$))`)

	// notice is in the names of banners that ask for consent, and of
	// advertising.
	notice = regexp.MustCompile(`(?i)(^|[-_\s])(cookies?|consent|gdpr|ccpa|onetrust|didomi|cookiebot|` +
		`ads?|advert\w*|adsense|adsbygoogle|sponsor(ed)?|newsletter|popup|social-share|share-buttons?)([-_\s]|$)|` +
		`(?i)cookie-?(banner|consent|notice|bar|law)`)
)

// stripper takes out of a page comments, what is hidden, what is no text, and
// links that are scripts, and makes the other links absolute.
type stripper struct {
	base  *url.URL
	tasks bool // the boxes of task lists are written

	elements int // how many stay
}

// nesting is how deep in a page an element lies.
type nesting struct{ elements, lists int }

func (s *stripper) strip(n *html.Node, in nesting) {
	var next *html.Node
	for c := n.FirstChild; c != nil; c = next {
		next = c.NextSibling
		switch {
		case c.Type == html.CommentNode, c.Type == html.ElementNode && (in.elements > maxDepth || drops(c)):
			n.RemoveChild(c)
		case c.Type == html.ElementNode:
			s.elements++
			inner := nesting{in.elements + 1, in.lists}
			switch c.DataAtom {
			case atom.Input:
				s.box(c)
			case atom.Ul, atom.Ol, atom.Li, atom.Blockquote, atom.Dl, atom.Dd:
				if inner.lists++; inner.lists > maxLists {
					c.DataAtom, c.Data = atom.Div, "div"
				}
			}
			s.mend(c)
			s.strip(c, inner)
		}
	}
}

// box turns the box of a task into its sign.
func (s *stripper) box(n *html.Node) {
	sign := "[ ] "
	for _, a := range n.Attr {
		if a.Key == "checked" {
			sign = "[x] "
		}
	}
	n.DataAtom, n.Data, n.Attr = atom.Span, "span", nil
	if s.tasks {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: sign})
	}
}

// drops tells whether an element is left out with all that it holds.
func drops(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Html, atom.Head, atom.Body, atom.Main:
		return false
	case atom.Input:
		return attr(n, "type") != "checkbox"
	}
	if dropped[n.DataAtom] {
		return true
	}
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return true
		case "aria-hidden":
			if a.Val == "true" {
				return true
			}
		case "style":
			if hiding.MatchString(a.Val) {
				return true
			}
		case "id", "class":
			if len(a.Val) < maxLink && notice.MatchString(a.Val) && isNotice(n) {
				return true
			}
		}
	}
	return false
}

// isNotice tells whether an element with such a name can be one: it is short,
// and no code.
func isNotice(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Article, atom.Code, atom.Pre, atom.Span:
		return false
	}
	size := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			size += len(strings.TrimSpace(d.Data))
		}
		if size > maxNotice {
			return false
		}
	}
	return true
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

// mend makes links absolute. A link that is a script, data or very long loses
// its target and becomes its text.
//
// A cell of a table becomes one cell, whatever it says to span: a page could
// make a table of any size so.
func (s *stripper) mend(n *html.Node) {
	key := "href"
	switch n.DataAtom {
	case atom.A:
	case atom.Img:
		key = "src"
	case atom.Td, atom.Th:
		n.Attr = nil
		return
	default:
		return
	}
	target := link(attr(n, key), s.base)
	kept := n.Attr[:0]
	for _, a := range n.Attr {
		if a.Key == key && target != "" {
			a.Val = target
			kept = append(kept, a)
		} else if a.Key == "alt" || a.Key == "title" || a.Key == "id" || a.Key == "class" {
			kept = append(kept, a)
		}
	}
	n.Attr = kept
	if target == "" {
		turnToText(n)
	}
}

// turnToText makes a link or picture without a target into its text.
func turnToText(n *html.Node) {
	if alt := attr(n, "alt"); n.DataAtom == atom.Img && alt != "" {
		n.AppendChild(&html.Node{Type: html.TextNode, Data: alt})
	}
	n.DataAtom, n.Data = atom.Span, "span"
}

// link returns an absolute target of http, https or mailto, or "".
func link(target string, base *url.URL) string {
	target = strings.TrimSpace(target)
	if target == "" || len(target) > maxLink || strings.HasPrefix(target, "#") {
		return ""
	}
	u, err := url.Parse(target)
	if err != nil {
		return ""
	}
	if base != nil {
		u = base.ResolveReference(u)
	}
	switch u.Scheme {
	case "http", "https", "mailto":
		return u.String()
	}
	return ""
}

// baseOf is what relative links are relative to: the page's own word on it, or
// its address.
func baseOf(root *html.Node, address *url.URL) *url.URL {
	n := find(root, atom.Base)
	if n == nil {
		return address
	}
	if u, err := url.Parse(link(attr(n, "href"), address)); err == nil && u.Host != "" {
		return u
	}
	return address
}

// find returns the first element of a kind.
func find(n *html.Node, kind atom.Atom) *html.Node {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && d.DataAtom == kind {
			return d
		}
	}
	return nil
}

func titleOf(root *html.Node) string {
	n := find(root, atom.Title)
	if n == nil || n.FirstChild == nil {
		return ""
	}
	return clean.Line(strings.Join(strings.Fields(n.FirstChild.Data), " ")).Short(200).String()
}

// whole returns a page's body without what surrounds the text on each page of
// a site.
func whole(root *html.Node) *html.Node {
	body := find(root, atom.Main)
	if body == nil || textLength(body) < leastArticle {
		body = find(root, atom.Body)
	}
	if body == nil {
		return nil
	}
	around := map[atom.Atom]bool{atom.Nav: true, atom.Footer: true, atom.Aside: true, atom.Form: true}
	rest := textLength(body)
	var next *html.Node
	for n := body; n != nil; n = next {
		next = after(n, body)
		role := attr(n, "role")
		if n == body || !around[n.DataAtom] && role != "navigation" && role != "contentinfo" && role != "banner" {
			continue
		}
		// A page that is all in one of these keeps it.
		if size := textLength(n); size < rest {
			rest -= size
			next = skip(n, body)
			n.Parent.RemoveChild(n)
		}
	}
	return body
}

// after is the next node below root in the order of the text.
func after(n, root *html.Node) *html.Node {
	if n.FirstChild != nil {
		return n.FirstChild
	}
	return skip(n, root)
}

// skip is the next node below root that is not below n.
func skip(n, root *html.Node) *html.Node {
	for ; n != root; n = n.Parent {
		if n.NextSibling != nil {
			return n.NextSibling
		}
	}
	return nil
}

// textLength counts the characters of a node's text, white space folded.
func textLength(n *html.Node) int {
	total := 0
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			for word := range strings.FieldsSeq(d.Data) {
				total += utf8.RuneCountInString(word) + 1
			}
		}
	}
	return total
}
