import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// A replica in a file, with clocks that count.
final class Device {
    var store: Store
    private(set) var reading = Device.firstReading
    /// The greatest of its events that the server has, as the last answer said.
    private var admitted: Int64 = 0

    /// Of the clocks of a replica that has just been opened.
    static let firstReading = ClockSample(
        wall: 1_800_000_000_000, monotonic: 5_000, boot: Identifier(high: 1, low: 1))

    /// Opens the replica in a file. `device` names it when it is new.
    init(_ path: String, device: UInt64 = 1, vfs: String? = nil) throws {
        store = try Store.open(
            try LogConnection.open(path, pages: .small, isAlone: true, vfs: vfs),
            newDevice: Self.id(device))
    }

    static func id(_ number: UInt64) -> Identifier {
        Identifier(high: 0x0190_163D_8694_739B, low: 0xAEA5_966C_26F8_0000 + number)
    }

    func record(_ drafts: [Draft]) throws {
        reading.wall += 1_000
        reading.monotonic += 1_000
        try store.record(drafts, at: reading)
    }

    func request(eventsMax: Int = Limits.pageEventsMax) throws -> SyncRequest {
        try store.syncRequest(eventsMax: eventsMax, admitted: admitted, now: reading)
    }

    func apply(_ answer: SyncAnswer) throws {
        try store.apply(answer)
        admitted = answer.admitted.rawValue
    }
}
