package safety

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// fetchHeaderTime is how long one answer may take up to its headers, and
	// fetchTime how long all of a fetch may take.
	fetchHeaderTime = 10 * time.Second
	fetchTime       = 30 * time.Second

	maxRedirects   = 5
	maxPage        = 5 << 20 // bytes, decoded
	maxPageHeaders = 1 << 20 // bytes
	maxNetReason   = 160     // bytes of a network error that are shown
)

// FetchCode classifies why a page was not fetched.
type FetchCode int

// The codes, as the model reads them.
const (
	FetchUnusable    FetchCode = 1 // it is of the wrong type, too large or empty
	FetchUnreachable FetchCode = 2 // address, host, HTTP status, robots.txt, time
	FetchInvalid     FetchCode = 3 // scheme, syntax, user name
)

// FetchError says why a page was not fetched, in words for the model.
type FetchError struct {
	Code   FetchCode
	Reason string
}

func (e *FetchError) Error() string { return e.Reason }

func unreachable(format string, args ...any) error {
	return &FetchError{FetchUnreachable, fmt.Sprintf(format, args...)}
}

// FetchOptions configures a FetchClient.
type FetchOptions struct {
	// AllowHosts opens single endpoints, exactly "host:port", whatever their
	// addresses are. It comes from the user alone.
	AllowHosts []string

	// Proxy chooses a proxy, as http.Transport's does. Nil is what the
	// environment says. It is the user's choice and may have any address.
	Proxy func(*url.URL) (*url.URL, error)

	// Resolver looks names up; nil is the system's.
	Resolver *net.Resolver
}

// FetchClient gets pages of the public internet and nothing else. Every
// address is judged when it is dialled, on every redirect, whatever a name
// looked like. It sends no cookies, credentials or referrers. It may be used
// from several goroutines.
type FetchClient struct {
	o      FetchOptions
	allow  map[string]bool
	direct *http.Transport

	mu     sync.Mutex
	robots map[string]*robots // by origin
}

// Page is what a fetch brought.
type Page struct {
	URL  string // where it was in the end
	Type string // the Content-Type header
	Body []byte // decoded
}

// NewFetchClient returns a client. It fails when an entry of AllowHosts is not
// of the form host:port.
func NewFetchClient(o FetchOptions) (*FetchClient, error) {
	c := &FetchClient{o: o, allow: map[string]bool{}, robots: map[string]*robots{}}
	for _, entry := range o.AllowHosts {
		host, port, err := net.SplitHostPort(entry)
		name, ok := lookupName(host)
		if err != nil || !ok || port == "" || strings.Trim(port, "0123456789") != "" {
			return nil, fmt.Errorf("fetch.allowHosts: %q is not of the form host:port", entry)
		}
		c.allow[net.JoinHostPort(name, port)] = true
	}
	c.direct = c.transport()
	c.direct.DialContext = c.dial
	if c.o.Proxy == nil {
		c.o.Proxy = environmentProxy
	}
	return c, nil
}

// FetchHost returns the host that a call to an address would ask for, with its
// port where that is not the usual one. The error is of type *FetchError.
func (c *FetchClient) FetchHost(raw string) (string, error) {
	u, err := c.admit(raw)
	if err != nil {
		return "", err
	}
	return u.Host, nil
}

// admit reads an address and judges all that can be judged without a look-up.
func (c *FetchClient) admit(raw string) (*url.URL, error) {
	u, err := parseURL(raw)
	if err != nil {
		return nil, err
	}
	if c.allow[endpoint(u)] {
		return u, nil
	}
	if fault := hostFault(u.Hostname()); fault != "" {
		return nil, unreachable("%s; only pages of the public internet are fetched", fault)
	}
	return u, nil
}

// Check tells whether an address may be fetched, with a look-up of its name
// and no connection. It judges where a name leads: one that leads nowhere, or
// cannot be looked up just then, is no fault before it is fetched. The error is
// of type *FetchError.
func (c *FetchClient) Check(ctx context.Context, raw string) error {
	u, err := c.admit(raw)
	if err != nil || c.allow[endpoint(u)] {
		return err
	}
	addrs, err := c.resolver().LookupNetIP(ctx, "ip", u.Hostname())
	if err != nil {
		return nil
	}
	fault := ""
	for _, a := range addrs {
		f := addressFault(a.Unmap())
		if f == "" {
			return nil
		}
		fault = fmt.Sprintf("%s is at %s, %s", u.Hostname(), a.Unmap(), f)
	}
	if fault == "" {
		return nil
	}
	return unreachable("%s; only pages of the public internet are fetched", fault)
}

func (c *FetchClient) resolver() *net.Resolver {
	return cmp.Or(c.o.Resolver, net.DefaultResolver)
}

// Get fetches a page. follow, when not nil, is asked for each redirect to
// another host; where it returns false the fetch ends with an error that names
// the new address. The error is of type *FetchError, or ctx's.
func (c *FetchClient) Get(ctx context.Context, raw string, follow func(host string) bool) (*Page, error) {
	limited, stop := context.WithTimeoutCause(ctx, fetchTime, errTime)
	defer stop()
	defer c.direct.CloseIdleConnections()
	page, err := c.get(limited, raw, follow)
	if err != nil && ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return page, err
}

func (c *FetchClient) get(ctx context.Context, raw string, follow func(string) bool) (*Page, error) {
	u, err := c.admit(raw)
	if err != nil {
		return nil, err
	}
	for range maxRedirects + 1 {
		if err := c.askRobots(ctx, u); err != nil {
			return nil, err
		}
		res, err := c.send(ctx, u, pageTypes)
		if err != nil {
			return nil, err
		}
		next := redirect(res)
		if next == "" {
			return c.page(ctx, u, res)
		}
		res.Body.Close()
		to, err := c.next(u, next)
		if err != nil {
			return nil, err
		}
		if follow != nil && to.Host != u.Host && !follow(to.Host) {
			return nil, unreachable("it redirects to another host; call fetch_content with %s", to)
		}
		u = to
	}
	return nil, unreachable("more than %d redirects", maxRedirects)
}

// pageTypes is the Accept header of a page.
const pageTypes = "text/markdown, text/html, application/xhtml+xml, text/plain;q=0.9, */*;q=0.5"

// redirect returns the address that an answer points to, or "".
func redirect(res *http.Response) string {
	codes := []int{http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect}
	if slices.Contains(codes, res.StatusCode) {
		return res.Header.Get("Location")
	}
	return ""
}

// next judges a redirect as the first address was judged.
func (c *FetchClient) next(from *url.URL, location string) (*url.URL, error) {
	to, err := from.Parse(location)
	if err != nil {
		return nil, unreachable("it redirects to an address that cannot be read")
	}
	u, err := c.admit(to.String())
	if err != nil {
		return nil, unreachable("it redirects to where pages are not fetched from: %s", err)
	}
	if u.Scheme != from.Scheme {
		return nil, unreachable("it redirects to another scheme; if that is right, call fetch_content with %s", u)
	}
	return u, nil
}

// send makes one request and returns with the headers of its answer.
func (c *FetchClient) send(ctx context.Context, u *url.URL, accept string) (*http.Response, error) {
	hop, stop := context.WithCancelCause(ctx)
	timer := time.AfterFunc(fetchHeaderTime, func() { stop(errHeaderTime) })
	req, err := http.NewRequestWithContext(hop, http.MethodGet, u.String(), nil)
	if err != nil {
		stop(nil)
		return nil, &FetchError{FetchInvalid, "the url cannot be read"}
	}
	req.Header.Set("User-Agent", robotsAgent)
	req.Header.Set("Accept", accept)
	transport, err := c.route(u)
	if err != nil {
		stop(nil)
		return nil, err
	}
	res, err := transport.RoundTrip(req)
	if !timer.Stop() && err == nil {
		res.Body.Close() // the time ran out just then
		err = errHeaderTime
	}
	if err != nil {
		cause := context.Cause(hop)
		stop(nil)
		return nil, netFault(u, cmp.Or(cause, err))
	}
	res.Body = &hopBody{res.Body, stop}
	return res, nil
}

// hopBody ends the context of its request when it is closed.
type hopBody struct {
	io.ReadCloser
	stop context.CancelCauseFunc
}

func (b *hopBody) Close() error {
	err := b.ReadCloser.Close()
	b.stop(nil)
	return err
}

// page reads the body of an answer within the bounds.
func (c *FetchClient) page(ctx context.Context, u *url.URL, res *http.Response) (*Page, error) {
	defer res.Body.Close()
	if res.StatusCode < 200 || res.StatusCode > 299 {
		return nil, unreachable("the server answers HTTP status %d %s", res.StatusCode, http.StatusText(res.StatusCode))
	}
	if e := res.Header.Get("Content-Encoding"); e != "" && !strings.EqualFold(e, "identity") {
		return nil, &FetchError{FetchUnusable, "the page is packed in a way that is not read"}
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxPage+1))
	if err != nil {
		return nil, netFault(u, cmp.Or(context.Cause(ctx), err))
	}
	if len(body) > maxPage {
		return nil, &FetchError{FetchUnusable, fmt.Sprintf("the page is larger than %d MiB", maxPage>>20)}
	}
	return &Page{URL: u.String(), Type: res.Header.Get("Content-Type"), Body: body}, nil
}

var (
	errTime       = fmt.Errorf("it takes longer than %d s", int(fetchTime.Seconds()))
	errHeaderTime = fmt.Errorf("no answer within %d s", int(fetchHeaderTime.Seconds()))
)

// netFault puts an error of the network into words.
func netFault(u *url.URL, err error) error {
	if fault, ok := errors.AsType[*FetchError](err); ok {
		return fault
	}
	if dns, ok := errors.AsType[*net.DNSError](err); ok && dns.IsNotFound {
		return unreachable("the host %s does not exist; check the spelling", u.Hostname())
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return unreachable("the certificate of %s is not valid", u.Hostname())
	}
	reason := strings.ToValidUTF8(err.Error(), "")
	if len(reason) > maxNetReason {
		reason = strings.ToValidUTF8(reason[:maxNetReason], "") + "…"
	}
	return unreachable("%s: %s", u.Host, reason)
}
