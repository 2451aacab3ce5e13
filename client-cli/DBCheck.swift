import Commands
import JSON
import Macrolog

/// `db check`: reads the whole file and says what is wrong with it.
enum DBCheck {
    static let command = Verb(
        "db check", "Read the whole file and say what is wrong with it.", example: "db check",
        explanation: """
            The structure of the file, and every event once. Fields that another device set beyond
            their bounds are listed: they are kept and passed on, but not used.
            """, run: run)

    static func run(words: Words, home: inout Home) throws {
        let problems = try home.replica.check()
        let quarantine = try home.replica.quarantine()
        try home.show(
            .object([
                JSON.Member("sound", .bool(problems.isEmpty)),
                JSON.Member("problems", .array(problems.map { .string($0) })),
                JSON.Member(
                    "unused_fields",
                    .array(
                        quarantine.map {
                            .object([
                                JSON.Member("kind", .text($0.entity.kind)),
                                JSON.Member("id", .id($0.entity.id)),
                                JSON.Member("field", .text($0.field)),
                                JSON.Member("finding", .string($0.finding)),
                            ])
                        })),
            ])
        ) { home in
            if problems.isEmpty { home.say("The file is sound.") }
            for problem in problems { home.say(printable(problem)) }
            for held in quarantine {
                home.say(
                    "not used: \(printable(held.finding)) "
                        + "(\(printable(held.entity.kind.string)) \(held.entity.id.lastDigits(4)))")
            }
        }
        guard problems.isEmpty else {
            throw Refusal(
                .dataErr,
                "\(words.command): keep a copy of the file and its -wal file, then restore a backup"
            )
        }
    }
}
