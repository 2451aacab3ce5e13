public import MacrologEvents
public import MacrologJSON
public import MacrologNutrition

/// Events as JSON, with explicit vector clocks: `[{"device_id": …, "seq": …}]`.
public enum EventJSON {
    /// An event with its dot, its clock and its changes.
    ///
    /// - Parameter notation: The short names of devices.
    public static func json(_ logged: LoggedEvent, _ notation: Notation) -> JSON {
        var notation = notation
        let event = logged.event
        return .object([
            JSON.Member("event", .string(notation.write(event.dot))),
            JSON.Member("device_id", .id(event.dot.device)),
            JSON.Member("seq", .integer(event.dot.seq.rawValue)),
            JSON.Member("clock_notation", .string(notation.write(logged.clock))),
            JSON.Member("clock", clock(logged.clock)),
            JSON.Member(
                "base",
                .object([
                    JSON.Member("epoch", .integer(Int64(event.base.epoch))),
                    JSON.Member("n", .integer(event.base.n.rawValue)),
                ])),
            JSON.Member("n", .optional(logged.seal?.n.rawValue)),
            JSON.Member("sealed_at", .instant(logged.seal?.milliseconds)),
            JSON.Member("recorded_at", .instant(event.wall)),
            JSON.Member("type", .text(event.type)),
            JSON.Member("compacted", .bool(logged.isCompacted)),
            JSON.Member("group_id", .optional(event.group)),
            JSON.Member("changes", .array(event.changes.map { change($0) })),
        ])
    }

    /// A meal's events up to a moment, and the meal as it was then.
    public static func history(
        _ events: [LoggedEvent], _ notation: Notation, meal: MealDetail?
    ) -> JSON {
        ["events": .array(events.map { json($0, notation) }), "meal": meal?.json ?? .null]
    }

    /// A vector clock by device.
    private static func clock(_ clock: VectorClock) -> JSON {
        .array(
            clock.counters.map {
                ["device_id": .id($0.device), "seq": .integer($0.seq.rawValue)]
            })
    }

    private static func change(_ change: Change) -> JSON {
        .object([
            JSON.Member("kind", .text(change.entity.kind)),
            JSON.Member("id", .id(change.entity.id)),
            JSON.Member(
                "operations",
                .array(change.operations.map { operation($0, in: change.entity.kind) })),
        ])
    }

    private static func operation(_ operation: CellOperation, in kind: UTF8Text) -> JSON {
        switch operation {
        case .set(let fields): .object([JSON.Member("set", FieldJSON.object(fields, in: kind))])
        case .add(let field, let element):
            .object([
                JSON.Member("add", .string(FieldJSON.key(of: field, in: kind))),
                JSON.Member("element", FieldJSON.element(element, of: field, in: kind)),
            ])
        case .remove(let field, let element):
            .object([
                JSON.Member("remove", .string(FieldJSON.key(of: field, in: kind))),
                JSON.Member("element", FieldJSON.element(element, of: field, in: kind)),
            ])
        case .delete: .object([JSON.Member("delete", true)])
        case .restore: .object([JSON.Member("restore", true)])
        case .unknown(let verb, let arguments):
            .object([
                JSON.Member("unknown_operation", .integer(verb)),
                JSON.Member("arguments", .array(arguments.map { $0.json })),
            ])
        }
    }
}
