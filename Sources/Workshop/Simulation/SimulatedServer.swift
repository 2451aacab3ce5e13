import Dispatch
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologCryptography
import MacrologService
import MacrologPlatform
import MacrologTestSupport
import Synchronization

/// The real server on a simulated clock, called with one request at a time.
final class SimulatedServer: Sendable {
    private let path: String
    /// Whether a separate thread writes, as in production.
    private let hasWriter: Bool
    /// The disk of its file, if that can fail.
    let disk: FaultDisk?
    private let clock = ManualClock(0)
    private let life = ServerLife()
    private let server: Mutex<SyncServer>
    /// The same server on another store, if there is one.
    private let twin: ServerTwin?
    private let random: @Sendable (Int) -> [UInt8]
    private let answeredPolls = Mutex<[(poll: Int, response: HTTPResponse)]>([])

    init(
        path: String, disk: FaultDisk? = nil, hasWriter: Bool = false, twin: ServerTwin? = nil
    ) throws {
        self.path = path
        self.twin = twin
        let random: @Sendable (Int) -> [UInt8]
        if twin == nil { random = { randomBytes($0) } } else { random = SeededRandom().bytes }
        self.random = random
        self.disk = disk
        self.hasWriter = hasWriter
        server = Mutex(try Self.open(path, hasWriter, clock, life, random))
    }

    private static func open(
        _ path: String, _ hasWriter: Bool, _ clock: ManualClock, _ life: ServerLife,
        _ random: @escaping @Sendable (Int) -> [UInt8]
    ) throws -> SyncServer {
        // A commit of unknown outcome ends a server: it never answers again.
        let store = try SQLiteServerStore.open(
            path, newEpoch: 7, readers: 1, hasWriter: hasWriter, fatal: life.end)
        return server(on: store, clock, random)
    }

    static func server(
        on store: any ServerStore, _ clock: ManualClock,
        _ random: @escaping @Sendable (Int) -> [UInt8]
    ) -> SyncServer {
        var settings = ServerSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates[.registerByNetwork] = Rate(burst: 1_000_000, interval: 1)
        settings.rates[.loginByAccount] = Rate(burst: 1_000_000, interval: 1)
        settings.rates[.pushByAccount] = nil
        settings.rates[.pullBySession] = nil
        settings.rates[.blobBySession] = nil
        return SyncServer(
            store: store, secrets: ServerTwin.secrets, settings: settings, clock: { clock.now },
            monotonic: { clock.now }, random: random)
    }

    /// Stops, and restarts with the contents of the disk.
    func restart() throws {
        try server.withLock { server in
            server.close()
            life.begin()
            // The power may have failed while it stopped.
            if let disk, disk.isOff { disk.restore(.lost, seed: 0) }
            disk?.repair()
            server = try Self.open(path, hasWriter, clock, life, random)
            try twin?.restart()
        }
    }

    /// Restarts after a power failure.
    func restart(after damage: Damage, seed: UInt64) throws {
        try server.withLock { server in
            server.close()
            life.begin()
            disk?.restore(damage, seed: seed)
            server = try Self.open(path, hasWriter, clock, life, random)
        }
    }

    /// Copies the server's file while the server runs.
    func backUp(to copy: String) throws { try ServerFile.backUp(path, to: copy) }

    /// Stops, and restarts from a copy, with a new epoch.
    ///
    /// - Parameter emails: The addresses of all accounts, each of which gets the epoch for itself; empty to give it to
    ///   the store.
    func restore(from copy: String, epoch: UInt32, of emails: [String] = []) throws {
        try server.withLock { server in
            server.close()
            for end in ["", "-wal", "-shm"] { unlink(path + end) }
            BlobFiles(of: path).removeAll()
            try ServerFile.backUp(copy, to: path)
            disk?.adoptContents()
            for email in emails.isEmpty ? [nil] : emails.map(Optional.some) {
                try ServerFile.renew(path, of: email, epoch: epoch, endsSessions: false, now: 0)
            }
            life.begin()
            server = try Self.open(path, hasWriter, clock, life, random)
        }
    }

    /// Problems of the server's file.
    func problems() throws -> [String] { try ServerFile.check(path).problems }

    func close() {
        server.withLock { $0.close() }
        twin?.close()
    }

    /// Holds a poll that arrives at a moment.
    func hold(_ request: HTTPRequest, poll: Int, at moment: Int64) {
        clock.now = moment
        server.withLock { $0 }.respond(to: request) { response in
            self.answeredPolls.withLock { $0.append((poll, response)) }
        }
        twin?.hold(request, poll: poll, at: moment)
    }

    /// Ends polls that time out at a moment.
    func tick(at moment: Int64) {
        clock.now = moment
        server.withLock { $0 }.tick()
        twin?.tick(at: moment)
    }

    /// The polls that were answered since this was last read. Polls that a push has woken are among
    /// them as soon as the push is answered.
    func takeAnsweredPolls() -> [(poll: Int, response: HTTPResponse)] {
        let polls = answeredPolls.withLock { answered in
            defer { answered = [] }
            return answered.sorted { $0.poll < $1.poll }
        }
        twin?.compare(polls: polls)
        return polls
    }

    /// Receives the beginning of an upload whose connection then breaks.
    func breakOff(_ request: HTTPRequest, after bytes: [UInt8], at moment: Int64) {
        clock.now = moment
        guard let sink = server.withLock({ $0 }).sink(for: request) else { return }
        bytes.withUnsafeBytes { sink.take($0) }
        sink.cancel()
        twin?.breakOff(request, after: bytes, at: moment)
    }

    /// Deletes blobs that no device holds; returns how many.
    func collect(at moment: Int64) -> Int {
        clock.now = moment
        let count = server.withLock { $0 }.collectBlobs().unreferenced
        twin?.collect(at: moment, besides: count)
        return count
    }

    /// Why the server has ended itself; `nil` while it runs.
    var causeOfDeath: String? { life.cause }

    /// The answer to a request that arrives at a moment; for a stopped server, the answer of its
    /// proxy.
    func answer(_ request: HTTPRequest, at moment: Int64) -> HTTPResponse {
        answers([request], at: moment)[0]
    }

    /// The answers to requests that arrive at one moment.
    func answers(_ requests: [HTTPRequest], at moment: Int64) -> [HTTPResponse] {
        clock.now = moment
        let server = server.withLock { $0 }
        let boxes = Mutex([HTTPResponse?](repeating: nil, count: requests.count))
        let done = DispatchSemaphore(value: 0)
        guard life.wakeAtEnd(done, times: requests.count) else {
            return requests.map { _ in Self.badGateway }
        }
        for (index, request) in requests.enumerated() where life.cause == nil {
            server.respond(to: request) { response in
                boxes.withLock { $0[index] = response }
                done.signal()
            }
        }
        for _ in requests { done.wait() }
        life.forget()
        if hasWriter { awaitWriter(server.store) }
        let answers = boxes.withLock { $0 }.map { $0 ?? Self.badGateway }
        for (request, answer) in zip(requests, answers) {
            twin?.compare(request, with: answer, at: moment)
        }
        return answers
    }

    /// Waits until deferred writes are done too, such as receipts, which no request waits for.
    private func awaitWriter(_ store: any ServerStore) {
        let done = DispatchSemaphore(value: 0)
        guard life.wakeAtEnd(done, times: 1) else { return }
        let nothing = Push(
            space: 1, device: Identifier(high: 0, low: 0), events: [],
            now: clock.now)
        store.push(nothing) { _ in done.signal() }
        done.wait()
        life.forget()
    }

    private static let badGateway = HTTPResponse(status: 502)
}

/// Whether a server still runs, and who waits for it.
private final class ServerLife: Sendable {
    private struct State {
        var cause: String?
        var waiting: (DispatchSemaphore, times: Int)?
    }

    private let state = Mutex(State())

    var cause: String? { state.withLock { $0.cause } }

    func begin() { state.withLock { $0 = State() } }

    func end(_ cause: String) {
        state.withLock { state in
            state.cause = cause
            for _ in 0..<(state.waiting?.times ?? 0) { state.waiting?.0.signal() }
        }
    }

    /// - Returns: Whether it runs.
    func wakeAtEnd(_ waiting: DispatchSemaphore, times: Int) -> Bool {
        state.withLock { state in
            state.waiting = (waiting, times)
            return state.cause == nil
        }
    }

    func forget() { state.withLock { $0.waiting = nil } }
}
