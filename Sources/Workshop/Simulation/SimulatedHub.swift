import Dispatch
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologSeal
import MacrologService
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The real hub on a clock of the world's own, asked one request at a time.
final class SimulatedHub: Sendable {
    private let path: String
    /// Whether a thread of its own writes, as in a server.
    private let hasWriter: Bool
    /// Where its file lies, if on a disk that can fail.
    let disk: FaultDisk?
    private let clock = WorldClock()
    private let life = HubLife()
    private let hub: Mutex<Hub>
    private let answeredPolls = Mutex<[(poll: Int, response: HTTPResponse)]>([])

    init(path: String, disk: FaultDisk? = nil, hasWriter: Bool = false) throws {
        self.path = path
        self.disk = disk
        self.hasWriter = hasWriter
        hub = Mutex(try Self.open(path, hasWriter, clock, life))
    }

    private static func open(
        _ path: String, _ hasWriter: Bool, _ clock: WorldClock, _ life: HubLife
    ) throws -> Hub {
        // A commit that nobody can be sure of ends a hub: it is never heard of again.
        let store = try SQLiteHubStore.open(
            path, newEpoch: 7, readers: 1, hasWriter: hasWriter, fatal: life.end)
        var settings = HubSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates.registerByNetwork = Rate(burst: 1_000_000, interval: 1)
        settings.rates.loginByAccount = Rate(burst: 1_000_000, interval: 1)
        settings.rates.pushByAccount = nil
        settings.rates.pullBySession = nil
        settings.rates.blobBySession = nil
        return Hub(
            store: store, secrets: Secrets([UInt8](repeating: 1, count: Secrets.byteCount)),
            settings: settings, clock: { clock.now.load(ordering: .relaxed) },
            monotonic: { clock.now.load(ordering: .relaxed) })
    }

    /// Stops, and starts again on what is on the disk.
    func restart() throws {
        try hub.withLock { hub in
            hub.close()
            life.begin()
            // The power may have failed while it stopped.
            if let disk, disk.isOff { disk.restore(.lost, seed: 0) }
            disk?.mend()
            hub = try Self.open(path, hasWriter, clock, life)
        }
    }

    /// Starts again after the power has failed.
    func restart(after damage: Damage, seed: UInt64) throws {
        try hub.withLock { hub in
            hub.close()
            life.begin()
            disk?.restore(damage, seed: seed)
            hub = try Self.open(path, hasWriter, clock, life)
        }
    }

    /// Copies the hub's file while the hub goes on.
    func backUp(to copy: String) throws { try HubFile.backUp(path, to: copy) }

    /// Stops, and starts again on a copy, under another epoch.
    func restore(from copy: String, epoch: UInt32) throws {
        try hub.withLock { hub in
            hub.close()
            for end in ["", "-wal", "-shm"] { unlink(path + end) }
            BlobFiles(of: path).removeAll()
            try HubFile.backUp(copy, to: path)
            disk?.settle()
            try HubFile.renew(path, epoch: epoch, endsSessions: false, now: 0)
            life.begin()
            hub = try Self.open(path, hasWriter, clock, life)
        }
    }

    /// What is wrong with the hub's file.
    func problems() throws -> [String] { try HubFile.check(path).problems }

    func close() { hub.withLock { $0.close() } }

    /// Holds a poll that arrives at a moment.
    func hold(_ request: HTTPRequest, poll: Int, at moment: Int64) {
        clock.now.store(moment, ordering: .relaxed)
        hub.withLock { $0 }.respond(to: request) { response in
            self.answeredPolls.withLock { $0.append((poll, response)) }
        }
    }

    /// Lets polls end whose time is over at a moment.
    func tick(at moment: Int64) {
        clock.now.store(moment, ordering: .relaxed)
        hub.withLock { $0 }.tick()
    }

    /// The polls that were answered since this was last asked. Those that a push has woken are
    /// among them as soon as the push is answered.
    func takeAnsweredPolls() -> [(poll: Int, response: HTTPResponse)] {
        answeredPolls.withLock { answered in
            defer { answered = [] }
            return answered.sorted { $0.poll < $1.poll }
        }
    }

    /// Takes the beginning of an upload whose connection then breaks.
    func breakOff(_ request: HTTPRequest, after bytes: [UInt8], at moment: Int64) {
        clock.now.store(moment, ordering: .relaxed)
        guard let sink = hub.withLock({ $0 }).sink(for: request) else { return }
        bytes.withUnsafeBytes { sink.take($0) }
        sink.cancel()
    }

    /// Deletes what nobody holds; how many blobs went.
    func collect(at moment: Int64) -> Int {
        clock.now.store(moment, ordering: .relaxed)
        return hub.withLock { $0 }.collectBlobs().orphans
    }

    /// Why the hub has ended itself; `nil` while it lives.
    var causeOfDeath: String? { life.cause }

    /// The answer to a request that arrives at a moment; a dead hub's is that of its proxy.
    func answer(_ request: HTTPRequest, at moment: Int64) -> HTTPResponse {
        answers([request], at: moment)[0]
    }

    /// The answers to requests that arrive at one moment.
    func answers(_ requests: [HTTPRequest], at moment: Int64) -> [HTTPResponse] {
        clock.now.store(moment, ordering: .relaxed)
        let hub = hub.withLock { $0 }
        let boxes = Mutex([HTTPResponse?](repeating: nil, count: requests.count))
        let done = DispatchSemaphore(value: 0)
        guard life.wakeAtEnd(done, times: requests.count) else {
            return requests.map { _ in Self.badGateway }
        }
        for (index, request) in requests.enumerated() where life.cause == nil {
            hub.respond(to: request) { response in
                boxes.withLock { $0[index] = response }
                done.signal()
            }
        }
        for _ in requests { done.wait() }
        life.forget()
        if hasWriter { awaitWriter(hub.store) }
        return boxes.withLock { $0 }.map { $0 ?? Self.badGateway }
    }

    /// Waits until also that is written for which nobody waits, such as receipts.
    private func awaitWriter(_ store: any HubStore) {
        let done = DispatchSemaphore(value: 0)
        guard life.wakeAtEnd(done, times: 1) else { return }
        let nothing = Push(
            space: 1, device: Identifier(high: 0, low: 0), events: [],
            now: clock.now.load(ordering: .relaxed))
        store.push(nothing) { _ in done.signal() }
        done.wait()
        life.forget()
    }

    private static let badGateway = HTTPResponse(status: 502)
}

/// Whether a hub still lives, and who waits for it.
private final class HubLife: Sendable {
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

    /// - Returns: Whether it lives.
    func wakeAtEnd(_ waiting: DispatchSemaphore, times: Int) -> Bool {
        state.withLock { state in
            state.waiting = (waiting, times)
            return state.cause == nil
        }
    }

    func forget() { state.withLock { $0.waiting = nil } }
}

/// The world's time, as the hub reads it.
private final class WorldClock: Sendable {
    let now = Atomic<Int64>(0)
}
