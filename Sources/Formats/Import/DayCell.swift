import MacrologNutrition

/// A day, and in many files the time of it in the same cell: `2026-02-09`, `9.2.2026 18:00`,
/// `02/09/2026, 6:00 PM`, `2026-02-09T18:00:30+01:00`, `2026-02-09 17:00:30Z`.
struct DayCell: Equatable {
    /// What a time is written as the time of.
    enum Clock: Equatable {
        /// The clocks of the place.
        case local
        /// Clocks that are this many minutes ahead of UTC.
        case ahead(Int64)
        /// UTC: the person's clocks showed another time.
        case utc
    }

    let day: Day
    /// Seconds after midnight; `nil` for a day alone.
    let seconds: Int64?
    let clock: Clock

    /// Reads a cell; `nil` for anything else.
    init?(_ text: String, _ format: DateFormat) {
        let (date, rest) = Self.parts(text)
        guard let day = Cell.day(date, format) else { return nil }
        self.day = day
        guard !rest.isEmpty else {
            (seconds, clock) = (nil, .local)
            return
        }
        let (time, clock) = Self.clock(rest)
        guard let clock, let seconds = Cell.seconds(Self.withoutFraction(time)) else { return nil }
        (self.seconds, self.clock) = (seconds, clock)
    }

    /// The milliseconds since 1970 UTC, where the cell says them.
    var instant: Int64? {
        guard let seconds else { return nil }
        let ahead: Int64
        switch clock {
        case .local: return nil
        case .ahead(let minutes): ahead = minutes
        case .utc: ahead = 0
        }
        return (day.number * 1_440 - ahead) * 60_000 + seconds * 1_000
    }

    /// What stands before the first space, comma or `T`, and what follows.
    static func parts(_ text: String) -> (date: String, rest: String) {
        let isBetween = { (character: Character) in " \t,T".contains(character) }
        guard let end = text.firstIndex(where: isBetween) else { return (text, "") }
        let rest = text[text.index(after: end)...].drop { " \t,".contains($0) }
        return (String(text[..<end]), Cell.trimmed(String(rest)))
    }

    /// A time without its offset from UTC; the clock is `nil` if that cannot be read.
    private static func clock(_ text: String) -> (time: String, clock: Clock?) {
        if text.hasSuffix("Z") { return (Cell.trimmed(String(text.dropLast())), .utc) }
        guard let sign = text.lastIndex(where: { $0 == "+" || $0 == "-" }) else {
            return (text, .local)
        }
        let digits = text[text.index(after: sign)...].filter { $0 != ":" }
        guard digits.utf8.count == 2 || digits.utf8.count == 4,
            let number = Int64(digits), number >= 0
        else { return (text, nil) }
        let minutes = digits.utf8.count == 2 ? number * 60 : number / 100 * 60 + number % 100
        guard minutes <= 14 * 60 else { return (text, nil) }
        return (
            Cell.trimmed(String(text[..<sign])), .ahead(text[sign] == "-" ? -minutes : minutes)
        )
    }

    /// `18:00:30.125` as `18:00:30`.
    private static func withoutFraction(_ time: String) -> String {
        guard let point = time.lastIndex(of: "."),
            time[..<point].filter({ $0 == ":" }).count == 2,
            time[time.index(after: point)...].allSatisfy({ ("0"..."9").contains($0) })
        else { return time }
        return String(time[..<point])
    }
}

extension DateFormat {
    /// The only format in which the days of a column can be read; `.iso` where they contradict each other, so that
    /// each row that is not in it is refused.
    ///
    /// - Throws: ``ImportError`` where they can be read in two ways.
    static func of(_ cells: some Sequence<(line: Int, text: String)>) throws(ImportError)
        -> DateFormat
    {
        var possible = allCases
        var example: (line: Int, text: String)?
        for cell in cells {
            let date = DayCell.parts(cell.text).date
            let days = allCases.map { Cell.day(date, $0) }
            guard days.contains(where: { $0 != nil }) else { continue }
            possible.removeAll { Cell.day(date, $0) == nil }
            if example == nil, Set(days.compactMap { $0?.number }).count > 1 {
                example = (cell.line, date)
            }
        }
        guard possible.count > 1, let example else { return possible.first ?? .iso }
        throw ImportError(
            line: example.line, "the day \(example.text) can be read in two ways",
            hint: "choose the format of days, "
                + possible.map(\.pattern).joined(separator: " or "))
    }
}
