import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `reminders due`: prints due reminders, for cron.
enum RemindersDue {
    static let now = Parameter.flag(
        "now", "Print only what is due in this minute, even if it was printed before.")
    static let exitCode = Parameter.flag("exit-code", "Exit with 75 when nothing is due.")

    static let command = Verb(
        "reminders due", "Print the reminders that came due since the last time.",
        example: "reminders due", "reminders due --now --json",
        explanation: """
            Prints one line for each reminder that came due since this device last asked, today or
            yesterday, and nothing if there is none: cron then sends no mail. One of yesterday has
            its day before its time. What is logged already is left out, unless the reminder says
            always. Each reminder comes once, also on days when the clocks change: a time that is
            skipped comes right after the change, a time that occurs twice comes the first time. A
            line of a crontab:

              */5 * * * *  macrolog reminders due | while read line; do notify-send "$line"; done
            """, run: run
    ) {
        now
        exitCode
    }

    static func run(arguments: ParsedArguments, home: inout Home) throws {
        let replica = try home.replica
        let instant = try home.moment
        let found = try replica.read {
            try $0.dueReminders(at: instant, sinceLast: !arguments[now])
        }
        let slots = try home.preferences.mealSlots ?? MealSlot.standard
        let offset = LocalZone.system.offsetMinutes(instant)
        let today = LocalDate(instant: instant, zone: nil, offsetMinutes: offset)?.day
        try home.show(.array(found.due.map { $0.json(slots: slots) })) { home in
            for due in found.due {
                let day = due.day == today ? "" : "\(due.day) "
                home.say("\(day)\(clockText(due.minute))  \(printable(due.text(slots: slots)))")
            }
        }
        // Only printed reminders are marked as given.
        try home.output.flush()
        if !arguments[now] { try replica.write({ try $0.markReminded(found) }) }
        if found.due.isEmpty, arguments[exitCode] { Main.leave(.tempFail) }
    }
}
