import MacrologEvents
import MacrologWire
import MacrologHTTP
import MacrologHTTPServer
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologPlatform
import MacrologTestSupport
import Synchronization

/// G: 5,000 devices of 500 people wait by long-poll over real sockets; every person records
/// something, and everybody must hear of it. Server and sockets are in this process, so the memory
/// is that of both. Twice on the same connections: a connection that has answered once keeps more.
enum Live {
    private static let devicesEach = 10

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let people = options.isQuick ? 50 : 500
        let count = people * devicesEach
        let server = try LiveServer(folder, connections: count + 64)
        defer { server.stop() }
        let devices = try server.logIn(people: people, devicesEach: devicesEach)
        let before = residentBytes()
        let sockets = try devices.map { _ in try PollSocket(port: server.httpServer.port) }
        for round in 0..<2 {
            for (socket, device) in zip(sockets, devices) {
                socket.ask(device, after: Int64(round))
            }
            while server.server.openChannels < count { usleep(1_000) }
            let memory = Double(residentBytes() - before) / 1_048_576
            let start = ContinuousClock.now
            for person in 0..<people { server.push(devices[person * devicesEach], round: round) }
            for socket in sockets { try socket.hear(head: Int64(round + 1)) }
            let woken = start.secondsAgo
            let pushed = server.lastAnswer(since: start)
            let budget = options.isQuick ? nil : woken <= 0.3
            report.add(
                "G \(Figures.whole(Double(count))) polls, round \(round + 1): memory",
                "\(Figures.decimal(memory, digits: 1)) MB", budget: "≤ 150 MB",
                isMet: options.isQuick ? nil : memory <= 150)
            report.add(
                "G round \(round + 1): all woken, \(people) pushes included",
                Figures.milliseconds(woken), limit: "\(Figures.milliseconds(pushed)) the pushes",
                budget: "≤ 300 ms", isMet: budget)
        }
    }

    /// Memory of this process that is in RAM; 0 where the system does not say.
    private static func residentBytes() -> Int {
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let words = String(
            decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
        )
        .split(separator: " ")
        return (words.count > 1 ? Int(words[1]) ?? 0 : 0) * Int(sysconf(Int32(_SC_PAGESIZE)))
    }
}

/// The real service in the real HTTP server, with password hashing that costs nothing.
private final class LiveServer: Sendable {
    let server: SyncServer
    let httpServer: Server
    private let pushAnswered = Mutex(ContinuousClock.now)

    init(_ folder: Folder, connections: Int) throws {
        // A commit of unknown outcome ends the server, and so the measurement.
        let store = try SQLiteServerStore.open(folder.file("live.db"), newEpoch: 7) {
            fatalError($0)
        }
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates = .none
        let server = SyncServer(
            store: store, secrets: Secrets([UInt8](repeating: 5, count: Secrets.byteCount)),
            settings: settings, clock: { 1_800_000_000_000 })
        var configuration = Configuration()
        configuration.port = 0
        configuration.connectionsMax = connections
        configuration.connectionsPerAddressMax = connections
        // Idle sockets wait here for their turn.
        configuration.idleMilliseconds = 600_000
        configuration.headerMilliseconds = 600_000
        httpServer = try Server.start(configuration) { request, reply in
            server.respond(to: request) { reply.send($0) }
        }
        self.server = server
    }

    func stop() {
        server.endLive()
        httpServer.stop()
        server.close()
    }

    /// Access tokens, person by person.
    func logIn(people: Int, devicesEach: Int) throws -> [String] {
        var tokens: [String] = []
        for person in 0..<people {
            let email: JSON = .string("person\(person)@example.org")
            let password: JSON = .string("four words in a row")
            _ = ask("POST", "/v1/auth/register", ["email": email, "password": password])
            for device in 0..<devicesEach {
                let answer = ask(
                    "POST", "/v1/auth/login",
                    ["email": email, "password": password, "device": .string("\(device)")])
                guard let token = try JSON.parse(answer.body)["access_token"]?.string else {
                    throw BenchmarkError(description: "no user can log in")
                }
                tokens.append(token)
            }
        }
        return tokens
    }

    /// Pushes one event, and does not wait for the answer.
    func push(_ token: String, round: Int) {
        let device = Device.id(UInt64(1 + round))
        let event = Event(
            dot: Dot(device: device, seq: 1), base: .none, wall: 1_800_000_000_000,
            type: "meal.added", changes: [SampleMeal(round).change])
        // The history that a device without any has is no one's: always accepted.
        let request = SyncRequest(
            device: device, epoch: 0, cursor: 0, digest: .empty,
            pushed: [SyncRequest.Pushed(age: 0, body: event.encoded())])
        server.respond(
            to: HTTPRequest(
                method: "POST", path: "/v1/sync",
                fields: [
                    HTTPField("content-type", "application/cbor"),
                    HTTPField("authorization", "Bearer \(token)"),
                ], body: request.encoded())
        ) { response in
            precondition(response.status == 200, "a push was refused")
            self.pushAnswered.withLock { $0 = ContinuousClock.now }
        }
    }

    /// Seconds from a moment to the answer of the last push.
    func lastAnswer(since start: ContinuousClock.Instant) -> Double {
        let (seconds, attoseconds) = (pushAnswered.withLock { $0 } - start).components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    private func ask(_ method: String, _ path: String, _ body: JSON) -> HTTPResponse {
        let answer = Mutex<HTTPResponse?>(nil)
        server.respond(
            to: HTTPRequest(
                method: method, path: path,
                fields: [HTTPField("content-type", "application/json")],
                body: Array(body.compact.utf8))
        ) { response in answer.withLock { $0 = response } }
        while true {
            if let response = answer.withLock({ $0 }) { return response }
            usleep(50)
        }
    }
}

/// One device's connection.
private struct PollSocket {
    private let descriptor: Int32

    init(port: UInt16) throws {
        guard let line = Loopback.connected(to: Int(port)) else {
            throw BenchmarkError(
                description: "no socket: raise the limit of open files (ulimit -n) to 12,000")
        }
        descriptor = line
    }

    func ask(_ token: String, after: Int64) {
        let text =
            "GET /v1/events?after=\(after)&wait=55 HTTP/1.1\r\nHost: x\r\n"
            + "Authorization: Bearer \(token)\r\n\r\n"
        _ = send(descriptor, text, text.utf8.count, 0)
    }

    func hear(head: Int64) throws {
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        let text = String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        guard text.hasSuffix("{\"head\":\(head)}") else {
            throw BenchmarkError(description: "a poll heard: \(text)")
        }
    }
}
