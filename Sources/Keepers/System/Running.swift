import MacrologPlatform

/// This process.
package enum Running {
    /// Ends this process with an exit code, from 0 to 255.
    package static func exit(_ code: Int32) -> Never { systemExit(code) }

    /// Ends this process at once: nothing that is left in memory is written.
    package static func stop(_ code: Int32) -> Never { _exit(code) }

    /// From now on this process creates files for their owner only.
    package static func createsPrivateFiles() { umask(0o077) }

    /// Makes writing to a closed pipe return an error instead of ending this process.
    package static func ignoresClosedPipes() { signal(SIGPIPE, SIG_IGN) }

    /// Runs a program to its end.
    ///
    /// - Parameter words: Its name, which is looked for in `PATH`, and its arguments.
    /// - Returns: The status of `waitpid`; 0 if it succeeded.
    package static func run(
        _ words: [String], input: borrowing File, output: borrowing File
    ) throws(SystemError) -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input.descriptor, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, output.descriptor, STDOUT_FILENO)
        var arguments = words.map { strdup($0) } + [nil]
        defer { for text in arguments { free(text) } }
        var child: pid_t = 0
        let error = posix_spawnp(&child, words[0], &actions, nil, &arguments, environ)
        guard error == 0 else { throw SystemError(number: error) }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}

/// The signals that ask a program to stop.
package enum StopSignals {
    /// Blocks SIGTERM and SIGINT in this thread and all threads that it starts, so that ``wait()``
    /// receives them.
    package static func block() {
        var set = both
        pthread_sigmask(SIG_BLOCK, &set, nil)
    }

    /// Waits for either signal, and returns its name.
    package static func wait() -> String {
        var set = both
        var number: Int32 = 0
        sigwait(&set, &number)
        return number == SIGINT ? "SIGINT" : "SIGTERM"
    }

    private static var both: sigset_t {
        var set = sigset_t()
        sigemptyset(&set)
        sigaddset(&set, SIGTERM)
        sigaddset(&set, SIGINT)
        return set
    }
}

private func systemExit(_ code: Int32) -> Never { exit(code) }
