import MacrologPlatform

/// This process.
public enum Running {
    /// Ends this process with an exit code, from 0 to 255.
    public static func exit(_ code: Int32) -> Never { systemExit(code) }

    /// Ends this process at once: nothing that is left in memory is written.
    package static func stop(_ code: Int32) -> Never { _exit(code) }

    /// Whether the superuser runs this process.
    package static var isRoot: Bool { geteuid() == 0 }

    /// From now on this process creates files for their owner only.
    package static func createsPrivateFiles() { umask(0o077) }

    /// Threads take memory from the heap of the process. To be called before a thread starts, by a program in
    /// which one thread works at a time: GNU's heap of another thread grows by a page and a system call at a time.
    public static func allocatesFromOneHeap() { useOneHeap() }

    /// Makes writing to a closed pipe return an error instead of ending this process.
    public static func ignoresClosedPipes() { signal(SIGPIPE, SIG_IGN) }
}

/// The signals that ask a server to stop, or to read its configuration again.
package enum ServerSignal: Sendable {
    /// SIGTERM or SIGINT, by its name.
    case stop(String)
    /// SIGHUP.
    case reload

    /// Blocks these signals in this thread and all threads that it starts, so that ``wait()``
    /// receives them.
    package static func block() {
        var set = all
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for one of them.
    package static func wait() -> ServerSignal {
        var set = all
        var number: Int32 = 0
        sigwait(&set, &number)
        return number == SIGHUP ? .reload : .stop(number == SIGINT ? "SIGINT" : "SIGTERM")
    }

    private static var all: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        for number in [SIGTERM, SIGINT, SIGHUP] { sigaddset(&set, number) }
        return set
    }
}

/// What this process uses.
extension Running {
    /// The processors' time that it has used, in milliseconds.
    package static var processorMilliseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
    }

    /// The memory that it occupies, in bytes; `nil` if the system does not tell.
    package static var residentBytes: Int64? {
        guard let file = try? File.open("/proc/self/statm"),
            let text = try? file.read(atMost: 256),
            let pages = String(decoding: text, as: UTF8.self).split(separator: " ").dropFirst()
                .first.flatMap({ Int64($0) })
        else { return nil }
        return pages * Int64(sysconf(CInt(_SC_PAGESIZE)))
    }
}

private func systemExit(_ code: Int32) -> Never { exit(code) }
