package journal

// ignoreUnsupported drops the answer to syncing a directory, which Windows
// does not do.
func ignoreUnsupported(error) error { return nil }
