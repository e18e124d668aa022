package sandbox

import (
	"strings"
	"testing"

	"mm/safety"
)

func TestProfile(t *testing.T) {
	t.Parallel()
	o := Options{Project: `/Users/me/a "b" \c`}
	places := []place{{path: "/dev/null", device: true}, {path: o.Project, folder: true}}
	for _, tc := range []struct {
		tier safety.Tier
		want string
	}{
		{safety.TierRead, `(version 1)
(allow default)
(deny file-write*)
(deny network*)
(allow file-write* (literal "/dev/null"))
`},
		{safety.TierNetwork, `(version 1)
(allow default)
(deny file-write*)
(allow file-write* (literal "/dev/null"))
(allow file-write* (subpath "/Users/me/a \"b\" \\c"))
(deny file-write* (subpath "/Users/me/a \"b\" \\c/.git/hooks"))
`},
	} {
		list := places
		if tc.tier == safety.TierRead {
			list = places[:1]
		}
		if got := profile(tc.tier, o, list); got != tc.want {
			t.Errorf("tier %s:\n%s\nwant\n%s", tc.tier, got, tc.want)
		}
	}
}

func TestOnlyTheTierWithNetworkHasIt(t *testing.T) {
	t.Parallel()
	for tier := safety.TierRead; tier < safety.TierNone; tier++ {
		denied := strings.Contains(profile(tier, Options{Project: "/p"}, nil), "(deny network*)")
		if denied == (tier == safety.TierNetwork) {
			t.Errorf("tier %s: network denied: %t", tier, denied)
		}
	}
}
