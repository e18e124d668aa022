//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"
)

func TestRightsFollowTheVersion(t *testing.T) {
	t.Parallel()
	device, file, folder := place{device: true}, place{}, place{folder: true}
	for _, tc := range []struct {
		abi   int
		place place
		has   uint64
		lacks uint64
	}{
		{2, folder, unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_MAKE_SYM, unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{3, file, unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE, unix.LANDLOCK_ACCESS_FS_MAKE_REG},
		{4, device, unix.LANDLOCK_ACCESS_FS_WRITE_FILE, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
		{5, device, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, unix.LANDLOCK_ACCESS_FS_MAKE_REG},
		{7, folder, unix.LANDLOCK_ACCESS_FS_TRUNCATE, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV},
	} {
		got := rights(tc.abi, tc.place)
		if got&tc.has != tc.has || got&tc.lacks != 0 {
			t.Errorf("version %d, %+v: rights %#x, want %#x and not %#x", tc.abi, tc.place, got, tc.has, tc.lacks)
		}
		all, _ := handled(tc.abi)
		if got&^all != 0 {
			t.Errorf("version %d, %+v: a rule gives %#x, which the ruleset does not handle", tc.abi, tc.place, got&^all)
		}
	}
}

func TestSignalsAreKeptInFromVersion6(t *testing.T) {
	t.Parallel()
	for abi := minABI; abi <= 8; abi++ {
		if _, scoped := handled(abi); (scoped != 0) != (abi >= 6) {
			t.Errorf("version %d: scopes %#x", abi, scoped)
		}
	}
}

// An older Landlock is a part of a newer one, and so can be tried on it: what
// the older one lacks must be closed by the filter.
func TestSelfTestOfEachVersion(t *testing.T) {
	t.Parallel()
	newest, err := landlockABI()
	if err != nil {
		t.Skip("no Landlock here:", err)
	}
	for abi := minABI; abi <= newest; abi++ {
		t.Run(fmt.Sprint(abi), func(t *testing.T) {
			t.Parallel()
			if err := selfTest(abi); err != nil {
				t.Error(err)
			}
		})
	}
}
