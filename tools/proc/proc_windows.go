package proc

import (
	"os"
	"os/exec"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// group is a job object: it holds the command and everything it starts, and
// ends them when its last handle is closed.
type group struct {
	job    windows.Handle
	leader int
}

// start starts a command without a console window and puts it into a job
// object. What it starts in the instant between the two is out of reach.
func start(cmd *exec.Cmd, begin func(*exec.Cmd) error) (*group, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, err
	}
	g := &group{job: job}
	var info windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION
	info.BasicLimitInformation.LimitFlags = windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE
	if _, err := windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&info)), uint32(unsafe.Sizeof(info))); err != nil {
		g.release()
		return nil, err
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow:    true,
		CreationFlags: windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	if err := begin(cmd); err != nil {
		g.release()
		return nil, err
	}
	g.leader = cmd.Process.Pid
	var assigned error
	err = cmd.Process.WithHandle(func(h uintptr) {
		assigned = windows.AssignProcessToJobObject(job, windows.Handle(h))
	})
	if err == nil {
		err = assigned
	}
	if err != nil {
		_ = cmd.Process.Kill() // it may have ended by itself
		_ = cmd.Wait()         // its outcome does not matter
		g.release()
		return nil, err
	}
	return g, nil
}

// accounting is JOBOBJECT_BASIC_ACCOUNTING_INFORMATION.
type accounting struct {
	userTime, kernelTime             int64
	periodUserTime, periodKernelTime int64
	pageFaults, processes            uint32
	active, terminated               uint32
}

func (g *group) alive() bool {
	var a accounting
	err := windows.QueryInformationJobObject(g.job, windows.JobObjectBasicAccountingInformation,
		uintptr(unsafe.Pointer(&a)), uint32(unsafe.Sizeof(a)), nil)
	return err == nil && a.active > 0
}

func (g *group) gone() bool { return !g.alive() }

// terminate is kill: a process without a window has no way to be asked.
func (g *group) terminate() { g.kill() }

// kill ends the job's processes. An error says that there are none.
func (g *group) kill() { _ = windows.TerminateJobObject(g.job, 1) }

func (g *group) hangUp() { g.kill() }

// members names the job by its first process, which may itself have ended.
func (g *group) members() []Job { return []Job{{PID: g.leader}} }

func (g *group) release() { _ = windows.CloseHandle(g.job) } // its processes have ended

// Status reads how a process ended; no signals end it here.
func Status(s *os.ProcessState) (code int, signal string) {
	if s == nil {
		return -1, ""
	}
	return s.ExitCode(), ""
}
