/// Whether the server can do its work: it reads, it writes, and its disk has room.
import MacrologHTTP
import MacrologEvents
import MacrologJSON
import MacrologSystem
import Synchronization

/// The outcome of one check.
package struct Readiness: Sendable {
    /// Below this, a server is not ready, although it still writes: 64 MiB.
    package static let freeBytesMin: UInt64 = 64 << 20
    /// How long an outcome is repeated, in milliseconds, so that asking costs little.
    package static let kept: Int64 = 1_000

    /// How long a count of what is stored is repeated, in milliseconds.
    package static let usageKept: Int64 = 60_000

    /// Why nothing can be read; `nil` if it can.
    package let reads: StoreError?
    /// Why nothing can be written; `nil` if it can.
    package let writes: StoreError?
    /// The room on the disk, in bytes; `nil` if the system does not tell.
    package let freeBytes: UInt64?
    /// The epoch of the logs.
    package let epoch: UInt32
    /// Whether requests came through a proxy that is not declared.
    package let hasUndeclaredProxy: Bool
    /// How far the clock of this process is before that of the database, in milliseconds; `nil` if that is not known.
    package let clockDifference: Int64?
    /// How much of that came because the clock of the database was set, in milliseconds.
    var clockDifferenceOfDatabase: Int64 = 0
    /// How much is stored; `nil` if nothing can be read.
    package let usage: StoreUsage?

    /// Whether the server can do its work.
    package var isReady: Bool { reads == nil && writes == nil && hasRoom && hasRightClock }
    /// Whether the clock is near enough to that of the database, with which other servers compare theirs; or was, before
    /// that one was set: otherwise no server would be ready.
    package var hasRightClock: Bool {
        // While NTP brings the database's clock back little by little, all of it is small before the rest is large.
        let all = clockDifference ?? 0
        return min(abs(all), abs(all - clockDifferenceOfDatabase)) <= ClockDifference.most
    }
    /// Whether the disk has room.
    package var hasRoom: Bool { freeBytes.map { $0 >= Self.freeBytesMin } ?? true }
    /// Whether the server can do nothing about it but start again: a full disk is not such a case.
    package var isBroken: Bool {
        for case .failed in [reads, writes].compactMap({ $0 }) { return true }
        return false
    }
}

/// How much a store holds.
package struct StoreUsage: Sendable {
    package let accounts: Int64
    /// Bytes of all events.
    package let eventBytes: Int64
    package let blobs: Int64
    /// Bytes of all blobs.
    package let blobBytes: Int64
}

/// The last outcome, and who waits for the next one.
struct ReadinessState {
    var last: (at: Int64, readiness: Readiness)?
    var waiting: [@Sendable (Readiness) -> Void] = []
    /// What was found out about the clock.
    var clock = ClockDifference()
    /// What was counted last, and when.
    var usage: (at: Int64, counted: StoreUsage)?
}

extension SyncServer {
    /// Whether the disk of the photos, and of a database that is a file, has room now.
    package var hasRoom: Bool { (freeBytes ?? .max) >= Readiness.freeBytesMin }

    private var freeBytes: UInt64? {
        try? Files.freeBytes(in: Files.folder(of: store.blobFiles.folder))
    }

    /// Checks whether the server can do its work. Outcomes are repeated for ``Readiness/kept``.
    package func readiness(then done: @escaping @Sendable (Readiness) -> Void) {
        let now = monotonic()
        let (last, isFirst) = readinessState.withLock { state -> (Readiness?, Bool) in
            if let last = state.last, now - last.at < Readiness.kept {
                return (last.readiness, false)
            }
            state.waiting.append(done)
            return (nil, state.waiting.count == 1)
        }
        if let last { return done(last) }
        guard isFirst else { return }
        store.checkWriting { [self] result in
            var writes: StoreError?
            if case .failure(let error) = result { writes = error }
            let readiness = readiness(writes: writes)
            let waiting = readinessState.withLock { state in
                state.last = (monotonic(), readiness)
                defer { state.waiting = [] }
                return state.waiting
            }
            for done in waiting { done(readiness) }
        }
    }

    private func readiness(writes: StoreError?) -> Readiness {
        var (usage, reads): (StoreUsage?, StoreError?)
        do throws(StoreError) { usage = try recentUsage() } catch { reads = error }
        for error in [reads, writes].compactMap({ $0 }) { noteFailure(error.problem) }
        let clock = readinessState.withLock { $0.clock }
        return Readiness(
            reads: reads, writes: writes,
            freeBytes: freeBytes,
            epoch: store.epoch, hasUndeclaredProxy: proxyNotice.hasSeenOne,
            clockDifference: clock.found, clockDifferenceOfDatabase: clock.ofDatabase, usage: usage)
    }

    /// How much is stored, or was a minute ago at most: counting it reads whole tables, and checking that the database
    /// can be read takes one row.
    private func recentUsage() throws(StoreError) -> StoreUsage {
        let now = monotonic()
        if let (at, usage) = readinessState.withLock({ $0.usage }), now - at < Readiness.usageKept {
            _ = try store.history()
            return usage
        }
        let usage = try store.usage()
        readinessState.withLock { $0.usage = (now, usage) }
        return usage
    }

    /// `GET /ready`: whether the server can do its work, for whom it is none of their business why
    /// not.
    func ready(_ call: Call) {
        readiness { readiness in
            guard readiness.isReady else {
                return call.reply(
                    Problem(.busy, Self.reason(readiness), retryAfterSeconds: 5).response)
            }
            call.reply(.text("ready\n"))
        }
    }

    /// Why the server is not ready, in a sentence.
    private static func reason(_ readiness: Readiness) -> String {
        guard readiness.hasRoom, readiness.writes != .full else {
            return "The server's disk has no room left; its operator has to make some."
        }
        let works = readiness.reads == nil && readiness.writes == nil
        guard !works || readiness.hasRightClock else {
            return "The server's clock is not right; its operator has to set it."
        }
        return readiness.isBroken
            ? "The database cannot be read or written; the server's log says why."
            : "The database is busy, or cannot be reached at the moment."
    }
}

extension HTTPResponse {
    /// Success, and a text.
    static func text(_ text: String) -> HTTPResponse {
        HTTPResponse(
            status: 200,
            fields: [HTTPField("content-type", "\(Route.Content.text.mediaType)")],
            body: Array(text.utf8))
    }
}
