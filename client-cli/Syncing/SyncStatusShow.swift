import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

/// `sync status`: the state of syncing, without network access.
enum SyncStatusShow {
    static let command = Verb(
        "sync status", "Show unsent events, what each device has, and the last sync.",
        example: "sync status",
        explanation: """
            Works offline: what the other devices have is as of the last sync. A device is listed with
            what it has proved to have.
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let status = try home.replica.syncStatus()
        let photos = try home.replica.photoStatus()
        let session = try home.account.session
        let now = try home.replica.now
        let isLoggedIn = session != nil && !status.hasEndedSession
        let json = SyncJSON.status(
            status.face, isLoggedIn: isLoggedIn, photosUnsent: photos.waiting,
            photoError: photos.lastError)
        try home.show(json) { home in
            home.say(status.formatted(lacksPhotos: photos.waiting > 0, isLoggedIn: isLoggedIn))
            if photos.waiting > 0 { home.say(photos.formatted(isLoggedIn: isLoggedIn)) }
            if photos.damaged > 0 { home.say("\(photos.formattedDamage).") }
            // What the devices have is known of an account alone that this device still asks.
            if isLoggedIn {
                home.say(status.formattedReceipts)
                if let table = status.receiptTable(now: now) {
                    home.say(table.lines(style: home.style, width: home.terminalWidth))
                }
            }
            if let success = status.sinceSuccess {
                home.say("Last synced \(ago(milliseconds: success)).")
            } else if isLoggedIn {
                home.say(
                    status.isNewToAccount
                        ? "Never synced with this account: macrolog sync"
                        : status.lastError == nil
                            ? "Never synced: macrolog sync"
                            : "No sync has succeeded yet: macrolog sync")
            }
            if session == nil {
                home.say("Not logged in: macrolog auth login EMAIL")
            }
            if let recovery = status.lastRecovery {
                home.say(recovery.formatted(ago: ago(milliseconds: now - recovery.time)))
            }
            if let repair = status.lastRepair {
                for line in repair.formatted(ago: ago(milliseconds: now - repair.time)) {
                    home.say(line)
                }
            }
            if let error = status.formattedError(session) {
                home.say("The last sync failed: \(printable(error))")
            }
            if let clock = status.clock, clock.isNotable { home.say(clock.formatted) }
            if let rotation = status.lastRotation { home.say(formattedRotation(rotation)) }
        }
    }
}

extension SyncRecovery {
    /// `The server was restored 2 minutes ago; this device gave back 12 events.`
    func formatted(ago: String) -> String {
        let given = givenBack > 0 ? "gave back \(counted(givenBack, "event"))" : nil
        let again = reissued > 0 ? "recorded \(counted(reissued, "event")) again" : nil
        let done = [given, again].compactMap(\.self).joined(separator: " and ")
        return "The server was restored, or is another one, since \(ago); this device "
            + (done.isEmpty ? "had nothing to give back." : done + ".")
    }
}

extension SyncRepair {
    /// `3 damaged events (numbers 5 to 70000) were fetched again 2 minutes ago.`
    func formatted(ago: String) -> [String] {
        var lines: [String] = []
        if fetched > 0 {
            let range = first == last ? "number \(first)" : "numbers \(first) to \(last)"
            lines.append(
                "\(fetched) damaged \(fetched == 1 ? "event was" : "events were") found on this device "
                    + "(\(range)) and fetched again from the server \(ago).")
        }
        if rebuilt > 0 {
            lines.append("Damaged read models were rebuilt \(ago).")
        }
        if lost > 0 {
            lines.append(
                "\(counted(lost, "unsent event")) \(lost == 1 ? "was" : "were") damaged on this device "
                    + "and set aside, not sent: check the last days.")
        }
        if lines.isEmpty {
            lines.append("Damaged digests of the log were repaired \(ago).")
        }
        return lines
    }
}

extension PhotoStatus {
    /// `1 photo is damaged on this device, and the server may not have it: …`
    var formattedDamage: String {
        let isOne = damaged == 1
        let pronoun = isOne ? "it" : "them"
        return "\(counted(damaged, "photo")) \(isOne ? "is" : "are") damaged on this device, and "
            + "the server may not have \(pronoun): macrolog db check names \(pronoun)"
    }

    /// `2 photos wait to be sent: the server cannot be reached`
    fileprivate func formatted(isLoggedIn: Bool) -> String {
        let verb = waiting == 1 ? "waits" : "wait"
        let open = "\(counted(waiting, "photo")) \(verb) to be sent"
        return lastError.map { "\(open): \(printable($0))" }
            ?? open + (isLoggedIn ? "; macrolog sync sends them." : ".")
    }
}

extension SyncStatus {
    /// `3 events wait to be sent, and 12 to be fetched; offline for 14 minutes.`
    ///
    /// - Parameters:
    ///   - lacksPhotos: Whether the server lacks a photo, which is printed separately.
    ///   - isLoggedIn: Whether this device can still ask the server.
    func formatted(lacksPhotos: Bool = false, isLoggedIn: Bool = true) -> String {
        let missing = missing(lacksPhotos: lacksPhotos, isLoggedIn: isLoggedIn)
        guard let failingFor, isOffline else { return missing + "." }
        return "\(missing); offline for \(span(milliseconds: failingFor))."
    }

    /// Whether the last sync failed because this device's session had ended.
    var hasEndedSession: Bool { lastError?.hasSuffix(Self.loginHint) ?? false }

    /// Why the last sync failed, with the command to type where the library's hint has none.
    ///
    /// - Parameter session: The one that this device has, which may have ended.
    func formattedError(_ session: Session?) -> String? {
        guard let lastError, hasEndedSession else { return lastError }
        let account = session.map { "\($0.email) --server \($0.server)" } ?? "EMAIL"
        return "\(lastError.dropLast(Self.loginHint.count)): macrolog auth login \(account)"
    }

    /// How the library ends the error of a session that has ended.
    private static var loginHint: String { ": log in again" }

    /// Whether the log moved to an account whose server may lack everything.
    var isNewToAccount: Bool { head < cursor }

    private func missing(lacksPhotos: Bool, isLoggedIn: Bool) -> String {
        if isNewToAccount {
            let count = counted(cursor + unsealed, "event")
            return isLoggedIn
                ? "The server may lack what this device has: \(count)"
                : "No server is known to have what this device has: \(count)"
        }
        let missing = head - cursor
        return switch (unsealed, missing) {
        case (0, 0) where head == 0: "Nothing has been recorded yet"
        case (0, 0) where !isLoggedIn:
            "Everything recorded here was on the server when it was last asked"
        case (0, 0) where lacksPhotos: "Every event recorded here is on the server"
        case (0, 0): "In sync: this device and the server have the same events"
        case (_, 0): "\(waiting(unsealed)) to be sent"
        case (0, _): "\(waiting(missing)) to be fetched"
        default: "\(waiting(unsealed)) to be sent, and \(counted(missing, "event")) to be fetched"
        }
    }
}
