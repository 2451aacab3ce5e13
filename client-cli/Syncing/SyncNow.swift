import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `sync`: exchanges events with the server.
enum SyncNow {
    static let watch = Parameter.flag("watch", "Keep syncing until interrupted, and print changes.")
    static let every = Parameter.option(
        "every", .integer("SECONDS", in: 1...86_400), otherwise: "10",
        "With --watch: how often to poll if the server sends no notification.")

    static let photos = Parameter.flag(
        "photos", "Fetch all photos that are not on this device yet.")

    static let command = Verb(
        "sync", "Sync with the server.", example: "sync", "sync --watch",
        explanation: """
            Pushes the events that the server does not have and pulls those that this device does not
            have. It can be interrupted at any time; the next sync continues from there. Other
            commands can be used while it runs. With --watch their events are pushed within about a
            second, the server notifies this device when another one has recorded something, and with
            --json each round is one line.
            """, run: run
    ) {
        watch
        every
        photos
    }

    static func run(arguments: ParsedArguments, home: inout Home) async throws {
        let account = try home.account
        guard arguments[watch] else {
            let before = try home.replica.syncStatus()
            let bar = SyncBar(
                before, style: home.style, isShown: Terminal.showsErrors && !home.isJSON)
            let after = try await account.sync(sharesFile: true) {
                bar.show(held: $0, head: $1, unsealed: $2)
            }
            bar.clear()
            let sealed = before.unsealed - after.unsealed
            let (sent, received) = (
                sealed + sentAgain(before, after), max(0, after.cursor - before.cursor - sealed)
            )
            if arguments[photos] { try await fetchPhotos(account, &home) }
            let open = try home.replica.photoStatus()
            let json = SyncJSON.done(
                sent: sent, received: received, unsealed: after.unsealed, cursor: after.cursor,
                head: after.head, photosUnsent: open.waiting)
            try home.show(json) { $0.say(text(sent: sent, received: received)) }
            return try tell(open, &home)
        }
        while true {
            try await follow(account, every: arguments[every], &home)
            try Task.checkCancellation()
            // It has ended by itself, for a reason that a single sync gives as its error.
            try await account.sync(sharesFile: true)
        }
    }

    /// The events that a server had before, and were sent because this one lacked them.
    private static func sentAgain(_ before: SyncStatus, _ after: SyncStatus) -> Int64 {
        guard let recovery = after.lastRecovery, recovery != before.lastRecovery else { return 0 }
        return recovery.givenBack + recovery.reissued
    }

    private static func fetchPhotos(_ account: Account, _ home: inout Home) async throws {
        let (_, missing) = try await account.fetchPhotos()
        if missing > 0 {
            home.warn(
                "\(counted(Int64(missing), "photo")) not fetched: the server does not have them, and "
                    + "the device that added them has not sent them yet, or has lost them")
        }
    }

    /// Events can be in sync while photos are still unsent; if a photo could not be sent, the sync
    /// is incomplete.
    private static func tell(_ photos: PhotoStatus, _ home: inout Home) throws {
        if photos.damaged > 0 { home.warn(photos.formattedDamage) }
        guard photos.waiting > 0 else { return }
        let open = "\(counted(photos.waiting, "photo")) not sent yet"
        guard let error = photos.lastError else { return home.warn(open) }
        throw CommandError(.tempFail, "\(open): \(error)")
    }

    /// Runs until interrupted, and prints what is new in each round.
    private static func follow(
        _ account: Account, every seconds: Int64, _ home: inout Home
    ) async throws {
        var before = try home.replica.syncStatus()
        home.replicaMayBeUsed()
        var isFirst = true
        for await status in account.sync(every: .seconds(seconds), sharesFile: true) {
            let round = try WatchedRound(from: before, to: status, home.replica)
            home.replicaMayBeUsed()
            if home.isJSON {
                home.writeLine(round.json)
            } else {
                for line in round.formatted(isFirst: isFirst) { home.say(line) }
            }
            try home.output.flush()
            (before, isFirst) = (status, false)
        }
    }

    private static func text(sent: Int64, received: Int64) -> String {
        switch (sent, received) {
        case (0, 0): "Up to date."
        default: "Up to date: sent \(sent), received \(received)."
        }
    }
}

/// The progress bar of a long sync, on standard error.
private final class SyncBar: Sendable {
    private let before: SyncStatus
    private let style: Style
    private let isShown: Bool
    private let start = ContinuousClock.now

    init(_ before: SyncStatus, style: Style, isShown: Bool) {
        self.before = before
        self.style = style
        self.isShown = isShown
    }

    func show(held: Int64, head: Int64, unsealed: Int64) {
        guard isShown else { return }
        let done = held - before.cursor
        // A server may claim any length for its log.
        let (end, overflow) = head.addingReportingOverflow(unsealed)
        let total = max((overflow ? .max : end) - before.cursor, done)
        let elapsed = (ContinuousClock.now - start).components
        let milliseconds = elapsed.seconds * 1_000 + elapsed.attoseconds / 1_000_000_000_000_000
        let bar = Progress("Syncing", done: done, total: total)
        if let line = bar.line(
            elapsedMilliseconds: milliseconds, width: Terminal.width ?? 80, style: style)
        {
            Terminal.replaceLine(line)
        }
    }

    func clear() {
        if isShown { Terminal.replaceLine("\u{1B}[K") }
    }
}
