import MacrologLog
import MacrologReadModels

extension Account {
    /// Syncs once: pushes what the server lacks and pulls what this device lacks, until both have
    /// everything.
    ///
    /// - Parameters:
    ///   - sharesFile: Lets other processes use the replica while this one waits for the network.
    ///   - progress: Called after every page, with how many of the server's events this device holds,
    ///     how many the server has, and how many of this device the server has not sealed yet.
    /// - Returns: How things stand afterwards.
    /// - Throws: ``AccountError``; ``ReplicaError`` where the file cannot be used, such as with code `busy`;
    ///   what the ``SessionStore`` throws; `CancellationError`. What has been exchanged so far is kept.
    @discardableResult
    public func sync(
        sharesFile: Bool = false,
        progress: @escaping @Sendable (_ held: Int64, _ head: Int64, _ unsealed: Int64) -> Void = {
            _, _, _ in
        }
    ) async throws -> SyncStatus {
        var round = try SyncRound(self, sharesFile: sharesFile) {
            progress($0.cursor, $0.head, $0.unsealed)
        }
        try await round.run()
        // Photos come last, and their failures do not matter here: ``Replica/photoStatus()``.
        _ = try? await sendPhotos(sharesFile: sharesFile)
        try Task.checkCancellation()
        return try replica.syncStatus()
    }

    /// Syncs now, after every event that is recorded here, as soon as another device has recorded
    /// something, and periodically: at least as often as requested, sooner after failures. Ends
    /// when the task that reads the stream is cancelled, or when the session has ended.
    ///
    /// - Parameters:
    ///   - interval: From one second to a year; what is less or more is taken as that.
    ///   - sharesFile: Lets other processes use the replica between and during exchanges.
    public func sync(
        every interval: Duration, sharesFile: Bool = false
    ) -> AsyncStream<SyncStatus> {
        let milliseconds = interval.restMilliseconds
        return AsyncStream { continuation in
            let task = Task {
                var server: String?
                // This log may move to another server meanwhile.
                while !Task.isCancelled, let next = (try? session)?.server, next != server {
                    server = next
                    await keepSyncing(restMilliseconds: milliseconds, sharesFile: sharesFile) {
                        continuation.yield($0)
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    private func keepSyncing(
        restMilliseconds: Int64, sharesFile: Bool,
        report: @escaping @Sendable (SyncStatus) -> Void
    ) async {
        let events = AsyncStream.makeStream(of: SyncSignal.self)
        let replica = replica
        // This comes first: a machine that is off ignores what is recorded.
        events.continuation.yield(.event(.start))
        let watching = Task {
            for await _ in replica.changes.stream().wakeUps {
                events.continuation.yield(.event(.recorded))
            }
        }
        defer { watching.cancel() }
        // Events that other processes record are found by watching the file.
        let looking = Task {
            guard sharesFile else { return }
            var watch = FileWatch(replica)
            await watch.run { events.continuation.yield(.event(.recorded)) }
        }
        defer { looking.cancel() }
        let cursor = KnownCursor((try? replica.withStore { $0.log.cursor }) ?? 0)
        guard
            var round = try? SyncRound(
                self, restMilliseconds: restMilliseconds, sharesFile: sharesFile,
                progress: { cursor.set($0.cursor) }),
            var live = try? Listening(self)
        else { return }
        let listening = Task {
            await live.run(cursor: cursor) { events.continuation.yield(.news(head: $0)) }
        }
        defer { listening.cancel() }
        // On a connection and a thread of their own, so that no photo delays an event.
        let photos = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let sending = Task { await keepSendingPhotos(on: photos.stream, sharesFile: sharesFile) }
        defer {
            photos.continuation.finish()
            sending.cancel()
        }
        await withTaskCancellationHandler {
            await round.keepRunning(on: events) {
                if let status = try? replica.syncStatus() {
                    report(status)
                    if status.lastError == nil { photos.continuation.yield() }
                }
                if sharesFile { replica.releaseFile() }
            }
        } onCancel: {
            events.continuation.finish()
        }
    }
}

extension Duration {
    /// How long syncing rests, in milliseconds: whole seconds, from one to a year.
    package var restMilliseconds: Int64 { min(max(1, components.seconds), 365 * 86_400) * 1_000 }
}

/// The reasons to sync.
enum SyncSignal: Sendable {
    case event(SyncMachine.Event)
    /// The server's log is said to go up to `head`.
    case news(head: Int64)
}
