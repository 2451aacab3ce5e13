/// How the server is told to stop.
#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

enum Signals {
    /// Keeps SIGTERM and SIGINT for ``wait()``, in this thread and all that it starts; a closed
    /// pipe is an error of a write, not the end.
    static func block() {
        var set = stopping
        pthread_sigmask(SIG_BLOCK, &set, nil)
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for one of the two, and gives its name.
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
