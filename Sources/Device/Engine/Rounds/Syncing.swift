import MacrologEvents
import MacrologLog
import MacrologReadModels

extension Account {
    /// Syncs once: pushes what the server lacks and pulls what this device lacks, until both have
    /// everything.
    ///
    /// - Parameters:
    ///   - sharesFile: Lets other processes use the replica while this one waits for the network, and
    ///     afterwards, as ``Replica/releaseFile()`` does.
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
        // Also where it failed: an app in the background is suspended right after this.
        defer { if sharesFile { replica.releaseFile() } }
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
    /// when the task that reads the stream is cancelled, or when the session has ended. While another
    /// process has the file, or the ``SessionStore`` cannot be read, as on a locked phone, it waits; where
    /// waiting does not help, as with a damaged file, it ends, and ``sync(sharesFile:progress:)`` says why.
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
                let cursor = KnownCursor(0)
                var server: String?
                // This log may move to another server meanwhile.
                while let begun = await begin(
                    restMilliseconds: milliseconds, sharesFile: sharesFile, cursor,
                    report: { continuation.yield($0) }), begun.round.server != server
                {
                    server = begun.round.server
                    await keepSyncing(begun, cursor, sharesFile: sharesFile) {
                        continuation.yield($0)
                    }
                }
                continuation.finish()
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// What keeps syncing with the server of the session. What passes by itself is waited for.
    ///
    /// - Returns: `nil` without a session, for another account's log, and when the task is cancelled.
    private func begin(
        restMilliseconds: Int64, sharesFile: Bool, _ cursor: KnownCursor,
        report: @escaping @Sendable (SyncStatus) -> Void
    ) async -> (round: SyncRound, live: Listening)? {
        var (failures, random) = (0, SystemRandomNumberGenerator())
        while !Task.isCancelled {
            do {
                let round = try SyncRound(
                    self, restMilliseconds: restMilliseconds, sharesFile: sharesFile,
                    progress: { cursor.set($0.cursor) })
                cursor.set(try replica.withStore { $0.log.cursor })
                return (round, try Listening(self))
            } catch {
                // An error that does not say whether it passes is one of the app's own store.
                guard (error as? any ExplainedError)?.isRetryable ?? true else { return nil }
                if !(error is ReplicaError) { note(error, report) }
                if sharesFile { replica.releaseFile() }
                failures += 1
                let wait = Backoff.delay(failures: failures, atLeast: 0, random: &random)
                try? await Task.sleep(for: .milliseconds(wait))
            }
        }
        return nil
    }

    /// Stores why nothing can be exchanged now, and reports it.
    private func note(_ error: any Error, _ report: (SyncStatus) -> Void) {
        let (reading, text) = (replica.clock.read(), "\(error)")
        try? replica.withStore { store in
            try SyncMemory.note(
                error: (text: text, isOffline: false), head: nil, server: nil, at: reading,
                in: &store)
        }
        if let status = try? replica.syncStatus() { report(status) }
    }

    private func keepSyncing(
        _ begun: (round: SyncRound, live: Listening), _ cursor: KnownCursor, sharesFile: Bool,
        report: @escaping @Sendable (SyncStatus) -> Void
    ) async {
        var round = begun.round
        var live = begun.live
        let events = AsyncStream.makeStream(of: SyncSignal.self)
        let replica = replica
        defer { if sharesFile { replica.releaseFile() } }
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
