public import MacrologEvents
import MacrologHTTP
import MacrologLog
import MacrologReadModels

/// A device that has recorded something, as known from the log.
public struct LogDevice: Hashable, Sendable {
    /// The ID under which it recorded its events.
    public let id: Identifier
    /// Its short name, the same on every replica; see ``Notation``.
    public let letter: String
    /// How many events it has recorded, as far as is known here.
    public let events: Int64
    /// When it recorded the last of them: the sealed time, or its own clock's time while the event
    /// is unsealed; in milliseconds since 1970 UTC. `nil` for a device without events.
    public let lastEvent: Int64?
    /// The number up to which it is known to hold the log: what its last event had seen.
    public let holds: Int64
    /// Whether it is this device.
    public let isThis: Bool
}

/// A device that is logged in to an account.
public struct LoggedInDevice: Hashable, Sendable {
    /// The id of the session at the server. It is not the device ID of the log.
    public let id: Identifier
    /// The person's name for it, given when logging in.
    public let name: String
    /// When it logged in, in milliseconds since 1970 UTC.
    public let created: Int64
    /// When the server last had a request of it, in milliseconds since 1970 UTC.
    public let lastSeen: Int64
    /// Whether it is this device.
    public let isThis: Bool
    /// The device ID in the log; `nil` while it has never synced.
    public let device: Identifier?
}

extension Replica {
    /// The devices that have recorded something, and this one, in the order of their letters.
    public func logDevices() throws -> [LogDevice] {
        try withStore { store in
            let log = store.log
            let devices = try log.devices(in: &store.db)
            var notation = Notation(devices)
            return try devices.map { id in
                let facts = try log.facts(of: id, in: &store.db)
                return LogDevice(
                    id: id, letter: notation.name(of: id), events: facts.seq,
                    lastEvent: facts.last.map { $0.seal?.milliseconds ?? $0.event.wall },
                    holds: id == log.device ? log.cursor : facts.last?.event.base.n.rawValue ?? 0,
                    isThis: id == log.device)
            }
        }
    }
}

extension Account {
    /// The devices that are logged in to this account. Asks the server.
    public func devices() async throws -> [LoggedInDevice] {
        let list = try await asking { token, transport throws(SyncError) in
            try AccountExchange.devices(
                Self.send(AccountExchange.listDevices(accessToken: token), transport))
        }
        let reading = replica.clock.read()
        try replica.withStore { try DeviceReceipts.remember(list, at: reading, in: &$0) }
        return list.sessions.map {
            LoggedInDevice(
                id: $0.id, name: $0.name, created: $0.created, lastSeen: $0.lastSeen,
                isThis: $0.isCurrent, device: $0.device)
        }
    }

    /// Changes the name that people see for a device, on all devices.
    ///
    /// - Parameters:
    ///   - id: The ``LoggedInDevice/id``.
    ///   - name: 1 to 64 bytes without control characters.
    /// - Throws: ``AccountError``; the server refuses an unknown id and an invalid name.
    public func rename(_ id: Identifier, to name: String) async throws {
        try await asking { token, transport throws(SyncError) in
            _ = try AccountExchange.success(
                Self.send(
                    AccountExchange.rename(id, to: name, accessToken: token), transport))
        }
    }

    /// Logs a device out remotely: it keeps what it has, and syncs nothing more until a person
    /// logs it in again.
    ///
    /// - Parameter id: The ``LoggedInDevice/id``.
    /// - Throws: ``AccountError``; the server refuses an unknown id.
    public func revoke(_ id: Identifier) async throws {
        try await asking { token, transport throws(SyncError) in
            _ = try AccountExchange.success(
                Self.send(AccountExchange.revoke(id, accessToken: token), transport))
        }
    }

    /// Sends a request with the session's token, and renews the tokens if the old one has expired.
    func asking<T: Sendable>(
        _ question: @escaping @Sendable (String, any Transport) throws(SyncError) -> T
    ) async throws -> T {
        guard let session = try session else { throw AccountError.loggedOut }
        let transport = connect(try origin(session.server))
        do {
            return try await renewing(
                transport, at: session.server, on: questionQueue, session.accessToken
            ) { token in try question(token, transport) }
        } catch let error as SyncError {
            throw AccountError(error)
        }
    }
}
