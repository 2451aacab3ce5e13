package import MacrologEvents
import MacrologWire
import MacrologJSON
package import MacrologLog

/// A log read from an export (``JSONExport``), whole or redacted; parsed strictly.
///
/// `bytes` and `seal` define an event; the readable members beside them must agree. Entities follow
/// from events and are only counted.
package struct ExportedLog: Sendable {
    /// A defect of a file.
    package struct Malformed: Error, Hashable, Sendable, CustomStringConvertible {
        /// The place of the defect.
        package let place: String

        init(_ place: String) { self.place = place }

        package var description: String { "the export cannot be read: \(place)" }
    }

    /// The device that exported.
    package let device: Identifier
    /// Every device, in the order of their names.
    package let devices: [Identifier]
    /// The number up to which the log was held.
    package let cursor: Int64
    /// Sealed events in the order of their numbers, then unsealed ones.
    package var entries: [LogEntry] = []
    /// Events of a redacted log that could not be read.
    package var damaged: [Dot] = []
    /// The state of the device, of a redacted log.
    package var state: DeviceState?

    private var clocks = ClockIndex()
    private var lastNumber: Int64 = 0
    private var digest = PrefixDigest.empty

    /// Reads an export.
    ///
    /// - Throws: ``Malformed``, or the error of invalid JSON.
    package init(json bytes: [UInt8]) throws {
        let json = try JSON.parse(bytes)
        try Self.checkHead(json)
        device = try json.required("device") { $0.string.flatMap { Identifier($0) } }
        cursor = try json.required("cursor", \.integer)
        var names = Notation()
        for listed in try json.required("devices", \.array) {
            let id = try listed.required("id") { $0.string.flatMap { Identifier($0) } }
            guard listed == ["name": .string(names.name(of: id)), "id": .string("\(id)")] else {
                throw Malformed("the devices")
            }
        }
        devices = names.devices
        if let state = json["state"] { self.state = try DeviceState(state) }
        for (index, row) in try json.required("events", \.array).enumerated() {
            do { try add(row) } catch let error as Malformed {
                throw Malformed("event \(index + 1): \(error.place)")
            }
        }
        try checkEnd(json)
    }

    private static func checkHead(_ json: JSON) throws(Malformed) {
        guard json["format"]?.string == "macrolog" else {
            throw Malformed("it was not written by macrolog")
        }
        let version = try json.required("version", \.integer)
        guard version == JSONExport.version else {
            throw Malformed("it is of version \(version), and this reads \(JSONExport.version)")
        }
        let known = [
            "format", "version", "redacted", "device", "epoch", "cursor", "digest", "devices",
            "events", "entities", "counts",
        ]
        let isRedacted = try json.required("redacted", \.bool)
        let members = (json.object ?? []).map(\.key)
        guard Set(members) == Set(known + (isRedacted ? ["state", "about"] : [])) else {
            throw Malformed("members are missing, or are of another version")
        }
        _ = try json.required("epoch") { $0.integer.flatMap { UInt32(exactly: $0) } }
    }

    private mutating func add(_ row: JSON) throws {
        let seal = try Self.seal(row)
        if let seal {
            guard seal.n > lastNumber, entries.last.map({ $0.seal != nil }) ?? true else {
                throw Malformed("it is not in the order of numbers")
            }
            lastNumber = seal.n.rawValue
        }
        if row["bytes"] == .null, state != nil { return try addDamaged(row, seal) }
        let bytes = try row.required("bytes") { $0.string.flatMap(Readable.bytes) }
        guard let stored = try? StoredEvent.decoded(bytes) else {
            throw Malformed("its bytes are no event")
        }
        let entry = LogEntry(stored, seal)
        try check(
            row, Readable.event(entry, clocks.clock(of: entry.stamp), devices), entry.event.dot)
        if let seal {
            digest.add(hash: try StoredEvent.hash(of: bytes), seal: seal)
            clocks.admit(entry.event.dot, n: seal.n.rawValue)
        }
        entries.append(entry)
    }

    private mutating func addDamaged(_ row: JSON, _ seal: Seal?) throws {
        let device = try row.required("device") { $0.string.flatMap { Identifier($0) } }
        let dot = Dot(device: device, seq: Seq(try row.required("seq", \.integer)))
        try check(row, Readable.damaged(dot, seal, devices), dot)
        if let seal { clocks.admit(dot, n: seal.n.rawValue) }
        damaged.append(dot)
    }

    /// The readable members must agree with the bytes.
    private func check(_ row: JSON, _ written: JSON, _ dot: Dot) throws(Malformed) {
        guard devices.contains(dot.device) else { throw Malformed("its device has no name") }
        for member in written.object ?? [] where row[member.key] != member.value {
            throw Malformed("\(member.key) is not what its bytes and its seal say")
        }
        guard row == written else { throw Malformed("it says more than its bytes") }
    }

    private static func seal(_ row: JSON) throws(Malformed) -> Seal? {
        if row["seal"] == .null { return nil }
        let seal = try row.required("seal") { $0 }
        return Seal(
            n: try seal.required("n", \.integer),
            t: try seal.required("t") { $0.string.flatMap { Int64($0) } })
    }

    private func checkEnd(_ json: JSON) throws(Malformed) {
        let entities = try json.required("entities", \.array)
        let counts: JSON = [
            "events": .integer(Int64(entries.count + damaged.count)),
            "entities": .integer(Int64(entities.count)),
        ]
        guard json["counts"] == counts else { throw Malformed("the counts") }
        guard state == nil || entities.isEmpty && json["digest"] == .null else {
            throw Malformed("it is redacted, and says more than its events")
        }
        guard state != nil || cursor == lastNumber else { throw Malformed("the cursor") }
        guard state != nil || json["digest"] == .string(hexadecimal(digest.bytes)) else {
            throw Malformed("the digest is not that of the events")
        }
    }
}

extension JSON {
    func required<T>(
        _ key: String, _ read: (JSON) -> T?
    ) throws(ExportedLog.Malformed) -> T {
        guard let value = self[key], let read = read(value) else {
            throw ExportedLog.Malformed("\(key) is missing, or is something else")
        }
        return read
    }
}
