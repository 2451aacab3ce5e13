import Commands

/// A verb of `macrolog`.
typealias Verb = Command<Home, any Error>

/// Everything that `macrolog` can do.
let program: Program<Home, any Error> = Program(
    "macrolog", version: Version.number, "A food and weight log that works without a network.",
    explanation: """
        Everything is kept in one file on this device. Other devices of yours are brought up to date
        when you say so, and what they recorded meanwhile is merged: nobody's entry is lost.
        """,
    chapters: [
        Chapter("Eating", [AddMeal.command, QuickAdd.command]),
        Chapter("Days", [DayShow.command]),
        Chapter("Meals", [MealList.command]),
        Chapter("Body", [WeightLog.command]),
        Chapter("The log", [UndoLast.command, ShowLog.command]),
        Chapter("Syncing", [
            AuthRegister.command, AuthLogin.command, AuthLogout.command, AuthStatus.command,
            SyncNow.command, SyncStatusShow.command,
        ]),
        Chapter("The program", [Version.command, PrintManual.command, PrintCompletion.command]),
    ],
    groups: [
        Group("auth", "An account at a server."),
        Group("day", "A day as a whole."),
        Group("meal", "Look at meals and correct them."),
        Group("weight", "Weigh-ins and their trend."),
    ],
    notes: []
) {
    Everywhere.json
    Everywhere.db
    Everywhere.at
    Everywhere.date
    Everywhere.zone
    Everywhere.quiet
    Everywhere.noColor
}
