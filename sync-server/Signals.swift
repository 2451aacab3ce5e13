/// How the server learns that it must stop.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum Signals {
    /// Blocks SIGTERM and SIGINT in this thread and all threads that it starts, so that ``wait()``
    /// receives them, and ignores SIGPIPE: writing to a closed pipe returns an error.
    static func block() {
        var set = stopping
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for either signal, and returns its name.
    static func wait() -> String {
        var set = stopping
        var number: Int32 = 0
        sigwait(&set, &number)
        return number == SIGINT ? "SIGINT" : "SIGTERM"
    }

    private static var stopping: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }
}
