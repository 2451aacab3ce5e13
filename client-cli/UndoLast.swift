import Commands
import JSON
import Macrolog

/// `undo`: takes back what this device did last.
enum UndoLast {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "How many actions.")

    static let command = Verb(
        "undo", "Take back what this device did last.", example: "undo", "undo 3",
        explanation: """
            Nothing recorded is removed: new events set everything back, on every device. What
            somebody has changed since stays as it is. An import is taken back as one.
            """, run: run
    ) { count }

    static func run(words: Words, home: inout Home) throws {
        var undone: [Undone] = []
        for index in 0..<(words[count] ?? 1) {
            do {
                undone.append(try home.replica.undo())
            } catch let error as ReplicaError where index > 0 {
                tell(undone, &home)
                throw error
            }
        }
        tell(undone, &home)
    }

    private static func tell(_ undone: [Undone], _ home: inout Home) {
        if home.isJSON {
            home.output.write(JSON.array(undone.map(\.json)).pretty + "\n")
            return
        }
        for action in undone {
            home.say(
                "Took back \(action.type): \(counted(Int64(action.entities.count), "thing")) set back."
            )
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
            JSON.Member("type", .text(type)), JSON.Member("events", .integer(Int64(events))),
            JSON.Member("set_back", .array(entities.map(\.json))),
            JSON.Member(
                "left",
                .array(
                    left.map {
                        .object([
                            JSON.Member("kind", .text($0.entity.kind)),
                            JSON.Member("id", .id($0.entity.id)),
                            JSON.Member("cell", .string($0.cell.spoken)),
                        ])
                    })),
        ])
    }
}
