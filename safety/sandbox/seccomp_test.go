//go:build linux && (amd64 || arm64)

package sandbox

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"

	"mm/safety"
)

// sysCall is what the kernel gives to a filter.
type sysCall struct {
	number uint32
	arch   uint32
	args   [6]uint64
}

// interpret runs a program of the instructions that filters are made of, as
// the kernel does. It returns false for a program that the kernel would not
// take: one that does not end, or has another instruction.
func interpret(prog []unix.SockFilter, c sysCall) (uint32, bool) {
	data := binary.LittleEndian.AppendUint32(nil, c.number)
	data = binary.LittleEndian.AppendUint32(data, c.arch)
	data = binary.LittleEndian.AppendUint64(data, 0) // the instruction pointer
	for _, a := range c.args {
		data = binary.LittleEndian.AppendUint64(data, a)
	}
	var acc uint32
	for pc := 0; pc < len(prog); pc++ {
		in := prog[pc]
		jump := func(yes bool) {
			if yes {
				pc += int(in.Jt)
			} else {
				pc += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			if in.K%4 != 0 || int(in.K)+4 > len(data) {
				return 0, false
			}
			acc = binary.LittleEndian.Uint32(data[in.K:])
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			acc &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(acc == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(acc >= in.K)
		case unix.BPF_RET | unix.BPF_K:
			return in.K, true
		default:
			return 0, false
		}
	}
	return 0, false
}

// what the filter says in words.
var answers = map[uint32]string{retAllow: "allow", retPerm: "perm", retNoSys: "nosys", retKill: "kill"}

func TestFilter(t *testing.T) {
	t.Parallel()
	const newest = 7
	here := func(number uint32, args ...uint64) sysCall {
		c := sysCall{number: number, arch: hostArch}
		copy(c.args[:], args)
		return c
	}
	other := here(unix.SYS_READ)
	other.arch = unix.AUDIT_ARCH_I386
	for _, tc := range []struct {
		name          string
		call          sysCall
		abi           int
		r, w, network string
	}{
		{"read", here(unix.SYS_READ), newest, "allow", "allow", "allow"},
		{"execve", here(unix.SYS_EXECVE), newest, "allow", "allow", "allow"},
		{"exit_group", here(unix.SYS_EXIT_GROUP), newest, "allow", "allow", "allow"},
		{"clone", here(unix.SYS_CLONE), newest, "allow", "allow", "allow"},
		{"another architecture", other, newest, "kill", "kill", "kill"},
		{"socket inet", here(unix.SYS_SOCKET, unix.AF_INET), newest, "perm", "perm", "allow"},
		{"socket unix", here(unix.SYS_SOCKET, unix.AF_UNIX), newest, "perm", "perm", "allow"},
		{"socketpair", here(unix.SYS_SOCKETPAIR), newest, "perm", "allow", "allow"},
		{"fchmodat", here(unix.SYS_FCHMODAT), newest, "perm", "allow", "allow"},
		{"fchownat", here(unix.SYS_FCHOWNAT), newest, "perm", "allow", "allow"},
		{"utimensat", here(unix.SYS_UTIMENSAT), newest, "perm", "allow", "allow"},
		{"setxattr", here(unix.SYS_SETXATTR), newest, "perm", "allow", "allow"},
		{"shmget", here(unix.SYS_SHMGET), newest, "perm", "allow", "allow"},
		{"kill", here(unix.SYS_KILL), newest, "allow", "allow", "allow"},
		{"kill, older Landlock", here(unix.SYS_KILL), 5, "perm", "allow", "allow"},
		{"ptrace", here(unix.SYS_PTRACE), newest, "perm", "perm", "perm"},
		{"mount", here(unix.SYS_MOUNT), newest, "perm", "perm", "perm"},
		{"keyctl", here(unix.SYS_KEYCTL), newest, "perm", "perm", "perm"},
		{"bpf", here(unix.SYS_BPF), newest, "perm", "perm", "perm"},
		{"io_uring", here(unix.SYS_IO_URING_SETUP), newest, "nosys", "nosys", "nosys"},
		{"terminal size", here(unix.SYS_IOCTL, 0, unix.TIOCGWINSZ), newest, "allow", "allow", "allow"},
		{"typing for the user", here(unix.SYS_IOCTL, 0, unix.TIOCSTI), newest, "perm", "perm", "perm"},
		// The kernel takes the low half of the argument.
		{"the same, high bits set", here(unix.SYS_IOCTL, 0, 1<<32|unix.TIOCSTI), newest, "perm", "perm", "perm"},
		{"selection", here(unix.SYS_IOCTL, 0, unix.TIOCLINUX), newest, "perm", "perm", "perm"},
		{"TIOCSTI's value in another place", here(unix.SYS_READ, 0, unix.TIOCSTI), newest, "allow", "allow", "allow"},
		{"open to read and empty", here(unix.SYS_OPENAT, 0, 0, unix.O_TRUNC), newest, "allow", "allow", "allow"},
		{"the same, older Landlock", here(unix.SYS_OPENAT, 0, 0, unix.O_TRUNC|unix.O_CLOEXEC), 2, "perm", "perm", "perm"},
		{"open to write and empty, older", here(unix.SYS_OPENAT, 0, 0, unix.O_WRONLY|unix.O_TRUNC), 2, "allow", "allow", "allow"},
		{"truncate", here(unix.SYS_TRUNCATE), newest, "perm", "allow", "allow"},
		{"truncate, older Landlock", here(unix.SYS_TRUNCATE), 2, "perm", "perm", "perm"},
		{"openat2, older Landlock", here(unix.SYS_OPENAT2), 2, "nosys", "nosys", "nosys"},
		{"ioctl, older Landlock", here(unix.SYS_IOCTL, 0, unix.TIOCSTI), 2, "perm", "perm", "perm"},
	} {
		for tier, want := range map[safety.Tier]string{
			safety.TierRead: tc.r, safety.TierWrite: tc.w, safety.TierNetwork: tc.network,
		} {
			got, ok := interpret(filter(tier, tc.abi), tc.call)
			if !ok || answers[got] != want {
				t.Errorf("%s in tier %s: got %#x (%s, %t), want %s", tc.name, tier, got, answers[got], ok, want)
			}
		}
	}
}

// Whatever the number and the arguments, a looser tier allows what a stricter
// one does.
func FuzzFilterTiersAreOrdered(f *testing.F) {
	f.Add(uint32(unix.SYS_SOCKET), uint64(2), uint64(0), uint8(7))
	f.Add(uint32(unix.SYS_OPENAT), uint64(0), uint64(unix.O_TRUNC), uint8(2))
	f.Fuzz(func(t *testing.T, number uint32, arg1, arg2 uint64, abi uint8) {
		version := minABI + int(abi)%10
		call := sysCall{number: number, arch: hostArch, args: [6]uint64{1: arg1, 2: arg2}}
		before := false
		for tier := safety.TierRead; tier < safety.TierNone; tier++ {
			got, ok := interpret(filter(tier, version), call)
			if !ok {
				t.Fatalf("tier %s: the program does not end", tier)
			}
			if before && got != retAllow {
				t.Errorf("system call %d: tier %s denies what the one before allows", number, tier)
			}
			before = got == retAllow
		}
	})
}
