package term

// CanSuspend reports whether the program can be stopped and woken again.
func CanSuspend() bool { return false }
