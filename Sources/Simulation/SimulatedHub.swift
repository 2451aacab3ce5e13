import Dispatch
import HTTP
import JSON
import Seal
import Service
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The real hub on a clock of the world's own, asked one request at a time.
final class SimulatedHub: Sendable {
    private let path: String
    private let clock = WorldClock()
    private let hub: Mutex<Hub>
    private let answeredPolls = Mutex<[(poll: Int, response: HTTPResponse)]>([])

    init(path: String) throws {
        self.path = path
        hub = Mutex(try Self.open(path, clock))
    }

    private static func open(
        _ path: String, _ clock: WorldClock
    ) throws -> Hub {
        // A commit that nobody can be sure of ends a hub, and so a world: there is nothing to check.
        let store = try SQLiteHubStore.open(path, newEpoch: 7, snapshotPartBytes: 4_000) {
            fatalError($0)
        }
        var settings = HubSettings()
        settings.passwordCost = PasswordCost(operations: 1, memoryBytes: 8_192)
        settings.rates.registerByNetwork = Rate(burst: 1_000_000, interval: 1)
        settings.rates.pushBySession = nil
        settings.snapshotEventsMin = 8
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
            hub = try Self.open(path, clock)
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
            try HubFile.renew(path, epoch: epoch, endsSessions: false, now: 0)
            hub = try Self.open(path, clock)
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

    /// The answer to a request that arrives at a moment.
    func answer(_ request: HTTPRequest, at moment: Int64) -> HTTPResponse {
        clock.now.store(moment, ordering: .relaxed)
        let hub = hub.withLock { $0 }
        let box = Mutex<HTTPResponse?>(nil)
        let done = DispatchSemaphore(value: 0)
        hub.respond(to: request) { response in
            box.withLock { $0 = response }
            done.signal()
        }
        done.wait()
        return box.withLock { $0 } ?? HTTPResponse(status: 500)
    }
}

/// The world's time, as the hub reads it.
private final class WorldClock: Sendable {
    let now = Atomic<Int64>(0)
}
