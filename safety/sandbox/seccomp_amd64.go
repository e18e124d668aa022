//go:build linux

package sandbox

import "golang.org/x/sys/unix"

const hostArch = unix.AUDIT_ARCH_X86_64

// readingHere are the older forms of system calls, which this system has.
var readingHere = []uint32{
	unix.SYS_CHMOD, unix.SYS_CHOWN, unix.SYS_LCHOWN, unix.SYS_UTIME, unix.SYS_UTIMES, unix.SYS_FUTIMESAT,
}

// x32 marks the numbers of the x32 system calls, which pass for this system's.
const x32 = 0x40000000

func (p *program) foreign() {
	p.add(unix.BPF_JMP|unix.BPF_JGE|unix.BPF_K, x32, 0, 1)
	p.ret(retNoSys)
}

func (p *program) openHere(mask uint32) {
	p.argument(unix.SYS_OPEN, 1, mask, retPerm, unix.O_TRUNC)
}
