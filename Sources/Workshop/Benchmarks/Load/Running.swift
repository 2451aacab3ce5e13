import MacrologPlatform

/// A server process that says on its first line where it listens.
struct Running {
    let port: UInt16
    private let child: pid_t

    static func start(
        _ program: String, _ words: [String], _ folder: Folder, _ name: String
    ) throws -> Running {
        try start(program, words, output: folder.file("\(name).out"))
    }

    static func start(_ program: String, _ words: [String], output: String) throws -> Running {
        let child = try Child.spawn(
            program, words, environment: ["PATH=/usr/bin:/bin"], output: output)
        // It listens within moments; the line is its own sign of it.
        for _ in 0..<500 {
            usleep(10_000)
            let text = String(decoding: (try? Files.read(output)) ?? [], as: UTF8.self)
            guard text.last == "\n", let line = text.split(separator: "\n").first,
                let port = line.split(separator: ":").last.flatMap({ UInt16($0) })
            else { continue }
            return Running(port: port, child: child)
        }
        kill(child, SIGKILL)
        throw Wrong(description: "\(program) does not listen")
    }

    func stop() {
        kill(child, SIGTERM)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }

    /// The memory it holds now, if the system reports it.
    var residentBytes: Int? {
        guard let text = try? Files.read("/proc/\(child)/statm") else { return nil }
        let pages = String(decoding: text, as: UTF8.self).split(separator: " ")
        return pages.count > 1 ? Int(pages[1]).map { $0 * Int(getpagesize()) } : nil
    }

    /// The processor time of all its threads so far, in steps of 10 ms, if the system reports it.
    var processorSeconds: Double? {
        guard let text = try? Files.read("/proc/\(child)/stat") else { return nil }
        // The name of the program, in parentheses, comes before; `utime` and `stime` are fields 14 and 15.
        let fields = String(decoding: text, as: UTF8.self).split(separator: ")").last?
            .split(separator: " ")
        guard let fields, fields.count > 12, let user = Double(fields[11]),
            let system = Double(fields[12])
        else { return nil }
        return (user + system) / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    func send(_ signal: Int32) { kill(child, signal) }
}
