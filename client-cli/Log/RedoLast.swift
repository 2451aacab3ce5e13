import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog

/// `redo`: redoes what `undo` undid.
enum RedoLast {
    static let count = Parameter.optionalArgument(
        "n", .integer("N", in: 1...100), "How many undone actions.")

    static let command = Verb(
        "redo", "Do again what undo took back last.", example: "redo", "redo 2",
        explanation: """
            New events give everything what it had before, on every device. What somebody has
            changed since stays as it is.
            """, run: run
    ) { count }

    static func run(words: Words, home: inout Home) throws {
        let verb = (did: "Did again", done: "changed")
        try UndoLast.repeated(words[count] ?? 1, verb, &home) { try $0.redo() }
    }
}

/// `undo --of`: undoes any earlier action.
enum UndoOf {
    static let event = Parameter.option(
        "of", .text("EVENT"),
        "Take back the action of this event, such as a17, or of this group; of any device.")

    static func run(_ word: String, words: Words, home: inout Home) throws {
        let replica = try home.replica
        let undone: Undone
        if let dot = try replica.notation().dot(word) {
            undone = try replica.undo(dot)
        } else if let group = Identifier(word) {
            undone = try replica.undo(group: group)
        } else {
            throw words.refusal(
                of: event, "\"\(printable(word))\" is not an event of this log",
                instead: "one as macrolog log shows them, such as a17, or a group's whole id")
        }
        UndoLast.tell([undone], UndoLast.tookBack, &home)
    }
}
