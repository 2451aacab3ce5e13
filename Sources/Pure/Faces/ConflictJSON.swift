public import MacrologEvents
public import MacrologJSON

/// Conflicts between devices as JSON.
public enum ConflictJSON {
    /// A value as an object, whose key says what it is and in which unit.
    public static func value(_ side: Conflict.Side, _ conflict: Conflict) -> JSON {
        let kind = conflict.entity.kind
        return switch conflict.cell {
        case .field(let name): FieldJSON.object([name: side.value], in: kind)
        case .life: ["deleted": .bool(side != conflict.winner)]
        case .member(let field, let element):
            [
                "element": FieldJSON.element(element, of: field, in: kind),
                "present": side.value.json,
            ]
        case .newer: [:]
        }
    }

    /// The conflict with the events that wrote each value.
    ///
    /// - Parameter notation: The short names of devices.
    public static func json(_ conflict: Conflict, _ notation: Notation) -> JSON {
        func side(_ side: Conflict.Side) -> JSON {
            .object([
                JSON.Member("value", value(side, conflict)),
                JSON.Member("by", EventJSON.json(side.logged, notation)),
            ])
        }
        return .object([
            JSON.Member("kind", .text(conflict.entity.kind)),
            JSON.Member("id", .id(conflict.entity.id)),
            JSON.Member("cell", .string(conflict.cell.jsonName(in: conflict.entity.kind))),
            JSON.Member("shown", side(conflict.winner)),
            JSON.Member("lost", .array(conflict.losers.map { side($0) })),
        ])
    }

    /// A conflict that was resolved, and the value that was kept.
    public static func resolved(_ conflict: Conflict, as side: Conflict.Side) -> JSON {
        [
            "kind": .text(conflict.entity.kind), "id": .id(conflict.entity.id),
            "cell": .string(conflict.cell.jsonName(in: conflict.entity.kind)),
            "resolved_as": value(side, conflict),
        ]
    }
}

extension UndoResult {
    /// What was changed, and what was skipped.
    public var json: JSON {
        .object([
            JSON.Member("type", .text(type)), JSON.Member("event_count", .integer(Int64(events))),
            JSON.Member("changed", .array(entities.map { $0.json })),
            JSON.Member(
                "skipped",
                .array(
                    skipped.map {
                        .object([
                            JSON.Member("kind", .text($0.entity.kind)),
                            JSON.Member("id", .id($0.entity.id)),
                            JSON.Member("cell", .string($0.cell.jsonName(in: $0.entity.kind))),
                        ])
                    })),
            JSON.Member("leaves_conflict_resolved", .bool(leavesConflictResolved)),
        ])
    }
}
