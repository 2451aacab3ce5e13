import MacrologArgumentParsing
import MacrologTerminal
import MacrologFaces
import Macrolog

/// The part of `doctor` about syncing: its progress, its obstacles, and what to type.
enum DoctorSync {
    static func checks(_ home: inout Home) throws -> [DoctorCheck] {
        let replica = try home.replica
        let status = try replica.syncStatus()
        let session = (try? home.account.session) ?? nil
        let isLoggedIn = session != nil && !status.hasEndedSession
        let found = try replica.logHealth()
        return [
            cursor(status, isLoggedIn: isLoggedIn), queue(status, found, session),
            digest(status, found), epoch(status, found, isLoggedIn: isLoggedIn),
            name(status, found), isLoggedIn ? receipts(status) : nil,
        ].compactMap(\.self)
    }

    private static func cursor(_ status: SyncStatus, isLoggedIn: Bool) -> DoctorCheck {
        let missing = status.head - status.cursor
        if status.isNewToAccount {
            let count = counted(status.cursor, "event")
            return DoctorCheck(
                name: "cursor", isGood: true,
                message: isLoggedIn
                    ? "the server may lack \(count) of this device: macrolog sync"
                    : "no server is known to have the \(count) of this device")
        }
        let message =
            switch (status.cursor, missing) {
            case (0, 0): "never synced" + (isLoggedIn ? ": macrolog sync" : "")
            case (let cursor, 0):
                "this device has all \(counted(cursor, "event")) that the server had when it was "
                    + "last asked"
            case (let cursor, let missing):
                "this device has \(grouped(cursor)) events of the server's log, "
                    + "\(counted(missing, "event")) not fetched yet: macrolog sync"
            }
        return DoctorCheck(name: "cursor", isGood: true, message: message)
    }

    private static func queue(
        _ status: SyncStatus, _ found: LogHealth, _ session: Session?
    ) -> DoctorCheck {
        guard status.unsealed > 0 else {
            return DoctorCheck(name: "queue", isGood: true, message: "nothing to send")
        }
        let age =
            found.oldestUnsealed.map {
                $0 < 1_000 ? "" : ", the oldest for \(span(milliseconds: $0))"
            }
            ?? ""
        var message = "\(waiting(status.unsealed)) to be sent\(age)"
        if let failing = status.failingFor, let why = status.formattedError(session) {
            if status.isOffline {
                message += "; the server has not been reached for \(span(milliseconds: failing))"
            } else if status.hasEndedSession {
                message += "; \(why)"
            } else {
                let since = failing < 1_000 ? "" : " for \(span(milliseconds: failing))"
                message += "; the server refuses the exchange\(since): \(why)"
            }
        }
        if !found.isQueueSound {
            message += ", and some of them are damaged"
        }
        // Being offline is normal, not an error.
        let isRefused = status.failingFor != nil && !status.isOffline
        // A refusal says itself what to do.
        if !isRefused {
            message += session == nil ? ": macrolog auth login EMAIL" : ": macrolog sync"
        }
        return DoctorCheck(
            name: "queue", isGood: !isRefused && found.isQueueSound, message: message)
    }

    private static func digest(_ status: SyncStatus, _ found: LogHealth) -> DoctorCheck {
        guard let first = found.firstUnsound else {
            return DoctorCheck(
                name: "digest", isGood: true,
                message: status.cursor == 0
                    ? "nothing to compute yet"
                    : "\(hexadecimal(Array(found.digest.prefix(4))))…, computed from "
                        + counted(status.cursor, "event"))
        }
        return DoctorCheck(
            name: "digest", isGood: false,
            message:
                "the log is damaged from number \(grouped(first)) on: macrolog sync repairs it from "
                + "the server's")
    }

    private static func epoch(
        _ status: SyncStatus, _ found: LogHealth, isLoggedIn: Bool
    ) -> DoctorCheck {
        if status.isNewToAccount, !isLoggedIn {
            return DoctorCheck(name: "epoch", isGood: true, message: "no server any more")
        }
        guard found.epoch != 0 else {
            return DoctorCheck(
                name: "epoch", isGood: true, message: "no server yet")
        }
        return DoctorCheck(
            name: "epoch", isGood: true,
            message: "the server's log is number \(found.epoch)"
                + (found.givesBack
                    ? "; it lost events that this device still has, and macrolog "
                        + "sync gives them back" : ""))
    }

    /// Only for devices whose ID was rotated, or is about to be.
    private static func name(_ status: SyncStatus, _ found: LogHealth) -> DoctorCheck? {
        if found.isRotating {
            return DoctorCheck(
                name: "name", isGood: true,
                message:
                    "this file was restored or copied; the device takes a new ID at the next entry "
                    + "or sync")
        }
        return status.lastRotation.map {
            DoctorCheck(name: "name", isGood: true, message: formattedRotation($0))
        }
    }

    private static func receipts(_ status: SyncStatus) -> DoctorCheck? {
        guard let first = status.formattedReceipts.first else { return nil }
        return DoctorCheck(
            name: "devices", isGood: true, message: "\(first) More: macrolog sync status")
    }

    private static func grouped(_ count: Int64) -> String { NumberFormat.grouped.text(count) }
}
