import MacrologEvents
import MacrologSQLite

/// The small numbers that stand for devices in this file.
///
/// A former device ID of this device, or a device whose events were removed from the log, has more
/// than one: the last is for the events that the server has of it from then on.
package struct DeviceKeys: Sendable {
    private var lastByDevice: [Identifier: Int64] = [:]
    private var several: Set<Identifier> = []

    /// Adds a key; if a device has several, the greatest must come last.
    mutating func add(_ key: Int64, of device: Identifier) {
        assert(lastByDevice[device].map { $0 < key } ?? true, "the greatest key comes last")
        if lastByDevice.updateValue(key, forKey: device) != nil { several.insert(device) }
    }

    /// The key of a device's new events; `nil` for an unknown device.
    subscript(_ device: Identifier) -> Int64? { lastByDevice[device] }

    /// The number of an event that is sealed, or this device's own.
    func number(of dot: Dot, in db: inout LogConnection) throws(LogError) -> DotNumber? {
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
