import MacrologEvents
import MacrologWire
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologNutritionModels
import MacrologReadModels
import MacrologSQLite

/// The state of a device when its log was exported redacted, beyond what its events show.
package struct DeviceState: Hashable, Sendable {
    /// The number up to which the digests are those of the events; less than the cursor for a
    /// damaged log.
    package var soundUpTo: Int64 = 0
    /// How many entities are in conflict.
    package var conflicts: Int64 = 0
    /// How many entities there are.
    package var entities: Int64 = 0
    /// Whether the device waits to rotate its ID.
    package var isRotationDue = false
    /// The number after which the server's log has forked.
    package var fork: Int64?

    var json: JSON {
        [
            "digests_sound_up_to": .integer(soundUpTo), "conflicts": .integer(conflicts),
            "entities": .integer(entities), "rotation_due": .bool(isRotationDue),
            "fork": .optional(fork),
        ]
    }
}

extension DeviceState {
    init(_ json: JSON) throws(ExportedLog.Malformed) {
        soundUpTo = try json.required("digests_sound_up_to", \.integer)
        conflicts = try json.required("conflicts", \.integer)
        entities = try json.required("entities", \.integer)
        isRotationDue = try json.required("rotation_due", \.bool)
        fork = json["fork"]?.integer
        guard json == self.json else { throw ExportedLog.Malformed("the state of its device") }
    }

    /// Reads the state, which reads the whole log once.
    ///
    /// - Returns: Also every device that an event names: those of the log in the order of their
    ///   names, then those that only an origin names.
    static func survey(_ store: inout Store) throws -> (state: DeviceState, devices: [Identifier]) {
        let log = store.log
        var (state, digest, isSound) = (DeviceState(), PrefixDigest.empty, true)
        var devices = try log.devices(in: &store.db)
        try log.scan(in: &store.db) { stored in
            for device in [stored.dot.device, stored.entry?.event.reissuedFrom?.device].compactMap(
                \.self)
            where !devices.contains(device) {
                devices.append(device)
            }
            guard let seal = stored.seal else { return }
            digest.add(hash: stored.hash, seal: seal)
            isSound = isSound && seal.n == state.soundUpTo + 1 && digest == stored.digest
            if isSound { state.soundUpTo = seal.n.rawValue }
        }
        state.conflicts = try store.db.first("SELECT count(*) FROM conflict") { $0.int(0) } ?? 0
        state.entities = try store.db.first("SELECT count(*) FROM entity") { $0.int(0) } ?? 0
        (state.isRotationDue, state.fork) = (log.nextDevice != nil, log.fork)
        return (state, devices)
    }

    /// Facts that help people to understand a log; no reader needs them.
    static func facts(_ store: inout Store) throws -> [JSON.Member] {
        let marks = try store.log.clockMarks(in: &store.db)
        var boots: [Identifier] = []
        for mark in marks where !boots.contains(mark.boot) { boots.append(mark.boot) }
        let migrations = try store.db.all("SELECT name FROM migration ORDER BY ordinal") {
            $0.text(0)
        }
        return [
            JSON.Member("migrations", .array(migrations.map { .string($0) })),
            JSON.Member("rotated", .bool(try store.log.hasFormerName(in: &store.db))),
            JSON.Member("orphans", .integer(store.log.orphans)),
            JSON.Member(
                "clock_marks",
                .array(
                    marks.map { mark in
                        [
                            "seq": .integer(mark.seq),
                            "boot": .integer(Int64(boots.firstIndex(of: mark.boot) ?? 0)),
                            "offset_s": .decimal(mark.offset &- marks[0].offset, scale: 3),
                        ]
                    })),
        ]
    }
}
