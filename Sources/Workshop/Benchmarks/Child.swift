import MacrologPlatform
import MacrologSystem

/// A program run to its end.
struct Child {
    let status: Int32
    let seconds: Double
    /// The most memory it held at once.
    let memoryBytes: Int

    /// Runs a program with nothing on its standard input and its standard output in a file.
    static func run(
        _ program: String, _ words: [String], environment: [String] = [],
        output: String = "/dev/null"
    ) throws -> Child {
        let start = ContinuousClock.now
        let child = try spawn(program, words, environment: environment, output: output)
        var status: Int32 = 0
        var usage = rusage()
        while wait4(child, &status, 0, &usage) < 0, errno == EINTR {}
        let seconds = start.secondsAgo
        let memory = usage.ru_maxrss * residentSetUnit
        return Child(status: status, seconds: seconds, memoryBytes: memory)
    }

    /// Starts a program, and returns its number.
    static func spawn(
        _ program: String, _ words: [String], environment: [String], output: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        var arguments = ([program] + words).map { strdup($0) } + [nil]
        var variables = environment.map { strdup($0) } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var child: pid_t = 0
        guard posix_spawn(&child, program, &actions, nil, &arguments, &variables) == 0 else {
            throw BenchmarkError(description: "\(program) cannot be started")
        }
        return child
    }
}
