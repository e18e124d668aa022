package safety

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"syscall"

	"golang.org/x/net/http/httpproxy"
)

// transport returns a transport with the bounds of all fetches and without a
// way to connect.
func (c *FetchClient) transport() *http.Transport {
	return &http.Transport{
		MaxResponseHeaderBytes: maxPageHeaders,
		MaxIdleConnsPerHost:    1,
	}
}

// dial connects to an endpoint when its address is public or the user opened
// it. The judgement is made on the address that the system is about to connect
// to, after the look-up: a name cannot show another address later.
func (c *FetchClient) dial(ctx context.Context, network, endpoint string) (net.Conn, error) {
	d := net.Dialer{Timeout: fetchHeaderTime, Resolver: c.resolver()}
	if !c.allow[endpoint] {
		d.ControlContext = onlyPublic
	}
	return d.DialContext(ctx, network, endpoint)
}

func onlyPublic(_ context.Context, _, address string, _ syscall.RawConn) error {
	ap, err := netip.ParseAddrPort(address)
	if err != nil {
		return unreachable("the address cannot be judged")
	}
	// A socket for IPv6 may be given an IPv4 address in its IPv6 form: what
	// counts is where it leads.
	a := ap.Addr().Unmap()
	if fault := addressFault(a); fault != "" {
		return unreachable("the host is at %s, %s; only pages of the public internet are fetched", a.WithZone(""), fault)
	}
	return nil
}

// environmentProxy reads HTTP_PROXY, HTTPS_PROXY and NO_PROXY.
func environmentProxy(u *url.URL) (*url.URL, error) {
	return httpproxy.FromEnvironment().ProxyFunc()(u)
}

// route chooses how a page is reached. Behind a proxy it is the proxy that
// looks names up and connects, so only literal addresses and names can be
// judged, which was done.
func (c *FetchClient) route(u *url.URL) (*http.Transport, error) {
	proxy, err := c.o.Proxy(u)
	if err != nil {
		return nil, unreachable("the proxy of the environment cannot be used")
	}
	if proxy == nil {
		return c.direct, nil
	}
	t := c.transport()
	t.DisableKeepAlives = true // it serves one request
	t.Proxy = http.ProxyURL(proxy)
	t.DialContext = (&net.Dialer{Timeout: fetchHeaderTime, Resolver: c.resolver()}).DialContext
	return t, nil
}
