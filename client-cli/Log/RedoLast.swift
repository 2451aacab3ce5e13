import MacrologArgumentParsing
import MacrologTerminal
import Macrolog

/// `redo`: redoes what `undo` undid.
enum RedoLast {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "How many undone actions.")

    static let command = Verb(
        "redo", "Redo what was undone last.", example: "redo", "redo 2",
        explanation: """
            New events apply the undone action again, on every device. What was changed since stays
            as it is. What was recorded after an undo ends what can be redone; `undo --of` of the undo
            itself still works.
            """, run: run
    ) { count }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        try UndoLast.repeated(arguments[count] ?? 1, "redo", &home) { try $0.redo(passing: $1) }
    }
}

/// `undo --of`: undoes any earlier action.
enum UndoOf {
    static let event = Parameter.option(
        "of", .text("EVENT"),
        "Undo the action of this event, such as a17, or of this group; of any device.")

    static func run(_ word: String, arguments: ParsedArguments, home: inout Home) throws {
        let replica = try home.replica
        let undone: UndoResult
        if let dot = try replica.read({ try $0.notation() }).dot(word) {
            undone = try replica.write { try $0.undo(dot) }
        } else if let group = Identifier(word) {
            undone = try replica.write { try $0.undo(group: group) }
        } else {
            throw arguments.usageError(
                of: event, "\"\(printable(word))\" is not an event of this log",
                instead:
                    "an event as macrolog log shows it, such as a17, or the whole id of a group")
        }
        try UndoLast.tell([undone], "Undid", &home)
    }
}
