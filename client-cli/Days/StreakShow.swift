import MacrologArgumentParsing
import Macrolog
import MacrologFaces

/// `streak`: the number of consecutive logged days.
enum StreakShow {
    static let command = Verb(
        "streak", "Show the streak: days in a row with a log.", example: "streak",
        explanation: """
            An empty today does not break a streak. Nor do skipped days, which count if something is logged. To
            hide streaks elsewhere: macrolog config set show-streaks no
            """, run: run)

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let day = try home.day
        let streak = try home.read { try $0.streak(upTo: day) }
        try home.show(streak.json) { home in
            home.say(
                "\(counted(Int64(streak.current), "day")) in a row, at best \(streak.longest).")
        }
    }
}
