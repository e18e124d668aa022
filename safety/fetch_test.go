package safety

import (
	"compress/gzip"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

func TestMendURL(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"k33g.org":                       "https://k33g.org",
		"https//k33g.org":                "https://k33g.org",
		"http//k33g.org":                 "http://k33g.org",
		"https:/k33g.org/a":              "https://k33g.org/a",
		"https:k33g.org":                 "https://k33g.org",
		"https:://k33g.org":              "https://k33g.org",
		"HTTPS://k33g.org":               "https://k33g.org",
		"htps://k33g.org":                "https://k33g.org",
		"htttps://k33g.org":              "https://k33g.org",
		"ttps://k33g.org":                "https://k33g.org",
		"https://https://k33g.org":       "https://k33g.org",
		`https:\\k33g.org`:               "https://k33g.org",
		"//k33g.org/a":                   "https://k33g.org/a",
		"www.k33g.org/a?b=c":             "https://www.k33g.org/a?b=c",
		"k33g.org:8080/a":                "https://k33g.org:8080/a",
		" <https://k33g.org> ":           "https://k33g.org",
		"`https://k33g.org`,":            "https://k33g.org",
		"[the page](https://k33g.org/a)": "https://k33g.org/a",
		"https://k33g.org/http://x":      "https://k33g.org/http://x",
		"https.example.com":              "https://https.example.com",
		"ftp://k33g.org":                 "ftp://k33g.org",
		"file:///etc/passwd":             "file:///etc/passwd",
		"javascript:alert(1)":            "javascript:alert(1)",
		"mailto:a@k33g.org":              "mailto:a@k33g.org",
		"":                               "",
	} {
		if got := MendURL(typed); got != want {
			t.Errorf("%q: got %q, want %q", typed, got, want)
		}
	}
}

func fetchClient(t *testing.T, o FetchOptions) *FetchClient {
	t.Helper()
	if o.Proxy == nil {
		o.Proxy = func(*url.URL) (*url.URL, error) { return nil, nil }
	}
	c, err := NewFetchClient(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func code(err error) FetchCode {
	if fault, ok := errors.AsType[*FetchError](err); ok {
		return fault.Code
	}
	return 0
}

// Each address is refused before anything is looked up.
func TestFetchRefusesAddresses(t *testing.T) {
	t.Parallel()
	c := fetchClient(t, FetchOptions{Resolver: noNames})
	for raw, want := range map[string]FetchCode{
		"http://127.0.0.1/":                2,
		"http://127.1/":                    2,
		"http://127.0.0.1.:80/":            2,
		"http://0.0.0.0/":                  2,
		"http://0/":                        2,
		"http://2130706433/":               2,
		"http://0x7f000001/":               2,
		"http://0x7f.1/":                   2,
		"http://0177.0.0.1/":               2,
		"http://017700000001/":             2,
		"http://①②⑦.⓪.⓪.①/":                2,
		"http://127。0。0。1/":                2,
		"http://１２７.0.0.1/":                2,
		"http://10.1.2.3/":                 2,
		"http://172.16.0.1/":               2,
		"http://172.31.255.255/":           2,
		"http://192.168.1.1/":              2,
		"http://169.254.169.254/latest":    2,
		"http://100.64.0.1/":               2,
		"http://100.100.100.200/":          2,
		"http://168.63.129.16/":            2,
		"http://192.0.0.192/":              2,
		"http://192.0.2.1/":                2,
		"http://198.51.100.1/":             2,
		"http://203.0.113.1/":              2,
		"http://198.18.0.1/":               2,
		"http://198.19.255.255/":           2,
		"http://192.88.99.1/":              2,
		"http://224.0.0.1/":                2,
		"http://240.0.0.1/":                2,
		"http://255.255.255.255/":          2,
		"http://[::1]/":                    2,
		"http://[::]/":                     2,
		"http://[0:0:0:0:0:0:0:1]/":        2,
		"http://[::127.0.0.1]/":            2,
		"http://[::ffff:127.0.0.1]/":       2,
		"http://[::ffff:8.8.8.8]/":         2,
		"http://[::ffff:7f00:1]/":          2,
		"http://[64:ff9b::7f00:1]/":        2,
		"http://[64:ff9b:1::1]/":           2,
		"http://[2002:7f00:1::]/":          2,
		"http://[2001:0:7f00:1::]/":        2,
		"http://[2001:2::1]/":              2,
		"http://[2001:10::1]/":             2,
		"http://[2001:db8::1]/":            2,
		"http://[3fff::1]/":                2,
		"http://[100::1]/":                 2,
		"http://[5f00::1]/":                2,
		"http://[fc00::1]/":                2,
		"http://[fd00:ec2::254]/":          2,
		"http://[fe80::1]/":                2,
		"http://[fe80::1%25eth0]/":         2,
		"http://[fec0::1]/":                2,
		"http://[ff02::1]/":                2,
		"http://localhost/":                2,
		"http://LOCALHOST:8080/":           2,
		"http://localhost./":               2,
		"http://a.localhost/":              2,
		"http://ⓛocalhost/":                2,
		"http://localhost.localdomain/":    2,
		"http://metadata.google.internal/": 2,
		"http://metadata/":                 2,
		"http://instance-data/latest":      2,
		"http://printer.local/":            2,
		"http://nas.lan/":                  2,
		"http://router.home.arpa/":         2,
		"http://x.onion/":                  2,

		"ftp://example.com/":                   3,
		"file:///etc/passwd":                   3,
		"gopher://example.com/":                3,
		"javascript:alert(1)":                  3,
		"data:text/html,x":                     3,
		"https:example.com":                    3,
		"//example.com":                        3,
		"example.com":                          3,
		"":                                     3,
		"https://":                             3,
		"https:///path":                        3,
		"https://user@example.com/":            3,
		"https://user:pass@example.com/":       3,
		"https://example.com@127.0.0.1/":       3,
		"https://exam ple.com/":                3,
		"https://example.com:0/":               3,
		"https://example.com:65536/":           3,
		"https://example.com:http/":            3,
		"https://a..b/":                        3,
		"https://exa<mple.com/":                3,
		"https://example.com/\r\nX: y":         3,
		"https://example.com/%zz":              3,
		"https://[::1/":                        3,
		"https://example.com/\xff":             3,
		"https://" + strings.Repeat("a", 5000): 3,
	} {
		if err := c.Check(t.Context(), raw); code(err) != want {
			t.Errorf("%q: got code %d (%v), want %d", raw, code(err), err, want)
		}
		if _, err := c.Get(t.Context(), raw, nil); code(err) != want {
			t.Errorf("Get %q: got code %d (%v), want %d", raw, code(err), err, want)
		}
	}
}

// noNames is a resolver that fails a test in which it is asked.
var noNames = &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
	panic("a name was looked up")
}}

func TestAddressFaultLetsThePublicInternetPass(t *testing.T) {
	t.Parallel()
	for _, a := range []string{
		"1.1.1.1", "8.8.8.8", "93.184.215.14", "172.15.255.255", "172.32.0.0", "100.63.255.255", "100.128.0.0",
		"169.253.0.1", "198.17.0.1", "198.20.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860:4860::8888", "2003::1",
	} {
		if fault := addressFault(netip.MustParseAddr(a)); fault != "" {
			t.Errorf("%s: %s", a, fault)
		}
	}
}

// nameServer answers each question of a test with an address.
func nameServer(t *testing.T, addrs map[string]string) *net.Resolver {
	t.Helper()
	answer := func(c net.Conn) {
		defer c.Close()
		for {
			var size uint16
			if binary.Read(c, binary.BigEndian, &size) != nil {
				return
			}
			raw := make([]byte, size)
			if _, err := io.ReadFull(c, raw); err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(raw) != nil || len(m.Questions) != 1 {
				return
			}
			q := m.Questions[0]
			m.Response, m.Additionals = true, nil
			a, err := netip.ParseAddr(addrs[strings.TrimSuffix(q.Name.String(), ".")])
			head := dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 1}
			switch {
			case err != nil:
				m.RCode = dnsmessage.RCodeNameError
			case a.Is4() && q.Type == dnsmessage.TypeA:
				m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AResource{A: a.As4()}}}
			case a.Is6() && q.Type == dnsmessage.TypeAAAA:
				m.Answers = []dnsmessage.Resource{{Header: head, Body: &dnsmessage.AAAAResource{AAAA: a.As16()}}}
			}
			out, err := m.Pack()
			if err != nil || binary.Write(c, binary.BigEndian, uint16(len(out))) != nil {
				return
			}
			if _, err := c.Write(out); err != nil {
				return
			}
		}
	}
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		go answer(server)
		return client, nil
	}}
}

// A name says nothing: what counts is the address that it has when it is
// dialled.
func TestFetchJudgesWhatNamesStandFor(t *testing.T) {
	t.Parallel()
	inner := map[string]string{
		"loop.example.com": "127.0.0.1", "priv.example.com": "10.0.0.1", "meta.example.com": "169.254.169.254",
		"six.example.com": "::1", "ula.example.com": "fd00::1", "nat.example.com": "64:ff9b::7f00:1",
	}
	c := fetchClient(t, FetchOptions{Resolver: nameServer(t, inner)})
	for name := range inner {
		for _, raw := range []string{"http://" + name + "/", "https://" + name + ":8443/"} {
			_, err := c.Get(t.Context(), raw, nil)
			if code(err) != FetchUnreachable || !strings.Contains(err.Error(), "public internet") {
				t.Errorf("%s: %v", raw, err)
			}
			if err := c.Check(t.Context(), raw); code(err) != FetchUnreachable {
				t.Errorf("check %s: %v", raw, err)
			}
		}
	}
	if err := c.Check(t.Context(), "http://none.example.com"); err != nil {
		t.Errorf("a name that leads nowhere: %v", err)
	}
	if _, err := c.Get(t.Context(), "http://none.example.com", nil); code(err) != FetchUnreachable || !strings.Contains(err.Error(), "does not exist") {
		t.Errorf("a name that leads nowhere is fetched: %v", err)
	}
	public := fetchClient(t, FetchOptions{Resolver: nameServer(t, map[string]string{"a.example.com": "93.184.215.14"})})
	if err := public.Check(t.Context(), "https://a.example.com"); err != nil {
		t.Errorf("a public address: %v", err)
	}
}

// site is a hostile server that the client may reach.
func site(t *testing.T, handler http.HandlerFunc) (*httptest.Server, *FetchClient) {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(s.Close)
	return s, fetchClient(t, FetchOptions{AllowHosts: []string{s.Listener.Addr().String()}})
}

func noRobots(h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}
}

func TestFetchGetsAPage(t *testing.T) {
	t.Parallel()
	var seen http.Header
	s, c := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) {
		seen = r.Header
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		http.SetCookie(w, &http.Cookie{Name: "a", Value: "b"})
		if r.URL.Path == "/one" {
			http.Redirect(w, r, "/two?q=1#part", http.StatusFound)
			return
		}
		fmt.Fprint(w, "hello")
	}))
	page, err := c.Get(t.Context(), s.URL+"/one#top", nil)
	if err != nil {
		t.Fatal(err)
	}
	if page.URL != s.URL+"/two?q=1" || string(page.Body) != "hello" || page.Type != "text/html; charset=utf-8" {
		t.Errorf("got %+v", page)
	}
	for _, name := range []string{"Cookie", "Referer", "Authorization"} {
		if seen.Get(name) != "" {
			t.Errorf("sent %s: %s", name, seen.Get(name))
		}
	}
	if seen.Get("User-Agent") != "mm" {
		t.Errorf("user agent %q", seen.Get("User-Agent"))
	}
}

// An endpoint that is not opened by name is refused, on the same machine too.
func TestAllowHostsOpensOneEndpoint(t *testing.T) {
	t.Parallel()
	s, _ := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "secret") }))
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	c := fetchClient(t, FetchOptions{AllowHosts: []string{"127.0.0.1:1", "localhost:" + port}})
	if _, err := c.Get(t.Context(), s.URL, nil); code(err) != FetchUnreachable {
		t.Errorf("got %v", err)
	}
	if page, err := c.Get(t.Context(), "http://localhost:"+port, nil); err != nil || string(page.Body) != "secret" {
		t.Errorf("the opened endpoint: %v", err)
	}
	for _, entry := range []string{"localhost", "*:80", "http://localhost:80", "localhost:", "localhost:http", ":80", ""} {
		if _, err := NewFetchClient(FetchOptions{AllowHosts: []string{entry}}); err == nil {
			t.Errorf("allowHosts %q was taken", entry)
		}
	}
}

func TestFetchRedirects(t *testing.T) {
	t.Parallel()
	other, _ := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "other") }))
	s, _ := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) {
		switch n := len(r.URL.Path); {
		case r.URL.Query().Has("to"):
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusMovedPermanently)
		case n > 1:
			http.Redirect(w, r, r.URL.Path[:n-1], http.StatusSeeOther)
		default:
			fmt.Fprint(w, "end")
		}
	}))
	c := fetchClient(t, FetchOptions{AllowHosts: []string{s.Listener.Addr().String(), other.Listener.Addr().String()}})
	if page, err := c.Get(t.Context(), s.URL+"/12345", nil); err != nil || string(page.Body) != "end" {
		t.Errorf("five redirects: %v", err)
	}
	if _, err := c.Get(t.Context(), s.URL+"/123456", nil); code(err) != FetchUnreachable || !strings.Contains(err.Error(), "more than 5 redirects") {
		t.Errorf("six redirects: %v", err)
	}
	for _, to := range []string{
		"http://127.0.0.1:1/", "http://169.254.169.254/latest", "http://localhost/", "//10.0.0.1/", "http://[::1]/",
		"file:///etc/passwd", "ftp://example.com/", "https://" + s.Listener.Addr().String(), "http://u:p@" + s.Listener.Addr().String(),
		"http://2130706433/", "%zz",
	} {
		if _, err := c.Get(t.Context(), s.URL+"/?to="+url.QueryEscape(to), nil); code(err) != FetchUnreachable {
			t.Errorf("redirect to %s: %v", to, err)
		}
	}
	across := s.URL + "/?to=" + url.QueryEscape(other.URL+"/x")
	if page, err := c.Get(t.Context(), across, nil); err != nil || string(page.Body) != "other" || page.URL != other.URL+"/x" {
		t.Errorf("another host: %+v, %v", page, err)
	}
	asked := ""
	_, err := c.Get(t.Context(), across, func(host string) bool { asked = host; return false })
	if code(err) != FetchUnreachable || asked != other.Listener.Addr().String() || !strings.Contains(err.Error(), other.URL+"/x") {
		t.Errorf("another host that is not wanted: asked %q, %v", asked, err)
	}
}

func TestFetchRobots(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, robots string
		status       int
		want         FetchCode
	}{
		{"none", "", 404, 0},
		{"forbidden", "User-agent: *\nDisallow: /", 403, 0},
		{"server error", "", 500, 2},
		{"overload", "", 503, 2},
		{"empty", "", 200, 0},
		{"for all", "User-agent: *\nDisallow: /private\n", 200, 2},
		{"other path", "User-agent: *\nDisallow: /other\n", 200, 0},
		{"for mm", "User-agent: *\nDisallow: /\n\nUser-agent: mm\nDisallow:\n", 200, 0},
		{"against mm", "User-agent: *\nAllow: /\n\nUser-agent: MM\nDisallow: /\n", 200, 2},
		{"pattern", "User-agent: *\nDisallow: /*.html$\n", 200, 2},
		{"query", "User-agent: *\nDisallow: /*?q=\n", 200, 2},
		{"allowed part", "User-agent: *\nDisallow: /\nAllow: /private/\n", 200, 0},
		{"noise", "\uFEFF<html>\nCrawl-delay: often\nDisallow: /\nUser-agent: *\nDisallow: /private # c\nCrawl-delay: x\n", 200, 2},
		{"beyond the bound", strings.Repeat("# filler\n", maxRobots/9+1) + "User-agent: *\nDisallow: /\n", 200, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			asked := 0
			s, c := site(t, func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/robots.txt" {
					asked++
					w.WriteHeader(tc.status)
					fmt.Fprint(w, tc.robots)
					return
				}
				fmt.Fprint(w, "page")
			})
			for range 2 {
				_, err := c.Get(t.Context(), s.URL+"/private/a.html?q=1", nil)
				if tc.name == "pattern" {
					_, err = c.Get(t.Context(), s.URL+"/private/a.html", nil)
				}
				if code(err) != tc.want {
					t.Fatalf("got %v, want code %d", err, tc.want)
				}
			}
			if asked != 1 && tc.status < 500 {
				t.Errorf("robots.txt was asked %d times", asked)
			}
		})
	}
}

// The page that a redirect leads to has rules of its own, and the rules are
// fetched under the same guard as pages.
func TestFetchRobotsOfRedirects(t *testing.T) {
	t.Parallel()
	strict, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			fmt.Fprint(w, "User-agent: *\nDisallow: /\n")
			return
		}
		t.Error("a page was fetched against robots.txt")
	})
	s, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			http.Redirect(w, r, "/rules", http.StatusFound)
		case "/rules":
			fmt.Fprint(w, "User-agent: *\nDisallow: /no\n")
		default:
			http.Redirect(w, r, strict.URL, http.StatusFound)
		}
	})
	inner, _ := site(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://169.254.169.254/", http.StatusFound)
	})
	c := fetchClient(t, FetchOptions{AllowHosts: []string{
		s.Listener.Addr().String(), strict.Listener.Addr().String(), inner.Listener.Addr().String(),
	}})
	for _, raw := range []string{s.URL + "/no", s.URL + "/yes", inner.URL} {
		if _, err := c.Get(t.Context(), raw, nil); code(err) != FetchUnreachable || !strings.Contains(err.Error(), "robots.txt") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestFetchBounds(t *testing.T) {
	t.Parallel()
	s, c := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/large":
			chunk := make([]byte, 64<<10)
			for range maxPage/len(chunk) + 1 {
				_, _ = w.Write(chunk)
			}
		case "/full":
			_, _ = w.Write(make([]byte, maxPage))
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			for range 100 {
				_, _ = z.Write(make([]byte, 1<<20)) // the client hangs up
			}
			_ = z.Close()
		case "/zip":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			fmt.Fprint(z, "packed")
			_ = z.Close()
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "x")
		case "/headers":
			for i := range 3000 {
				w.Header().Set(fmt.Sprintf("X-%d", i), strings.Repeat("x", 1000))
			}
		case "/broken":
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "x")
		case "/missing":
			http.NotFound(w, r)
		case "/fail":
			w.WriteHeader(http.StatusInternalServerError)
		}
	}))
	for path, want := range map[string]FetchCode{
		"/large": 1, "/bomb": 1, "/brotli": 1, "/headers": 2, "/broken": 2, "/missing": 2, "/fail": 2, "/full": 0, "/zip": 0,
	} {
		page, err := c.Get(t.Context(), s.URL+path, nil)
		if code(err) != want || want == 0 && err != nil {
			t.Errorf("%s: %v, want code %d", path, err, want)
		}
		if path == "/zip" && err == nil && string(page.Body) != "packed" {
			t.Errorf("unpacked: %q", page.Body)
		}
	}
}

func TestFetchStops(t *testing.T) {
	t.Parallel()
	arrived := make(chan struct{})
	s, c := site(t, noRobots(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(200)
		w.(http.Flusher).Flush()
		close(arrived)
		<-r.Context().Done()
	}))
	ctx, stop := context.WithCancel(t.Context())
	go func() { <-arrived; stop() }()
	if _, err := c.Get(ctx, s.URL, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A proxy is the user's and may be anywhere; the page behind it may not.
func TestFetchProxy(t *testing.T) {
	t.Parallel()
	var asked []string
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.String())
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprint(w, "by proxy")
	}))
	t.Cleanup(proxy.Close)
	at, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := fetchClient(t, FetchOptions{Proxy: func(*url.URL) (*url.URL, error) { return at, nil }, Resolver: noNames})
	page, err := c.Get(t.Context(), "http://example.com/a", nil)
	if err != nil || string(page.Body) != "by proxy" {
		t.Fatalf("%+v, %v", page, err)
	}
	if len(asked) != 2 || asked[1] != "http://example.com/a" {
		t.Errorf("asked %v", asked)
	}
	for _, raw := range []string{"http://127.0.0.1/", "http://localhost/", "http://169.254.169.254/"} {
		if _, err := c.Get(t.Context(), raw, nil); code(err) != FetchUnreachable {
			t.Errorf("%s: %v", raw, err)
		}
	}
	if len(asked) != 2 {
		t.Errorf("the proxy was asked for inner pages: %v", asked)
	}
}

func TestEnvironmentProxy(t *testing.T) {
	for _, name := range []string{"HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "NO_PROXY", "no_proxy", "REQUEST_METHOD"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	page := &url.URL{Scheme: "https", Host: "example.com"}
	if p, err := environmentProxy(page); p != nil || err != nil {
		t.Errorf("no proxy: %v, %v", p, err)
	}
	t.Setenv("HTTPS_PROXY", "http://10.0.0.1:3128")
	if p, err := environmentProxy(page); err != nil || p == nil || p.Host != "10.0.0.1:3128" {
		t.Errorf("a proxy: %v, %v", p, err)
	}
}

func TestFetchHost(t *testing.T) {
	t.Parallel()
	c := fetchClient(t, FetchOptions{})
	for raw, want := range map[string]string{
		"https://Example.COM/a": "example.com", "https://example.com:443": "example.com",
		"https://example.com:8443": "example.com:8443", "https://bücher.example.com": "xn--bcher-kva.example.com",
		"https://[2606:4700::1111]/": "[2606:4700::1111]", "http://my_site.example.com": "my_site.example.com",
	} {
		if got, err := c.FetchHost(raw); err != nil || got != want {
			t.Errorf("%s: got %q, %v", raw, got, err)
		}
	}
}

// What the client admits without a look-up is a name or a public address.
func FuzzFetchAdmits(f *testing.F) {
	for _, s := range []string{"https://example.com", "http://①②⑦.⓪.⓪.①/", "http://[::1]", "http://0x7f.1", "http://a@b", "http://127。0。0。1:80/x"} {
		f.Add(s)
	}
	c, err := NewFetchClient(FetchOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		u, err := c.admit(MendURL(raw))
		if err != nil {
			if code(err) == 0 {
				t.Errorf("%q: %v", raw, err)
			}
			return
		}
		if u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Hostname() == "" {
			t.Errorf("%q: admitted %s", raw, u)
		}
		again, err := url.Parse(u.String())
		if err != nil || again.Host != u.Host {
			t.Errorf("%q: %s reads as another host", raw, u)
		}
		if a, err := netip.ParseAddr(u.Hostname()); err == nil && addressFault(a) != "" {
			t.Errorf("%q: admitted %s", raw, a)
		}
	})
}
