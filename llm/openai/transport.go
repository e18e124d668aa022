package openai

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"
)

const (
	dialTimeout      = 5 * time.Second
	localDialTimeout = 600 * time.Millisecond // this machine answers at once or not at all
	maxHeader        = 64 << 10               // response headers, in bytes
	maxRedirects     = 3
)

// httpClient returns given with the redirect policy, or a client of our own.
// There is no total timeout: guards follow the stream.
func httpClient(given *http.Client, proxy func(*http.Request) (*url.URL, error)) *http.Client {
	if given != nil {
		c := *given
		if c.CheckRedirect == nil {
			c.CheckRedirect = sameHost
		}
		return &c
	}
	return &http.Client{
		CheckRedirect: sameHost,
		Transport: &http.Transport{
			Proxy:                  proxy,
			DialContext:            dial,
			DisableCompression:     true, // what is not asked for cannot be a bomb
			MaxResponseHeaderBytes: maxHeader,
			TLSHandshakeTimeout:    dialTimeout,
			IdleConnTimeout:        time.Minute,
			MaxIdleConnsPerHost:    2,
		},
	}
}

// redirectError refuses to follow a redirect. A conversation is for the host
// that the user named, and for no other.
type redirectError struct{ reason string }

func (e redirectError) Error() string { return e.reason }

func sameHost(req *http.Request, via []*http.Request) error {
	if first := via[0].URL; req.URL.Host != first.Host || req.URL.Scheme != first.Scheme {
		return redirectError{"the server redirects to another host (" + req.URL.Host + ")"}
	}
	if len(via) > maxRedirects {
		return redirectError{"the server redirects in a circle"}
	}
	return nil
}

// dial connects, with localhost tried on IPv4 and on IPv6.
func dial(ctx context.Context, network, addr string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	d := net.Dialer{Timeout: dialTimeout}
	if isLoopback(host) || strings.HasSuffix(host, ".docker.internal") {
		d.Timeout = localDialTimeout
	}
	if host != "localhost" {
		return d.DialContext(ctx, network, addr)
	}
	var first error
	for _, ip := range []string{"127.0.0.1", "::1"} {
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(ip, port))
		if err == nil {
			return conn, nil
		}
		if first == nil {
			first = err
		}
	}
	return nil, first
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback()
}

// localProxy wraps a proxy function so that loopback addresses never use it.
func localProxy(proxy func(*http.Request) (*url.URL, error)) func(*http.Request) (*url.URL, error) {
	if proxy == nil {
		proxy = http.ProxyFromEnvironment
	}
	return func(req *http.Request) (*url.URL, error) {
		if isLoopback(req.URL.Hostname()) {
			return nil, nil
		}
		return proxy(req)
	}
}
