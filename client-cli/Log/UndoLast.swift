import MacrologArgumentParsing
import MacrologJSON
import Macrolog

/// `undo`: undoes the last action of this device.
enum UndoLast {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "How many actions.")

    static let command = Verb(
        "undo", "Take back what this device did last.", example: "undo", "undo 3", "undo --of a17",
        explanation: """
            Nothing recorded is removed: new events set everything back, on every device. What
            somebody has changed since stays as it is. An import is taken back as one. Any action of
            the past, another device's too, is taken back by the name of one of its events. `redo`
            does again.
            """, run: run
    ) {
        count
        UndoOf.event
    }

    static let tookBack = (did: "Took back", done: "set back")

    static func run(words: Words, home: inout Home) throws {
        guard let event = words[UndoOf.event] else {
            return try repeated(words[count] ?? 1, tookBack, &home) { try $0.undo() }
        }
        guard !words.has(count) else {
            throw words.refusal(of: count, "is given beside --of", instead: "one of the two")
        }
        try UndoOf.run(event, words: words, home: &home)
    }

    /// Undoes or redoes `count` actions, and reports what was done even if one of them fails.
    static func repeated(
        _ count: Int64, _ verb: (did: String, done: String), _ home: inout Home,
        _ once: (Replica) throws -> Undone
    ) throws {
        var undone: [Undone] = []
        for index in 0..<count {
            do {
                undone.append(try once(home.replica))
            } catch let error as ReplicaError where index > 0 {
                tell(undone, verb, &home)
                throw error
            }
        }
        tell(undone, verb, &home)
    }

    static func tell(_ undone: [Undone], _ verb: (did: String, done: String), _ home: inout Home) {
        if home.isJSON {
            home.output.write(JSON.array(undone.map(\.json)).pretty + "\n")
            return
        }
        for action in undone {
            home.say(
                "\(verb.did) \(action.type): "
                    + "\(counted(Int64(action.entities.count), "thing")) \(verb.done).")
            for left in action.left {
                home.warn(
                    "left as it is, because it was changed since: \(left.entity.kind) "
                        + "\(left.entity.id.lastDigits(4)), \(left.cell.spoken)")
            }
        }
    }
}

extension Undone {
    fileprivate var json: JSON {
        .object([
            JSON.Member("type", .text(type)), JSON.Member("event_count", .integer(Int64(events))),
            JSON.Member("changed", .array(entities.map(\.json))),
            JSON.Member(
                "skipped",
                .array(
                    left.map {
                        .object([
                            JSON.Member("kind", .text($0.entity.kind)),
                            JSON.Member("id", .id($0.entity.id)),
                            JSON.Member("cell", .string($0.cell.jsonName(in: $0.entity.kind))),
                        ])
                    })),
        ])
    }
}
