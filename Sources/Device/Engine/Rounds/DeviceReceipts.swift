public import MacrologEvents
import MacrologJSON
import MacrologLog
import MacrologReadModels
import MacrologSQLite

/// Which devices have what, according to the server's last answer (`protocol.md` §6.9): for each
/// device the number up to which it has proved to hold the log, compared with this device's log.
public struct DeviceReceipts: Hashable, Sendable {
    /// Milliseconds since the server was asked.
    public let age: Int64
    /// The devices that are logged in, this one included, in the order in which they logged in.
    public let devices: [DeviceReceipt]

    /// Whether every device has everything that is sealed here.
    var isOnAll: Bool { devices.allSatisfy { $0.lacks == 0 } }
}

/// What one device is known to hold.
public struct DeviceReceipt: Hashable, Sendable {
    /// The id of its session at the server.
    public let session: Identifier
    /// The person's name for it.
    public let name: String
    /// The device ID in the log; `nil` while it has never synced.
    public let device: Identifier?
    /// The number up to which it holds the log; 0 while it has never synced.
    public let holds: Int64
    /// How many of the events that are sealed here it may lack: those of other devices after
    /// ``holds``. It has its own.
    public let lacks: Int64
    /// Milliseconds since its last request to the server.
    public let lastSeen: Int64
    /// Whether it is this device.
    public let isThis: Bool
}

extension DeviceReceipts {
    /// Stores a server's answer, if the answer is about this log.
    static func remember(
        _ list: SessionList, at reading: ClockSample, in store: inout Store
    ) throws {
        guard let now = list.now, list.epoch == Int64(store.log.epoch) else { return }
        let json: JSON = [
            "asked": .string(reading.notation), "cursor": .integer(store.log.cursor),
            "devices": .array(
                list.sessions.filter { !$0.isToken }.map { session in
                    [
                        "session": .string("\(session.id)"), "name": .string(session.name),
                        "device": .optional(session.device.map { "\($0)" }),
                        "cursor": .optional(session.cursor),
                        "seen": .integer(now &- session.lastSeen),
                        "current": .bool(session.isCurrent),
                    ]
                }),
        ]
        try store.db.run("UPDATE sync_state SET receipts = ?", json.compact)
    }

    /// The last stored answer, compared with the log now; `nil` if there is none.
    static func remembered(
        now: ClockSample, in store: inout Store
    ) throws -> (receipts: DeviceReceipts, askedAtCursor: Int64)? {
        let stored = try store.db.first("SELECT receipts FROM sync_state") { $0.textOrNull(0) }
        guard let text = stored ?? nil,
            let json = try? JSON.parse(text), let cursor = json["cursor"]?.integer,
            let asked = json["asked"]?.string.flatMap({ ClockSample(notation: $0) })
        else { return nil }
        let age = now.milliseconds(since: asked)
        var devices: [DeviceReceipt] = []
        for entry in json["devices"]?.array ?? [] {
            guard let session = entry["session"]?.string.flatMap({ Identifier($0) }),
                let name = entry["name"]?.string, let seen = entry["seen"]?.integer
            else { continue }
            let device = entry["device"]?.string.flatMap { Identifier($0) }
            let isThis = entry["current"] == true
            let holds = isThis ? store.log.cursor : max(0, entry["cursor"]?.integer ?? 0)
            devices.append(
                DeviceReceipt(
                    session: session, name: name, device: device, holds: holds,
                    lacks: isThis
                        ? 0 : try store.log.sealed(after: holds, notBy: device, in: &store.db),
                    lastSeen: max(0, seen) &+ age, isThis: isThis))
        }
        return (DeviceReceipts(age: age, devices: withoutTwins(devices)), cursor)
    }

    /// Of several sessions of one device only the most recently used counts: the person has signed
    /// in again.
    private static func withoutTwins(_ devices: [DeviceReceipt]) -> [DeviceReceipt] {
        let own = devices.first { $0.isThis }?.device
        return devices.filter { one in
            guard let device = one.device, !one.isThis else { return true }
            return device != own
                && !devices.contains {
                    $0.device == device
                        && ($0.lastSeen, $0.session) < (one.lastSeen, one.session)
                }
        }
    }
}

/// When a device asks what the other devices hold.
enum ReceiptQuestion {
    /// Minimum of milliseconds between two questions of a device that syncs all the time.
    static let intervalMilliseconds: Int64 = 60_000
    /// Milliseconds after which it asks again even if every device had everything.
    static let staleMilliseconds: Int64 = 600_000

    /// Whether something may have changed that justifies a request.
    ///
    /// - Parameter isHasty: Ask however recent the last question is: a person is waiting.
    static func isDue(isHasty: Bool, now: ClockSample, in store: inout Store) throws -> Bool {
        guard let known = try DeviceReceipts.remembered(now: now, in: &store) else { return true }
        let age = known.receipts.age
        if age >= Self.staleMilliseconds { return true }
        let isComplete = known.receipts.isOnAll && known.askedAtCursor == store.log.cursor
        return !isComplete && (isHasty || age >= Self.intervalMilliseconds)
    }
}
