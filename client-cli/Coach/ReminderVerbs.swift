import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `reminder add`, `list`, `edit` and `delete`: reminders and their times.
enum ReminderVerbs {
    static let subject = Parameter.argument(
        "what", .word(ReminderKind.self), "The subject of the reminder.")
    static let time = Parameter.argument("time", .moment, "When: 12:30.")
    static let newTime = Parameter.option("time", .moment, "When: 12:30.")
    static let id = Parameter.argument("id", .id, "The reminder, by the last digits of its id.")
    static let days = Parameter.option(
        "days", .weekdays, "On which days: mon,wed, weekdays, weekend or all. Otherwise all.")
    static let always = Parameter.flag("always", "Remind also when it is logged already.")
    static let ifMissing = Parameter.flag("if-missing", "Remind only while it is not logged.")
    static let on = Parameter.flag("on", "Switch it on.")
    static let off = Parameter.flag("off", "Switch it off without deleting it.")

    static let add = Verb(
        "reminder add", "Add a reminder at a time of day.",
        example: "reminder add meal 12:30", "reminder add weight 07:00 --days weekdays",
        explanation: """
            A reminder is skipped once its subject is logged, unless you type --always. This program
            runs only while you use it: let cron call `reminders due` and show what it prints.
            """, run: add
    ) {
        subject
        time
        days
        Slots.slot
        always
    }

    static let list = Verb(
        "reminder list", "List the reminders.", example: "reminder list", run: list)

    static let edit = Verb(
        "reminder edit", "Change a reminder.", example: "reminder edit 4d1c --time 13:00",
        "reminder edit 4d1c --off", run: edit
    ) {
        id
        newTime
        days
        Slots.slot
        always
        ifMissing
        on
        off
    }

    static let delete = Verb(
        "reminder delete", "Delete a reminder.", example: "reminder delete 4d1c",
        run: { arguments, home in
            try delete(try home.find(Reminder.self, arguments[id], id, arguments), &home)
        }
    ) { id }

    static func delete(_ found: Identifier, _ home: inout Home) throws {
        let reminder = try home.replica.read { try $0.require(Reminder.self, found) }
        try home.replica.write { try $0.delete(Reminder.self, found) }
        let shown = Shown(preferences: try home.preferences)
        try home.show(reminder.json) {
            $0.say("Deleted the reminder: \(reminder.formatted(shown)).")
        }
    }

    private static func add(_ arguments: ParsedArguments, _ home: inout Home) throws {
        var reminder = Reminder(
            id: try home.replica.newID(), of: arguments[subject], atMinute: arguments[time].minute)
        if let days = arguments[days] { reminder.weekdays = days }
        if arguments[always] { reminder.onlyIfMissing = false }
        try setSlot(of: &reminder, arguments, &home)
        home.warn(try home.replica.write { try $0.add(reminder) })
        try tell("Added", reminder, &home)
    }

    private static func edit(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let found = try home.find(Reminder.self, arguments[id], id, arguments)
        var reminder = try home.replica.read { try $0.require(Reminder.self, found) }
        let old = reminder
        for (one, other) in [(always, ifMissing), (on, off)]
        where arguments[one] && arguments[other] {
            throw arguments.usageError(
                combining: one.specification.label, other.specification.label)
        }
        if let time = arguments[newTime] { reminder.minute = time.minute }
        if let days = arguments[days] { reminder.weekdays = days }
        if arguments[always] { reminder.onlyIfMissing = false }
        if arguments[ifMissing] { reminder.onlyIfMissing = true }
        if arguments[on] { reminder.isEnabled = true }
        if arguments[off] { reminder.isEnabled = false }
        try setSlot(of: &reminder, arguments, &home)
        guard reminder.isChanged(since: old) else { return home.sayUnchanged() }
        home.warn(try home.replica.write { try $0.save(reminder) })
        try tell("Changed", reminder, &home)
    }

    private static func setSlot(
        of reminder: inout Reminder, _ arguments: ParsedArguments, _ home: inout Home
    ) throws {
        guard let slot = try Slots.typed(arguments, &home) else { return }
        guard reminder.subject == .meal else {
            throw arguments.usageError(
                of: Slots.slot, "is only for reminders of meals",
                instead: "reminder add meal 12:30")
        }
        reminder.slot = slot
    }

    static func tell(
        _ verb: String, _ reminder: Reminder, _ home: inout Home
    ) throws {
        let short = try home.shortID(.reminder, reminder.id)
        let shown = Shown(preferences: try home.preferences)
        try home.show(reminder.json) { home in
            home.say("\(verb) reminder: \(reminder.formatted(shown))  \(short)")
        }
    }

    private static func list(_ arguments: ParsedArguments, _ home: inout Home) throws {
        let reminders = try home.replica.read { try $0.entities(Reminder.self) }.sorted {
            guard $0.minute == $1.minute else { return $0.minute < $1.minute }
            return $0.id < $1.id
        }
        try home.show(.array(reminders.map(\.json))) { home in
            guard !reminders.isEmpty else {
                return home.say("No reminders yet. macrolog reminder add meal 12:30")
            }
            let shown = Shown(preferences: try home.preferences)
            let ids = try home.replica.read {
                try $0.shortIDs(of: .reminder, for: reminders.map(\.id))
            }
            var table = Table(
                Table.Column("id"), Table.Column("time"), Table.Column("days"),
                Table.Column("what"), Table.Column("when"))
            for reminder in reminders {
                let paint: Paint? = reminder.isEnabled ? nil : .dim
                let when = reminder.onlyIfMissing ? "if missing" : "always"
                table.add(
                    Table.Cell(ids[reminder.id] ?? "", .dim),
                    Table.Cell(clockText(reminder.minute), paint),
                    Table.Cell(Weekdays.formatted(reminder.weekdays), paint),
                    Table.Cell(reminder.thing(slots: shown.slots).string, paint),
                    Table.Cell(reminder.isEnabled ? when : "off", paint))
            }
            home.say(table.lines(style: home.style, width: home.terminalWidth))
        }
    }
}

extension Reminder {
    /// `lunch at 12:30, mon to fri`
    func formatted(_ shown: Shown) -> String {
        let days = weekdays == 127 ? "every day" : Weekdays.formatted(weekdays)
        return "\(thing(slots: shown.slots)) at \(clockText(minute)), \(days)"
            + (onlyIfMissing ? "" : ", also when logged") + (isEnabled ? "" : ", off")
    }
}

extension Weekdays {
    /// A mask, 1 for Monday to 64 for Sunday, as `all`, `weekdays`, `weekend` or `mon,wed`.
    static func formatted(_ mask: Int64) -> String {
        switch mask {
        case 127: "all"
        case 31: "weekdays"
        case 96: "weekend"
        default:
            (1...7).filter { mask & (1 << ($0 - 1)) != 0 }.map { short($0) }
                .joined(separator: ",")
        }
    }

    /// The days of a word such as `mon,wed` or `weekend`; `nil` if one is invalid.
    static func numbers(_ word: some StringProtocol) -> [Int]? {
        var numbers: [Int] = []
        for name in word.split(separator: ",") {
            switch name.trimmingSpaces.lowercased() {
            case "all": numbers += 1...7
            case "weekdays": numbers += 1...5
            case "weekend": numbers += [6, 7]
            case let name:
                guard let number = number(name) else { return nil }
                numbers.append(number)
            }
        }
        return numbers.isEmpty ? nil : numbers
    }
}

extension Form where Value == Int64 {
    /// `mon,wed`, `weekdays`, `weekend`, `all`, as a mask.
    static var weekdays: Form {
        Form("DAYS", completion: .words(["weekdays", "weekend", "all"] + Day.weekdayNames)) {
            word throws(BadValue) in
            guard let numbers = Weekdays.numbers(word) else {
                throw BadValue(
                    "is not a list of weekdays", instead: "mon,wed, weekdays, weekend or all")
            }
            return numbers.reduce(0) { $0 | 1 << Int64($1 - 1) }
        }
    }
}
