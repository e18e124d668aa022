//go:build linux && (amd64 || arm64)

package sandbox

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"

	"mm/safety"
)

// always are system calls that no command needs and that would reach around
// Landlock or act on the whole machine.
var always = []uint32{
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PROCESS_MADVISE,
	unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE,
	unix.SYS_OPEN_TREE_ATTR, unix.SYS_MOUNT_SETATTR, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG,
	unix.SYS_FSPICK, unix.SYS_CHROOT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_SWAPON, unix.SYS_SWAPOFF,
	unix.SYS_QUOTACTL, unix.SYS_QUOTACTL_FD, unix.SYS_ACCT,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD,
	unix.SYS_KEXEC_FILE_LOAD, unix.SYS_REBOOT, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME,
	unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
}

// absent look like system calls of a newer kernel, so that programs do without
// them. io_uring opens and sends without being seen by the filter.
var absent = []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER}

// reading are what a command that only reads has no use for: all that changes
// a file without opening it, for which Landlock has no right, and what leaves
// something in the kernel or reaches other processes.
var reading = append([]uint32{
	unix.SYS_FCHMOD, unix.SYS_FCHMODAT, unix.SYS_FCHMODAT2, unix.SYS_FCHOWN, unix.SYS_FCHOWNAT,
	unix.SYS_UTIMENSAT, unix.SYS_SETXATTR, unix.SYS_LSETXATTR, unix.SYS_FSETXATTR, unix.SYS_SETXATTRAT,
	unix.SYS_REMOVEXATTR, unix.SYS_LREMOVEXATTR, unix.SYS_FREMOVEXATTR, unix.SYS_REMOVEXATTRAT,
	unix.SYS_FILE_SETATTR, unix.SYS_TRUNCATE,
	unix.SYS_SHMGET, unix.SYS_SEMGET, unix.SYS_MSGGET, unix.SYS_MQ_OPEN, unix.SYS_MQ_UNLINK,
	unix.SYS_SOCKETPAIR, unix.SYS_UNSHARE, unix.SYS_SETNS,
}, readingHere...)

// signals are forbidden to a command that only reads where Landlock does not
// keep signals in.
var signals = []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_PIDFD_SEND_SIGNAL}

// Offsets in struct seccomp_data of what the filter looks at; both systems
// keep the low half of an argument first.
const (
	offNumber = 0
	offArch   = 4
	offArgs   = 16
)

const (
	retAllow = unix.SECCOMP_RET_ALLOW
	retPerm  = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	retNoSys = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	retKill  = unix.SECCOMP_RET_KILL_PROCESS
)

// filter returns the seccomp program of a tier in classic BPF. A process of
// another architecture is ended, since its numbers mean other calls.
func filter(t safety.Tier, abi int) []unix.SockFilter {
	f := program{}
	f.load(offArch)
	f.unless(hostArch, retKill)
	f.load(offNumber)
	f.foreign()
	f.deny(retNoSys, absent...)
	f.deny(retPerm, always...)
	if t == safety.TierRead {
		f.deny(retPerm, reading...)
	}
	if t == safety.TierRead && abi < 6 {
		f.deny(retPerm, signals...)
	}
	if t == safety.TierRead || t == safety.TierWrite {
		f.deny(retPerm, unix.SYS_SOCKET)
	}
	if abi < 3 {
		f.truncation()
	}
	f.argument(unix.SYS_IOCTL, 1, ^uint32(0), retPerm, unix.TIOCSTI, unix.TIOCLINUX)
	f.ret(retAllow)
	return f
}

// program is BPF under construction. Between statements the number of the
// system call is in the accumulator.
type program []unix.SockFilter

func (p *program) add(code uint16, k uint32, yes, no uint8) {
	*p = append(*p, unix.SockFilter{Code: code, Jt: yes, Jf: no, K: k})
}

func (p *program) load(offset uint32) { p.add(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, offset, 0, 0) }
func (p *program) ret(k uint32)       { p.add(unix.BPF_RET|unix.BPF_K, k, 0, 0) }

// unless returns k when the accumulator is not value.
func (p *program) unless(value, k uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, value, 1, 0)
	p.ret(k)
}

// deny returns k for each of the numbers.
func (p *program) deny(k uint32, numbers ...uint32) {
	for _, n := range numbers {
		p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, n, 0, 1)
		p.ret(k)
	}
}

// argument returns k when an argument of the system call, masked, is one of
// the values, and allows the call otherwise.
func (p *program) argument(number, index, mask, k uint32, values ...uint32) {
	p.add(unix.BPF_JMP|unix.BPF_JEQ|unix.BPF_K, number, 0, uint8(3+2*len(values)))
	p.load(offArgs + 8*index)
	p.add(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, mask, 0, 0)
	p.deny(k, values...)
	p.ret(retAllow)
}

// truncation closes what Landlock before version 3 leaves open: emptying a
// file by its name, and by opening it for reading.
func (p *program) truncation() {
	const mask = unix.O_ACCMODE | unix.O_TRUNC
	p.deny(retPerm, unix.SYS_TRUNCATE)
	p.deny(retNoSys, unix.SYS_OPENAT2)
	p.argument(unix.SYS_OPENAT, 2, mask, retPerm, unix.O_TRUNC)
	p.openHere(mask)
}

// filterThread applies a program to the calling thread, for good.
func filterThread(f []unix.SockFilter) error {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("apply a seccomp filter: %w", errno)
	}
	return nil
}
