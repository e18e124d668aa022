package safety

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/temoto/robotstxt"
)

const (
	// robotsAgent is the name under which robots.txt speaks of this program.
	robotsAgent = "mm"

	maxRobots = 512 << 10 // bytes, as RFC 9309 asks at least

	// robotsTime is how long the rules of an origin are kept, and maxOrigins
	// of how many.
	robotsTime = time.Hour
	maxOrigins = 100
)

// robots are the rules of one origin.
type robots struct {
	data *robotstxt.RobotsData // nil: nothing is allowed
	why  string                // when data is nil
	read time.Time
}

// askRobots refuses a page that its origin's robots.txt does not allow.
func (c *FetchClient) askRobots(ctx context.Context, u *url.URL) error {
	origin := u.Scheme + "://" + u.Host
	c.mu.Lock()
	r := c.robots[origin]
	c.mu.Unlock()
	if r == nil || time.Since(r.read) > robotsTime {
		var err error
		if r, err = c.readRobots(ctx, u); err != nil {
			return err
		}
		if r.data == nil { // it may be another in a moment
			return unreachable("%s", r.why)
		}
		c.mu.Lock()
		if len(c.robots) >= maxOrigins {
			clear(c.robots)
		}
		c.robots[origin] = r
		c.mu.Unlock()
	}
	if !r.data.TestAgent(u.RequestURI(), robotsAgent) {
		return unreachable("robots.txt of %s does not allow this page to programs; tell the user", u.Host)
	}
	return nil
}

// readRobots gets the rules of u's origin: 4xx says that there are none, 5xx
// that nothing may be fetched. Its redirects are followed as those of a page.
// An error says that the host cannot be reached.
func (c *FetchClient) readRobots(ctx context.Context, u *url.URL) (*robots, error) {
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	for range maxRedirects + 1 {
		res, err := c.send(ctx, at, "text/plain")
		if err != nil {
			return nil, err
		}
		next := redirect(res)
		if next == "" {
			defer res.Body.Close()
			return parseRobots(res)
		}
		res.Body.Close()
		if at, err = c.next(at, next); err != nil {
			return forbidden("robots.txt of " + u.Host + ": " + err.Error()), nil
		}
	}
	return forbidden("robots.txt of " + u.Host + " has too many redirects"), nil
}

func forbidden(why string) *robots { return &robots{why: why, read: time.Now()} }

func parseRobots(res *http.Response) (*robots, error) {
	if res.StatusCode >= 500 {
		return forbidden("robots.txt cannot be read just now (HTTP status " + res.Status + "), so nothing of this host is fetched"), nil
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRobots))
	if err != nil {
		return nil, netFault(res.Request.URL, err)
	}
	if res.StatusCode > 299 {
		body = nil // there is none
	}
	data, err := robotstxt.FromBytes(rulesOnly(body))
	if err != nil {
		return nil, errors.Join(unreachable("robots.txt of %s cannot be read", res.Request.URL.Host), err)
	}
	return &robots{data: data, read: time.Now()}, nil
}

// rulesOnly keeps the lines that say what may be fetched, in a form that the
// parser takes: it gives up on lines that are malformed or stand before the
// first name, and does not see a group whose only rule is an empty one, which
// allows all.
func rulesOnly(body []byte) []byte {
	var out []byte
	named := false
	for line := range bytes.Lines(bytes.TrimPrefix(body, []byte(byteOrderMark))) {
		line, _, _ = bytes.Cut(line, []byte("#"))
		key, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch name := strings.ToLower(string(bytes.TrimSpace(key))); {
		case name == "user-agent":
			named = true
			out = fmt.Appendf(out, "user-agent: %s\n", value)
		case named && name == "disallow" && len(value) == 0:
			out = append(out, "allow: /\n"...)
		case named && (name == "disallow" || name == "allow"):
			out = fmt.Appendf(out, "%s: %s\n", name, value)
		}
	}
	return out
}

const byteOrderMark = "\uFEFF"
