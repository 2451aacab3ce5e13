public import MacrologEvents
public import MacrologJSON

/// Syncing as JSON.
public enum SyncJSON {
    /// What one sync did, and what it left open.
    ///
    /// - Parameters:
    ///   - unsealed: Events of this device that the server has not sealed.
    ///   - cursor: How many of the server's events this device holds.
    ///   - head: How many the server has.
    ///   - photosUnsent: Photos that the server has not confirmed.
    public static func done(
        sent: Int64, received: Int64, unsealed: Int64, cursor: Int64, head: Int64,
        photosUnsent: Int64
    ) -> JSON {
        [
            "events_sent": .integer(sent), "events_received": .integer(received),
            "unsealed": .integer(unsealed), "cursor": .integer(cursor), "head": .integer(head),
            "photos_unsent": .integer(photosUnsent),
        ]
    }

    /// What one round of `sync --watch` did, and the state after it.
    ///
    /// - Parameter received: The events of other devices, counted by type.
    public static func round(
        sent: Int64, received: [(type: String, count: Int64)], _ status: SyncStatusFace
    ) -> JSON {
        let counts = received.map { type -> JSON in
            ["type": .string(type.type), "event_count": .integer(type.count)]
        }
        return .object(
            [
                JSON.Member("events_sent", .integer(sent)),
                JSON.Member("events_received", .integer(received.reduce(0) { $0 + $1.count })),
                JSON.Member("received", .array(counts)),
            ] + status.members)
    }

    /// The state of syncing, and the receipts of the devices.
    ///
    /// - Parameters:
    ///   - isLoggedIn: Whether this device has a session that the server has not ended.
    ///   - photosUnsent: Photos that the server has not confirmed.
    ///   - photoError: Why the last of them was not sent.
    public static func status(
        _ status: SyncStatusFace, isLoggedIn: Bool, photosUnsent: Int64, photoError: String?
    ) -> JSON {
        let login = [JSON.Member("logged_in", .bool(isLoggedIn))]
        let photos = [
            JSON.Member("photos_unsent", .integer(photosUnsent)),
            JSON.Member("photo_error", .optional(photosUnsent > 0 ? photoError : nil)),
        ]
        return .object(login + status.members + photos + status.receiptMembers)
    }
}

/// The state of syncing.
public struct SyncStatusFace: Sendable {
    let unsealed: Int64
    let cursor: Int64
    let head: Int64
    let lastSuccess: Int64?
    let lastError: String?
    let lastRecovery: SyncRecoveryFace?
    let lastRepair: SyncRepairFace?
    let sinceSuccess: Int64?
    let failingFor: Int64?
    let isOffline: Bool
    let receiptsAge: Int64?
    let receipts: [DeviceReceiptFace]?
    let clockLead: Int64?
    let lastRotation: Int64?

    /// - Parameters:
    ///   - unsealed: Events of this device that the server has not sealed.
    ///   - cursor: How many of the server's events this device holds.
    ///   - head: How many the server had at the last contact.
    ///   - lastSuccess: When a sync last succeeded, in milliseconds since 1970 UTC.
    ///   - lastError: Why the last sync failed.
    ///   - lastRecovery: The last time that the server was found restored or moved.
    ///   - lastRepair: The last damage that was found on this device.
    ///   - sinceSuccess: Milliseconds since the last success.
    ///   - failingFor: Milliseconds since the first failure after it.
    ///   - isOffline: Whether the server could not be reached.
    ///   - receiptsAge: Milliseconds since the server said what the devices hold.
    ///   - receipts: What each device holds; `nil` until a server has answered.
    ///   - clockLead: Milliseconds that this device's clock is ahead of the server's.
    ///   - lastRotation: When this device last rotated its ID, in milliseconds since 1970 UTC.
    public init(
        unsealed: Int64, cursor: Int64, head: Int64, lastSuccess: Int64?, lastError: String?,
        lastRecovery: SyncRecoveryFace?, lastRepair: SyncRepairFace?, sinceSuccess: Int64?,
        failingFor: Int64?, isOffline: Bool, receiptsAge: Int64?, receipts: [DeviceReceiptFace]?,
        clockLead: Int64?, lastRotation: Int64?
    ) {
        self.unsealed = unsealed
        self.cursor = cursor
        self.head = head
        self.lastSuccess = lastSuccess
        self.lastError = lastError
        self.lastRecovery = lastRecovery
        self.lastRepair = lastRepair
        self.sinceSuccess = sinceSuccess
        self.failingFor = failingFor
        self.isOffline = isOffline
        self.receiptsAge = receiptsAge
        self.receipts = receipts
        self.clockLead = clockLead
        self.lastRotation = lastRotation
    }

    fileprivate var members: [JSON.Member] {
        [
            JSON.Member("unsealed", .integer(unsealed)), JSON.Member("cursor", .integer(cursor)),
            JSON.Member("head", .integer(head)),
            JSON.Member("last_success_at", .instant(lastSuccess)),
            JSON.Member("last_error", .optional(lastError)),
            JSON.Member("last_recovery", lastRecovery?.json ?? .null),
            JSON.Member("last_repair", lastRepair?.json ?? .null),
        ]
    }

    fileprivate var receiptMembers: [JSON.Member] {
        [
            JSON.Member("since_success_s", .seconds(sinceSuccess)),
            JSON.Member("failing_for_s", .seconds(failingFor)),
            JSON.Member("offline", .bool(isOffline)),
            JSON.Member("on_all_devices", isOnAllDevices.map { .bool($0) } ?? .null),
            JSON.Member("receipts_age_s", .seconds(receiptsAge)),
            JSON.Member("devices", .array((receipts ?? []).map { $0.json })),
            JSON.Member("clock_ahead_s", .seconds(clockLead)),
            JSON.Member("rotated_at", .instant(lastRotation)),
        ]
    }

    /// Whether all devices have everything that is known here; `nil` while that is unknown.
    private var isOnAllDevices: Bool? {
        receipts.map { $0.allSatisfy { $0.lacks == 0 } && unsealed == 0 && head == cursor }
    }
}

/// What one device is known to hold.
public struct DeviceReceiptFace: Sendable {
    let session: Identifier
    let name: String
    let device: Identifier?
    let holds: Int64
    let lacks: Int64
    let lastSeen: Int64
    let isThis: Bool

    /// - Parameters:
    ///   - session: The id of its session at the server.
    ///   - device: The device of the log; `nil` while it has never synced.
    ///   - holds: The number up to which it holds the log.
    ///   - lacks: How many sealed events it may lack.
    ///   - lastSeen: Milliseconds since its last request to the server.
    public init(
        session: Identifier, name: String, device: Identifier?, holds: Int64, lacks: Int64,
        lastSeen: Int64, isThis: Bool
    ) {
        self.session = session
        self.name = name
        self.device = device
        self.holds = holds
        self.lacks = lacks
        self.lastSeen = lastSeen
        self.isThis = isThis
    }

    fileprivate var json: JSON {
        [
            "name": .string(name), "session_id": .id(session),
            "device_id": .optional(device), "this_device": .bool(isThis),
            "events_held": .integer(holds), "events_missing": .integer(lacks),
            "since_seen_s": .seconds(lastSeen),
        ]
    }
}

/// What this device did when it found the server restored or moved.
public struct SyncRecoveryFace: Sendable {
    let time: Int64
    let givenBack: Int64
    let reissued: Int64

    /// - Parameters:
    ///   - time: Milliseconds since 1970 UTC.
    ///   - givenBack: How many sealed events it gave back.
    ///   - reissued: How many events it reissued.
    public init(time: Int64, givenBack: Int64, reissued: Int64) {
        self.time = time
        self.givenBack = givenBack
        self.reissued = reissued
    }

    fileprivate var json: JSON {
        [
            "recovered_at": .instant(time), "events_given_back": .integer(givenBack),
            "events_reissued": .integer(reissued),
        ]
    }
}

/// Damage that was found on this device and repaired.
public struct SyncRepairFace: Sendable {
    let time: Int64
    let fetched: Int64
    let first: Int64
    let last: Int64
    let rebuilt: Int64
    let lost: Int64

    /// - Parameters:
    ///   - time: Milliseconds since 1970 UTC.
    ///   - fetched: How many events were fetched again.
    ///   - first: The number of the first of them; 0 for none.
    ///   - last: The number of the last of them; 0 for none.
    ///   - rebuilt: How many entities were folded again.
    ///   - lost: How many unsent events were set aside.
    public init(
        time: Int64, fetched: Int64, first: Int64, last: Int64, rebuilt: Int64, lost: Int64
    ) {
        self.time = time
        self.fetched = fetched
        self.first = first
        self.last = last
        self.rebuilt = rebuilt
        self.lost = lost
    }

    fileprivate var json: JSON {
        [
            "repaired_at": .instant(time), "events_fetched": .integer(fetched),
            "first_n": .integer(first), "last_n": .integer(last),
            "entities_rebuilt": .integer(rebuilt), "events_set_aside": .integer(lost),
        ]
    }
}
