public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// The file of a log, its checks and its upkeep as JSON.
public enum LogJSON {
    /// The checks of `doctor`.
    public static func checks(_ checks: [DoctorCheck]) -> JSON {
        .array(
            checks.map {
                [
                    "check": .string($0.name), "ok": .bool($0.isGood),
                    "message": .string($0.message),
                ]
            })
    }

    /// What is wrong with the file, and the fields that are stored and not used.
    public static func problems(
        _ problems: [String], unused: [(entity: EntityKey, field: UTF8Text, finding: String)]
    ) -> JSON {
        let fields = unused.map { held -> JSON in
            [
                "kind": .text(held.entity.kind), "id": .id(held.entity.id),
                "field": .string(FieldJSON.key(of: held.field, in: held.entity.kind)),
                "finding": .string(held.finding),
            ]
        }
        return [
            "ok": .bool(problems.isEmpty), "problems": .strings(problems),
            "unused_fields": .array(fields),
        ]
    }

    /// The digests of the log and of what each day shows.
    public static func digests(
        of log: [UInt8], to cursor: Int64, days: [(day: Day, digest: [UInt8])]
    ) -> JSON {
        [
            "cursor": .integer(cursor), "log_digest": .string(hexadecimal(log)),
            "days": .array(
                days.map { ["day": .day($0.day), "digest": .string(hexadecimal($0.digest))] }),
        ]
    }

    /// Read models that were folded again, and their hashes before and after.
    public static func rebuilt(events: Int64, from before: [UInt8], to after: [UInt8]) -> JSON {
        [
            "event_count": .integer(events), "state_sha256_before": .string(hexadecimal(before)),
            "state_sha256": .string(hexadecimal(after)), "state_changed": .bool(before != after),
        ]
    }

    /// History that was compacted, or that could be.
    ///
    /// - Parameters:
    ///   - examined: How many events were examined.
    ///   - bytes: How many bytes their payloads had.
    ///   - freed: By how much the file is smaller; `nil` where nothing was done.
    public static func compacted(
        olderThanDays days: Int64, examined: Int64, events: Int64, bytes: Int64, freed: Int64?
    ) -> JSON {
        [
            "older_than_days": .integer(days), "done": .bool(freed != nil),
            "events_examined": .integer(examined), "events_compacted": .integer(events),
            "compacted_bytes": .integer(bytes), "freed_bytes": .optional(freed),
        ]
    }

    /// An invented diary that was recorded.
    public static func seeded(_ days: ClosedRange<Day>, meals: Int64) -> JSON {
        [
            "from": .day(days.lowerBound), "to": .day(days.upperBound),
            "meal_count": .integer(meals),
        ]
    }

    /// History that is no longer compacted automatically.
    public static let neverCompacted: JSON = ["history_days": .null]

    /// What a redacted log says besides its events: sizes, versions, the state of syncing.
    public static func facts(
        program: String, _ log: LogStatisticsFace, _ status: SyncStatusFace
    ) -> [JSON.Member] {
        let lacking = status.receipts.map { $0.map { JSON.integer($0.lacks) } }
        return [
            JSON.Member("program", .string(program)),
            JSON.Member("file_bytes", .integer(log.fileBytes)),
            JSON.Member("unused_fields", .integer(log.unusedFields)),
            JSON.Member("head", .integer(status.head)),
            JSON.Member("since_success_s", .seconds(status.sinceSuccess)),
            JSON.Member("failing_for_s", .seconds(status.failingFor)),
            JSON.Member("offline", .bool(status.isOffline)),
            JSON.Member("clock_ahead_s", .seconds(status.clockLead)),
            JSON.Member("devices_lack", lacking.map { .array($0) } ?? .null),
        ]
    }
}

/// One check of `doctor`.
public struct DoctorCheck: Sendable {
    /// What was checked, in one word.
    public let name: String
    /// Whether nothing is wrong.
    public let isGood: Bool
    /// What was found, and what to do if it is not good.
    public let message: String

    /// - Parameter message: What was found, and what to do if it is not good.
    public init(name: String, isGood: Bool, message: String) {
        self.name = name
        self.isGood = isGood
        self.message = message
    }
}

/// What is in a log's file.
public struct LogStatisticsFace: Sendable {
    let device: Identifier
    let devices: Int64
    let events: Int64
    let compactedEvents: Int64
    let unsealedEvents: Int64
    let cursor: Int64
    let epoch: UInt32
    let conflicts: Int64
    let unusedFields: Int64
    let fileBytes: Int64
    let entities: [(kind: String, count: Int64)]

    /// - Parameters:
    ///   - device: This device.
    ///   - compactedEvents: Events whose payloads were dropped.
    ///   - unsealedEvents: Events of this device that the server has not sealed.
    ///   - cursor: The number up to which this device holds the server's log; 0 for none.
    ///   - epoch: The epoch of the server's log; 0 for none.
    ///   - conflicts: Entities with a conflict.
    ///   - unusedFields: Fields that are stored and not used.
    ///   - entities: Entities by kind.
    public init(
        device: Identifier, devices: Int64, events: Int64, compactedEvents: Int64,
        unsealedEvents: Int64, cursor: Int64, epoch: UInt32, conflicts: Int64,
        unusedFields: Int64, fileBytes: Int64, entities: [(kind: String, count: Int64)]
    ) {
        self.device = device
        self.devices = devices
        self.events = events
        self.compactedEvents = compactedEvents
        self.unsealedEvents = unsealedEvents
        self.cursor = cursor
        self.epoch = epoch
        self.conflicts = conflicts
        self.unusedFields = unusedFields
        self.fileBytes = fileBytes
        self.entities = entities
    }

    /// The statistics, and the path of the file.
    public func json(of file: String) -> JSON {
        [
            "file": .string(file), "size_bytes": .integer(fileBytes), "device_id": .id(device),
            "device_count": .integer(devices), "event_count": .integer(events),
            "events_compacted": .integer(compactedEvents), "unsealed": .integer(unsealedEvents),
            "cursor": .integer(cursor), "epoch": .integer(Int64(epoch)),
            "conflict_count": .integer(conflicts), "unused_field_count": .integer(unusedFields),
            "entities": .array(
                entities.map {
                    ["kind": .string($0.kind), "entity_count": .integer($0.count)]
                }),
        ]
    }
}
