import MacrologEvents
import MacrologWire
import MacrologJSON

/// F: a real server process beside this program: one small event per request over 64 kept-alive
/// connections, then 20 events per request, then exchanges that bring nothing.
///
/// Eight people have eight devices each. The devices push and ask for no page, so that the load
/// generator, which shares the processors, only has to write and to count.
enum Serving {
    private static let people = 8
    private static let devices = 8

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let program = "\(Folder.ofProgram)/sync-server"
        guard Folder.size(program) > 0 else {
            report.note(
                "F is skipped: there is no sync-server beside this program (make build).")
            return
        }
        let time = options.isQuick ? 0.5 : 2.0
        let data = folder.file("server")
        let server = try Running.start(
            program,
            [
                "--data", data, "--listen", "127.0.0.1:0", "--no-rate-limits", "--log-level",
                "error",
            ],
            folder, "server")
        defer {
            server.stop()
            Folder(path: data).remove()
        }
        let idle = server.residentBytes
        let bareServer = try Running.start(
            CommandLine.arguments[0], [BareHTTP.word], folder, "bare-http")
        defer { bareServer.stop() }

        // First, because the server limits one address to a hundred connections.
        try fiftyPeople(time, server.port, &report)
        let tokens = try (0..<people).map { try logIn($0, server.port) }
        var pushers = (0..<people * devices).map {
            Pusher(device: $0, token: tokens[$0 / devices])
        }
        try oneEvent(time, server.port, &pushers, folder, &report)
        let connections = try pushers.map { _ in try LoadConnection(port: server.port) }
        let bareConnections = try pushers.map { _ in try LoadConnection(port: bareServer.port) }
        let twenty = try median(
            (0..<5).map { _ in
                try Load.push(20, connections, &pushers, seconds: time).rate * 20
            })
        report.add(
            "F 20 events a request", "\(Figures.whole(twenty)) events/s",
            budget: "≥ 100,000/s", isMet: twenty >= 100_000)

        try idleSyncs(
            tokens[0], connections, bareConnections, time, server.port, &report)
        let after = server.residentBytes
        if let idle, let after {
            let size = Double(idle) / 1_048_576
            report.add(
                "F memory of the idle server", "\(Figures.decimal(size)) MiB", budget: "≤ 35 MB",
                isMet: size <= 35)
            report.count("F", "memory after the load: \(after / 1_048_576) MiB")
        }
    }

    /// One event a request, beside the barest server that commits each request by itself, the one that commits those
    /// that wait together, and commits alone.
    private static func oneEvent(
        _ time: Double, _ port: UInt16, _ pushers: inout [Pusher], _ folder: Folder,
        _ report: inout Report
    ) throws {
        let servers = try [1, nil].map { try BareSync.start(folder, atMost: $0) }
        defer { for server in servers { server.stop() } }
        // Connected for each round: the server closes a connection that is idle for 15 s.
        func push(_ port: UInt16, _ pushers: inout [Pusher]) throws -> Load.Result {
            let connections = try pushers.map { _ in try LoadConnection(port: port) }
            return try Load.push(1, connections, &pushers, seconds: time)
        }
        let bare = BareSQLite(folder.file("f-bare"))
        let body = Recording.encoded([SampleMeal(0)])[0]
        var (others, seq) = (pushers, 0)
        var typical: [Double] = []
        var slow: [Double] = []
        let rounds = try turns(5, sides: 4) { side, _ in
            switch side {
            case 0:
                let result = try push(port, &pushers)
                typical.append(result.typicalSeconds)
                slow.append(result.slowSeconds)
                return 1 / result.rate
            case 1, 2:
                return 1 / (try push(servers[side - 1].port, &others)).rate
            default:
                let (start, before) = (ContinuousClock.now, seq)
                while start.secondsAgo < time {
                    seq += 1
                    bare.transaction { bare.event(seq, body) }
                }
                return start.secondsAgo / Double(seq - before)
            }
        }
        let rates = (0..<4).map { side in Figures.rate(1, in: median(rounds.map { $0[side] })) }
        let ratios = (0..<4).map { side in median(rounds.map { $0[side] / $0[0] }) }
        report.add(
            "F one event a request", rates[0],
            limit: "\(rates[1]) the barest server, a commit a request", ratio: ratios[1],
            budget: "≥ 5 (7)", isMet: ratios[1] >= 5)
        report.add(
            "F the same, beside group commit", rates[0],
            limit: "\(rates[2]) the barest server with it", ratio: ratios[2], budget: "(0.8)",
            isMet: ratios[2] >= 0.8)
        report.add(
            "F the same, beside commits alone", rates[0], limit: "\(rates[3]) bare commits",
            ratio: ratios[3])
        report.count(
            "F",
            "one event: median \(Figures.milliseconds(median(typical))), "
                + "99 of 100 within \(Figures.milliseconds(median(slow)))")
        report.count(
            "F",
            "one event: the barest server reaches \(Figures.decimal(ratios[3] / ratios[1])) × the bare "
                + "commits with a commit a request, \(Figures.decimal(ratios[3] / ratios[2])) × with "
                + "group commit")
    }

    /// Fifty people with a device each who push at once, and what the slowest of twenty waits. That
    /// nothing of it is lost, acceptance test 17 says.
    private static func fiftyPeople(
        _ time: Double, _ port: UInt16, _ report: inout Report
    ) throws {
        var pushers = try (0..<50).map {
            Pusher(device: 2_000 + $0, token: try logIn(100 + $0, port))
        }
        let connections = try pushers.map { _ in try LoadConnection(port: port) }
        let waits = try (0..<5).map { _ in
            try Load.push(1, connections, &pushers, seconds: time).p95Seconds
        }
        let p95 = median(waits)
        report.add(
            "F 50 people at once, p95", Figures.milliseconds(p95), budget: "≤ 2 s", isMet: p95 <= 2)
    }

    /// Exchanges without news, compared with the bare server and the same requests.
    private static func idleSyncs(
        _ token: String, _ connections: [LoadConnection], _ bare: [LoadConnection],
        _ time: Double, _ port: UInt16, _ report: inout Report
    ) throws {
        let fresh = try logIn(people, port)
        let pushers = connections.indices.map { Pusher(device: 1_000 + $0, token: fresh) }
        let requests = pushers.map { $0.idle() }
        let result = try Rounds.run(
            5,
            ours: { _ in
                1 / (try Load.run(connections, seconds: time) { requests[$0] }).rate
            },
            limit: { _ in 1 / (try Load.run(bare, seconds: time) { requests[$0] }).rate })
        report.add(
            "F idle syncs", Figures.rate(1, in: result.ours),
            limit: "\(Figures.rate(1, in: result.limit)) bare libmicrohttpd", ratio: result.ratio,
            budget: "≥ 0.5 (0.9)", isMet: result.ratio >= 0.5)
        let answer = try connections[0].exchange(requests[0])
        report.count(
            "F",
            "an idle sync with its HTTP header: \(requests[0].count) bytes up, "
                + "\(answer.bytes.count) down; its bodies \(pushers[0].idleBody().count) and "
                + "\(answer.body.count)")
    }

    /// Registers a person and logs in; the access token.
    static func logIn(_ person: Int, _ port: UInt16) throws -> String {
        let connection = try LoadConnection(port: port)
        let email: JSON = .string("person\(person)@example.org")
        let password: JSON = "a long walk by the quiet lake"
        let registered = try connection.exchange(
            Pusher.post(
                "/v1/auth/register", "application/json", token: nil,
                Array((["email": email, "password": password] as JSON).compact.utf8)))
        guard registered.status == 202 else {
            throw Wrong(description: String(decoding: registered.body, as: UTF8.self))
        }
        let answer = try connection.exchange(
            Pusher.post(
                "/v1/auth/login", "application/json", token: nil,
                Array(
                    (["email": email, "password": password, "device": "phone"] as JSON)
                        .compact.utf8)))
        guard answer.status == 200, let token = try JSON.parse(answer.body)["access_token"]?.string
        else { throw Wrong(description: String(decoding: answer.body, as: UTF8.self)) }
        return token
    }
}
