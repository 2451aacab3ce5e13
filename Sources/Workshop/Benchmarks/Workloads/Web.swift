import MacrologEvents
import MacrologJSON
import MacrologPlatform

/// W: the web interface of a real server process: one day as often as it goes, fifty people who read and write
/// beside devices that sync, the first request of a five-year log, and what an open replica costs in memory.
enum Web {
    private static let people = 50
    /// Events of five years: twenty a day.
    private static let events = 35_000

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let program = "\(Folder.ofProgram)/sync-server"
        guard Folder.size(program) > 0 else {
            report.note("W is skipped: there is no sync-server beside this program (make build).")
            return
        }
        let data = folder.file("web")
        let server = try Running.start(
            program,
            [
                "--data", data, "--listen", "127.0.0.1:0", "--no-rate-limits", "--log-level",
                "error",
            ], folder, "web")
        defer {
            server.stop()
            Folder(path: data).remove()
        }
        let time = options.isQuick ? 1.0 : 3.0
        try fiveYears(server.port, &report)
        let tokens = try (0..<people).map { try Serving.logIn(1_000 + $0, server.port) }
        let before = server.residentBytes
        let connections = try tokens.map { token in
            let connection = try LoadConnection(port: server.port)
            for _ in 0..<10 { _ = try created(connection.exchange(drink(token))) }
            return connection
        }
        if let before, let after = server.residentBytes {
            let each = Double(after - before) / Double(people) / 1_048_576
            report.add(
                "W memory of an open replica", "\(Figures.decimal(each)) MiB", budget: "≤ 3 MB",
                isMet: each * 1.048576 <= 3)
        }
        try dayByDay(connections, tokens, time, &report)
        try mixed(connections, tokens, time, server.port, &report)
    }

    private static func get(_ path: String, _ token: String) -> [UInt8] {
        Array(
            "GET \(path) HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(token)\r\n\r\n".utf8
        )
    }

    private static func drink(_ token: String) -> [UInt8] {
        Pusher.post(
            "/api/v1/water", "application/json", token: token, Array(#"{"volume_ml":250}"#.utf8))
    }

    private static func created(_ answer: LoadConnection.Answer) throws {
        guard (200..<300).contains(answer.status) else {
            throw Wrong(description: String(decoding: answer.body.prefix(300), as: UTF8.self))
        }
    }

    private static func dayByDay(
        _ connections: [LoadConnection], _ tokens: [String], _ time: Double,
        _ report: inout Report
    ) throws {
        let requests = tokens.map { get("/api/v1/day", $0) }
        for (connection, request) in zip(connections, requests) {
            try created(connection.exchange(request))
        }
        let rate = try median(
            (0..<5).map { _ in try Load.run(connections, seconds: time) { requests[$0] }.rate })
        report.add(
            "W GET /api/v1/day", "\(Figures.whole(rate)) requests/s", budget: "≥ 1,000/s",
            isMet: rate >= 1_000)
    }

    /// Each person asks every quarter of a second: four reads to a write. Eight devices of others push meanwhile.
    private static func mixed(
        _ connections: [LoadConnection], _ tokens: [String], _ time: Double, _ port: UInt16,
        _ report: inout Report
    ) throws {
        var pushers = try (0..<8).map {
            Pusher(device: 9_000 + $0, token: try Serving.logIn(2_000 + $0, port))
        }
        let devices = try pushers.map { _ in try LoadConnection(port: port) }
        var turns = tokens.map { _ in 0 }
        let waits = try (0..<5).map { _ in
            try Paced.p95(
                connections + devices, counted: connections.count, seconds: time,
                pause: { $0 < connections.count ? 0.25 : 0.05 }
            ) { index in
                guard index < tokens.count else { return pushers[index - tokens.count].push(1) }
                turns[index] += 1
                return turns[index] % 5 == 0
                    ? drink(tokens[index]) : get("/api/v1/day", tokens[index])
            }
        }
        let p95 = median(waits)
        report.add(
            "W 50 people, reading and writing, p95", Figures.milliseconds(p95), budget: "≤ 25 ms",
            isMet: p95 <= 0.025)
    }

    private static func fiveYears(_ port: UInt16, _ report: inout Report) throws {
        let token = try Serving.logIn(3_000, port)
        var pusher = Pusher(device: 10_000, token: token)
        let connection = try LoadConnection(port: port)
        for _ in 0..<events / 500 { try created(connection.exchange(pusher.push(500))) }
        let start = ContinuousClock.now
        try created(connection.exchange(get("/api/v1/day", token)))
        let first = start.secondsAgo
        report.add(
            "W first request of \(Figures.whole(Double(events))) events",
            Figures.milliseconds(first), budget: "≤ 1.5 s", isMet: first <= 1.5)
    }
}

/// People who ask, read the answer, and ask again after a pause.
private enum Paced {
    /// What 95 of 100 answers to the first connections took at most, in seconds.
    static func p95(
        _ connections: [LoadConnection], counted: Int, seconds: Double, pause: (Int) -> Double,
        request: (Int) -> [UInt8]
    ) throws -> Double {
        var waiting = connections.map { pollfd(fd: $0.socket, events: Int16(POLLIN), revents: 0) }
        let start = ContinuousClock.now
        var sent = connections.map { _ in start }
        var isOpen = connections.map { _ in false }
        var next = connections.indices.map {
            pause($0) * Double($0) / Double(connections.count)
        }
        var waits: [Double] = []
        while start.secondsAgo < seconds || isOpen.contains(true) {
            let now = start.secondsAgo
            for index in connections.indices
            where !isOpen[index] && now < seconds && now >= next[index] {
                sent[index] = .now
                isOpen[index] = true
                try connections[index].send(request(index))
            }
            guard poll(&waiting, nfds_t(waiting.count), 1) >= 0 else { continue }
            for index in waiting.indices where waiting[index].revents != 0 {
                guard let answer = try connections[index].receive() else { continue }
                guard (200..<300).contains(answer.status) else {
                    throw Wrong(description: String(decoding: answer.body, as: UTF8.self))
                }
                isOpen[index] = false
                next[index] = start.secondsAgo + pause(index)
                if index < counted { waits.append(sent[index].secondsAgo) }
            }
        }
        waits.sort()
        return waits[waits.count * 95 / 100]
    }
}
