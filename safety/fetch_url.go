package safety

import (
	"net"
	"net/netip"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// maxURL bounds the length of an address, in bytes.
const maxURL = 4096

var (
	typedScheme = regexp.MustCompile(`(?i)^(?:h+t+p+|tt+p+)(s*)(?:[:;]+[/\\]*|[/\\]+)`)
	otherScheme = regexp.MustCompile(`(?i)^[a-z][a-z0-9+.-]*:`)
	hostAndPort = regexp.MustCompile(`^[^/?#:]+:[0-9]+(?:[/?#]|$)`)
	markedLink  = regexp.MustCompile(`^\[[^\]]*\]\((\S+)\)$`)
)

// MendURL makes the address that was meant out of one that was typed: a
// missing or misspelt scheme becomes https or http, quotes and brackets around
// it go. What has another scheme stays as it is.
func MendURL(typed string) string {
	s := strings.TrimSpace(typed)
	if m := markedLink.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	s = strings.TrimLeft(s, "<\"'`«")
	s = strings.TrimRight(s, ">\"'`»,;")
	scheme := ""
	for range 2 { // https://https://…
		m := typedScheme.FindStringSubmatch(s)
		if m == nil {
			break
		}
		s = s[len(m[0]):]
		if scheme = "http://"; m[1] != "" {
			scheme = "https://"
		}
	}
	switch {
	case s == "":
		return scheme
	case scheme != "":
		return scheme + s
	case strings.HasPrefix(s, "//"):
		return "https:" + s
	case otherScheme.MatchString(s) && !hostAndPort.MatchString(s):
		return s
	}
	return "https://" + s
}

// hosts maps names for look-up as browsers do: circled digits become digits,
// ideographic full stops become dots. Underscores stay, since they occur.
var hosts = idna.New(idna.MapForLookup(), idna.Transitional(false), idna.BidiRule(), idna.StrictDomainName(false))

// parseURL reads the address of a page and brings its host to the form in
// which it is looked up. It judges syntax only; the errors are FetchInvalid.
func parseURL(raw string) (*url.URL, error) {
	invalid := func(reason string) error { return &FetchError{Code: FetchInvalid, Reason: reason} }
	switch {
	case strings.TrimSpace(raw) == "":
		return nil, invalid("the url is empty")
	case len(raw) > maxURL:
		return nil, invalid("the url is longer than " + strconv.Itoa(maxURL) + " characters")
	case !utf8.ValidString(raw), strings.ContainsFunc(raw, unicode.IsControl):
		return nil, invalid("the url holds control characters")
	}
	u, err := url.Parse(raw)
	if err != nil {
		return nil, invalid("the url cannot be read")
	}
	u.Scheme = strings.ToLower(u.Scheme)
	switch {
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, invalid("only http and https are fetched, not " + strconv.Quote(u.Scheme))
	case u.User != nil:
		return nil, invalid("the url holds a user name or password")
	case u.Opaque != "" || u.Hostname() == "":
		return nil, invalid("the url names no host")
	}
	host, ok := lookupName(u.Hostname())
	if !ok {
		return nil, invalid("the host is not a valid name")
	}
	port := u.Port()
	if n, err := strconv.Atoi(port); port != "" && (err != nil || n < 1 || n > 65535) {
		return nil, invalid("the port is not between 1 and 65535")
	}
	if port == defaultPort(u.Scheme) {
		port = ""
	}
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" {
		u.Host = net.JoinHostPort(host, port)
	}
	u.Fragment, u.RawFragment = "", ""
	return u, nil
}

func defaultPort(scheme string) string {
	if scheme == "http" {
		return "80"
	}
	return "443"
}

// endpoint is the host and port that a request to u connects to.
func endpoint(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = defaultPort(u.Scheme)
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// lookupName brings a host to ASCII and lower case. A literal IPv6 address
// comes back in its short form.
func lookupName(host string) (string, bool) {
	if strings.Contains(host, ":") {
		a, err := netip.ParseAddr(host)
		return a.String(), err == nil
	}
	name, err := hosts.ToASCII(host)
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if err != nil || name == "" || len(name) > 253 {
		return "", false
	}
	for label := range strings.SplitSeq(name, ".") {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return "", false
		}
	}
	return name, true
}

// hostFault says why a host is refused before it is looked up, or "".
func hostFault(host string) string {
	if a, err := netip.ParseAddr(host); err == nil {
		if fault := addressFault(a); fault != "" {
			return host + " is " + fault
		}
		return ""
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if _, err := strconv.ParseUint(last, 0, 64); err == nil || strings.Trim(last, "0123456789") == "" || strings.HasPrefix(last, "0x") {
		return host + " is an address written in an unusual way"
	}
	if innerName(host) {
		return host + " is a name of this machine or of a local network"
	}
	return ""
}
