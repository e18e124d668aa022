package safety

import (
	"net/netip"
	"strings"
)

// notPublic lists what is not an ordinary address of the internet: the special
// purpose registries of IANA (RFC 6890 and its updates), and the one address
// in public space under which a cloud answers to its own machines.
var notPublic = []struct {
	prefixes string
	what     string
}{
	{"0.0.0.0/8 ::/128", "an unspecified address"},
	{"127.0.0.0/8 ::1/128", "this machine"},
	{"10.0.0.0/8 172.16.0.0/12 192.168.0.0/16 fc00::/7 fec0::/10", "a private address"},
	{"169.254.0.0/16 fe80::/10", "a link-local address, where clouds keep credentials"},
	{"100.64.0.0/10", "an address of a provider's own network"},
	{"168.63.129.16/32", "the metadata service of a cloud"},
	{"192.0.2.0/24 198.51.100.0/24 203.0.113.0/24 2001:db8::/32 3fff::/20", "an address for documentation"},
	{"198.18.0.0/15 2001:2::/48", "an address for benchmarks"},
	{"224.0.0.0/4 ff00::/8", "a multicast address"},
	{"64:ff9b::/96 64:ff9b:1::/48", "an address of a translator between IPv6 and IPv4"},
	{"2002::/16 192.88.99.0/24", "an address of a 6to4 tunnel"},
	{"2001::/32", "an address of a Teredo tunnel"},
	{"192.0.0.0/24 192.31.196.0/24 192.52.193.0/24 192.175.48.0/24 240.0.0.0/4 2001::/23 2620:4f:8000::/48", "a reserved address"},
}

// publicIPv6 is all that is assigned as global unicast; what is outside of it,
// such as IPv4-compatible addresses, is reserved.
var publicIPv6 = netip.MustParsePrefix("2000::/3")

// addressFault says what an address is when it is not one of the public
// internet, or "".
func addressFault(a netip.Addr) string {
	if !a.IsValid() {
		return "no address"
	}
	if a.Is4In6() {
		return "an IPv4 address written as IPv6"
	}
	a = a.WithZone("")
	for _, n := range notPublic {
		for p := range strings.FieldsSeq(n.prefixes) {
			if netip.MustParsePrefix(p).Contains(a) {
				return n.what
			}
		}
	}
	if a.Is6() && !publicIPv6.Contains(a) {
		return "a reserved address"
	}
	return ""
}

// innerNames are names that never stand for a page of the internet: this
// machine, the local network, and the metadata services of clouds. A name
// below one of them counts too.
var innerNames = []string{
	"localhost", "localdomain", "local", "internal", "home.arpa", "intranet",
	"lan", "invalid", "test", "onion", "metadata", "instance-data",
	"ip6-localhost", "ip6-loopback", "broadcasthost", "kubernetes", "cluster.local",
}

// innerName tells whether a host is such a name. It compares whole labels:
// mylocalhost is none.
func innerName(host string) bool {
	for _, n := range innerNames {
		if host == n || strings.HasSuffix(host, "."+n) {
			return true
		}
	}
	return false
}
