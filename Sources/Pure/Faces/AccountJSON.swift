public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// The account, and where it is logged in, as JSON.
public enum AccountJSON {
    /// A server was asked for an account.
    public static func registered(at server: String) -> JSON {
        ["server": .string(server), "registered": true]
    }

    /// This device was logged in.
    public static func loggedIn(at server: String, as email: String) -> JSON {
        ["server": .string(server), "email": .string(email)]
    }

    /// This device was logged out, if it was logged in.
    public static func loggedOut(_ wasLoggedIn: Bool) -> JSON {
        ["logged_out": .bool(wasLoggedIn)]
    }

    /// An account was deleted.
    public static func deleted(_ email: String) -> JSON { ["deleted": .string(email)] }

    /// Everything of an account was written to a file.
    public static func exported(to file: String, photos: Int64) -> JSON {
        ["file": .string(file), "photo_count": .integer(photos)]
    }

    /// The account has another password.
    public static let passwordChanged: JSON = ["password_changed": true]

    /// What an app that makes codes needs.
    public static func secondFactor(secret: String, uri: String) -> JSON {
        ["secret": .string(secret), "uri": .string(uri)]
    }

    /// The second factor is in use; each of these codes replaces it once.
    public static func recoveryCodes(_ codes: [String]) -> JSON {
        ["recovery_codes": .strings(codes)]
    }

    /// The second factor is no longer in use.
    public static let secondFactorEnded: JSON = ["totp_disabled": true]

    /// Where the account is logged in.
    public static func sessions(_ sessions: [LoggedInDeviceFace]) -> JSON {
        ["sessions": .array(sessions.map { $0.json })]
    }

    /// What happened to the account.
    public static func audit(_ events: [AccountEventFace]) -> JSON {
        ["audit": .array(events.map { $0.json })]
    }

    /// The account of this device; `nil` where none is logged in.
    ///
    /// - Parameter hasEnded: Whether the server has ended the session.
    public static func status(
        _ account: AccountFace?, hasEnded: Bool, of device: Identifier
    ) -> JSON {
        [
            "logged_in": .bool(account != nil && !hasEnded), "email": .optional(account?.email),
            "server": .optional(account?.server), "account_id": .optional(account?.id),
            "device_id": .id(device),
        ]
    }

    /// The devices of the log, and those that are logged in; `nil` where the latter are unknown.
    public static func devices(_ log: [LogDeviceFace], _ sessions: [LoggedInDeviceFace]?) -> JSON {
        [
            "log": .array(log.map { $0.json }),
            "sessions": .array((sessions ?? []).map { $0.json }),
            "sessions_known": .bool(sessions != nil),
        ]
    }

    /// A token for the web interface.
    ///
    /// - Parameters:
    ///   - first: The first day that it shows; `nil` for all.
    ///   - days: For how long it works.
    public static func token(
        _ token: String, named name: String, scope: String, from first: Day?, days: Int64
    ) -> JSON {
        [
            "token": .string(token), "name": .string(name), "scope": .string(scope),
            "from": first.map { .day($0) } ?? .null, "lasts_days": .integer(days),
        ]
    }

    /// A device that has another name now.
    public static func renamed(_ device: LoggedInDeviceFace) -> JSON {
        ["renamed": device.json]
    }

    /// A device that was logged out by another.
    public static func revoked(_ device: LoggedInDeviceFace) -> JSON {
        ["revoked": device.json]
    }
}

/// An account at a server.
public struct AccountFace: Sendable {
    let id: String
    let server: String
    let email: String

    /// Collects what a login has made known.
    public init(id: String, server: String, email: String) {
        self.id = id
        self.server = server
        self.email = email
    }
}

/// Something that happened to an account.
public struct AccountEventFace: Sendable {
    let at: Int64
    let event: String
    let network: String?
    let device: String?

    /// - Parameters:
    ///   - at: Milliseconds since 1970 UTC.
    ///   - network: From where; `nil` for the server's operator.
    public init(at: Int64, event: String, network: String?, device: String?) {
        self.at = at
        self.event = event
        self.network = network
        self.device = device
    }

    fileprivate var json: JSON {
        [
            "occurred_at": .instant(at), "event": .string(event), "network": .optional(network),
            "name": .optional(device),
        ]
    }
}

/// A device that has recorded events.
public struct LogDeviceFace: Sendable {
    let id: Identifier
    let letter: String
    let events: Int64
    let lastEvent: Int64?
    let holds: Int64
    let isThis: Bool

    /// - Parameters:
    ///   - letter: Its short name.
    ///   - events: How many events it has recorded.
    ///   - lastEvent: When it recorded the last one, in milliseconds since 1970 UTC.
    ///   - holds: The number up to which it holds the log.
    public init(
        id: Identifier, letter: String, events: Int64, lastEvent: Int64?, holds: Int64, isThis: Bool
    ) {
        self.id = id
        self.letter = letter
        self.events = events
        self.lastEvent = lastEvent
        self.holds = holds
        self.isThis = isThis
    }

    fileprivate var json: JSON {
        [
            "device_id": .id(id), "letter": .string(letter), "event_count": .integer(events),
            "last_event_at": .instant(lastEvent), "events_held": .integer(holds),
            "this_device": .bool(isThis),
        ]
    }
}

/// A device that is logged in.
public struct LoggedInDeviceFace: Sendable {
    let session: Identifier
    let name: String
    let created: Int64
    let lastSeen: Int64
    let isThis: Bool
    let device: Identifier?

    /// - Parameters:
    ///   - session: The id of its session at the server.
    ///   - created: When it logged in, in milliseconds since 1970 UTC.
    ///   - lastSeen: When it last asked the server, in milliseconds since 1970 UTC.
    ///   - device: The device of the log; `nil` while it has never synced.
    public init(
        session: Identifier, name: String, created: Int64, lastSeen: Int64, isThis: Bool,
        device: Identifier?
    ) {
        self.session = session
        self.name = name
        self.created = created
        self.lastSeen = lastSeen
        self.isThis = isThis
        self.device = device
    }

    fileprivate var json: JSON {
        [
            "id": .id(session), "name": .string(name), "created_at": .instant(created),
            "last_seen_at": .instant(lastSeen), "this_device": .bool(isThis),
            "device_id": .optional(device),
        ]
    }
}
