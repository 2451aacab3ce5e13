import MacrologEvents
import MacrologSQLite

/// The small numbers by which this file calls devices.
///
/// A device that this one once was, or whose events were taken out of the log, has more than one:
/// under the last lies what the hub has of it from then on.
package struct DeviceKeys: Sendable {
    private var lastByDevice: [Identifier: Int64] = [:]
    private var several: Set<Identifier> = []

    /// Notes a key; of several of one device the greatest comes last.
    mutating func add(_ key: Int64, of device: Identifier) {
        if lastByDevice.updateValue(key, forKey: device) != nil { several.insert(device) }
    }

    /// The key under which new events of a device go; `nil` for one that is not known here.
    subscript(_ device: Identifier) -> Int64? { lastByDevice[device] }

    /// The number of an event that is sealed, or this device's own.
    func number(of dot: Dot, in db: inout Connection) throws -> DotNumber? {
        guard let last = self[dot.device], let number = try? DotNumber(last, dot.seq) else {
            return nil
        }
        guard several.contains(dot.device) else { return number }
        return try db.first(
            """
            SELECT dot FROM device JOIN seal ON seal.dot = device.key << 40 | ? WHERE device.id = ?
            """, dot.seq, dot.device
        ) { $0.dotNumber(0) }
    }
}
