import MacrologEvents
import MacrologPlatform

/// Q: eight people who push one event now and then, alone and beside one account that pushes from four
/// devices as fast as it is answered: what the slowest of a hundred of the eight waits.
///
/// Once with the server's limits on pushes, and once without them, which shows the queue of changes itself.
enum Fairness {
    private static let quiet = 8
    private static let devices = 4
    /// Events of one push of the noisy account.
    private static let events = 500
    /// Seconds between an answer and the next push of a quiet person.
    private static let pause = 0.01

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let program = "\(Folder.ofProgram)/sync-server"
        guard Folder.size(program) > 0 else {
            report.note("Q is skipped: there is no sync-server beside this program (make build).")
            return
        }
        let time = options.isQuick ? 0.5 : 1.0
        for (name, limits) in [
            ("with limits", ["--registrations-per-hour", "1000"]),
            ("without limits", ["--no-rate-limits"]),
        ] {
            let data = folder.file("fair")
            let server = try Running.start(
                program,
                ["--data", data, "--listen", "127.0.0.1:0", "--log-level", "error"] + limits,
                folder,
                "fair")
            defer {
                server.stop()
                Folder(path: data).remove()
            }
            var people = try (0..<quiet).map {
                Pusher(device: $0, token: try Serving.logIn($0, server.port))
            }
            let token = try Serving.logIn(99, server.port)
            var noisy = (0..<devices).map { Pusher(device: 100 + $0, token: token) }
            let connections = try people.map { _ in try LoadConnection(port: server.port) }
            let loud = try noisy.map { _ in try LoadConnection(port: server.port) }
            let result = try Rounds.run(
                5,
                ours: { _ in
                    // Made before, because making them takes the processors that the server needs.
                    var waiting = (0..<devices).map { device in
                        (0..<60).map { _ in noisy[device].push(events) }
                    }
                    return try slowest(connections, &people, time, loud) { waiting[$0].popLast() }
                },
                limit: { _ in try slowest(connections, &people, time, []) { _ in nil } })
            report.add(
                "Q 8 beside a noisy one, p99, \(name)", Figures.milliseconds(result.ours),
                limit: "\(Figures.milliseconds(result.limit)) alone", ratio: result.ratio,
                budget: "≥ 0.5", isMet: result.ratio >= 0.5)
        }
    }

    /// What the slowest of a hundred pushes of the quiet people waited, in seconds.
    static func slowest(
        _ connections: [LoadConnection], _ people: inout [Pusher], _ time: Double,
        _ loud: [LoadConnection], noise: (Int) -> [UInt8]?
    ) throws -> Double {
        let all = connections + loud
        var waiting = all.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        let start = ContinuousClock.now
        var sent = all.map { _ in start }
        var isOpen = all.map { _ in false }
        var next = all.indices.map { pause * Double($0) / Double(all.count) }
        var waits: [Double] = []
        while start.secondsAgo < time || isOpen.contains(true) {
            let now = start.secondsAgo
            for index in all.indices where !isOpen[index] && now < time && now >= next[index] {
                let isQuiet = index < connections.count
                guard
                    let request = isQuiet ? people[index].push(1) : noise(index - connections.count)
                else { continue }
                sent[index] = .now
                isOpen[index] = true
                try all[index].send(request)
            }
            guard poll(&waiting, nfds_t(waiting.count), 1) >= 0 else { continue }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard try all[index].receive() != nil else { continue }
                isOpen[index] = false
                next[index] = 0
                if index < connections.count {
                    waits.append(sent[index].secondsAgo)
                    next[index] = start.secondsAgo + pause
                }
            }
        }
        waits.sort()
        return waits[waits.count * 99 / 100]
    }
}
