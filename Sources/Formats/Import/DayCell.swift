import MacrologNutrition

/// A day, and in many files the time of it in the same cell: `2026-02-09`, `9.2.2026 18:00`,
/// `02/09/2026, 6:00 PM`, `2026-02-09T18:00:30+01:00`, `2026-02-09 17:00:30Z`.
struct DayCell: Equatable {
    /// Whose time it is.
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
    private(set) var seconds: Int64?
    private(set) var clock: Clock

    /// Reads a cell; `nil` for anything else.
    init?(_ text: String, _ format: DateFormat) {
        let rest: String
        if let written = Self.written(text) {
            (day, rest) = written
        } else {
            let parts = Self.parts(text)
            guard let day = Cell.day(parts.date, format) else { return nil }
            (self.day, rest) = (day, parts.rest)
        }
        guard !rest.isEmpty else {
            (seconds, clock) = (nil, .local)
            return
        }
        let (time, clock) = Self.clock(rest)
        guard let clock, let seconds = Cell.seconds(time) else { return nil }
        (self.seconds, self.clock) = (seconds, clock)
    }

    /// The day alone.
    var withoutTime: DayCell {
        var cell = self
        (cell.seconds, cell.clock) = (nil, .local)
        return cell
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
        for zone in ["z", "utc", "gmt"] where text.lowercased().hasSuffix(zone) {
            return (Cell.trimmed(String(text.dropLast(zone.count))), .utc)
        }
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

    /// A day whose month is a word, and what follows it: `Tuesday, November 24, 2026`, `24-Nov-26 7:05 AM`.
    private static func written(_ text: String) -> (day: Day, rest: String)? {
        let words = text.lowercased().split { " \t,".contains($0) }.flatMap { word in
            word.contains(":") ? [word] : word.split { "-/.".contains($0) }
        }
        let places = words.indices.filter { month(words[$0]) != nil }
        // `mar. 24 nov. 2026`: a Tuesday, in French, Spanish and Italian.
        let isTuesday = places.count == 2 && words[places[0]] == "mar"
        guard let place = places.last, places.count == 1 || isTuesday,
            let month = month(words[place])
        else { return nil }
        var numbers: [(value: Int, count: Int)] = []
        var end = place
        for (index, word) in words.enumerated() where numbers.count < 2 && index != place {
            let digits = word.prefix { $0.isASCII && $0.isNumber }
            guard let value = Int(digits), digits.count <= 4,
                digits.count == word.count
                    || ["st", "nd", "rd", "th"].contains(word.dropFirst(digits.count))
            else { continue }
            numbers.append((value, digits.count))
            end = max(end, index)
        }
        guard numbers.count == 2, numbers[0].count <= 2, [2, 4].contains(numbers[1].count),
            let day = Day(
                year: numbers[1].value + (numbers[1].count == 2 ? 2_000 : 0), month: month,
                day: numbers[0].value)
        else { return nil }
        let rest = words[(end + 1)...].filter { $0 != "at" && $0 != "um" }
        return (day, rest.joined(separator: " "))
    }

    /// The number of a month's name in English or German. `mardi`, `martes` and `marraskuuta` are not in March.
    private static func month(_ word: Substring) -> Int? {
        guard word.count >= 3, word.allSatisfy(\.isLetter),
            !word.hasPrefix("mar") || marches.contains(String(word))
        else { return nil }
        return months.firstIndex { $0.contains(String(word.prefix(3))) }.map { $0 + 1 }
    }

    private static let months: [Set<String>] = [
        ["jan"], ["feb"], ["mar", "mär"], ["apr"], ["may", "mai"], ["jun"], ["jul"], ["aug"],
        ["sep"], ["oct", "okt"], ["nov"], ["dec", "dez"],
    ]
    private static let marches: Set<String> = [
        "mar", "march", "mars", "mart", "marts", "marzo", "março",
    ]
}

extension DateFormat {
    /// The format in which most days of a column can be read; a row that is not in it is refused.
    ///
    /// - Throws: ``ImportError`` where a day of it would be another day in a format that others are written in.
    static func of(_ cells: some Sequence<(line: Int, text: String)>) throws(ImportError)
        -> DateFormat
    {
        var written: [(line: Int, text: String, days: [Day?])] = []
        for cell in cells {
            let date = DayCell.parts(cell.text).date
            let days = allCases.map { Cell.day(date, $0) }
            if days.contains(where: { $0 != nil }) { written.append((cell.line, date, days)) }
        }
        let counts = allCases.indices.map { place in
            written.count(where: { $0.days[place] != nil })
        }
        let most = counts.max() ?? 0
        let chosen = counts.firstIndex(of: most) ?? 0
        // A format that fits as many days, or a day that the chosen one does not fit.
        let rivals = allCases.indices.filter { place in
            counts[place] == most
                || written.contains { $0.days[place] != nil && $0.days[chosen] == nil }
        }
        let example = written.first { cell in
            cell.days[chosen] != nil
                && rivals.contains {
                    cell.days[$0] != nil && cell.days[$0] != cell.days[chosen]
                }
        }
        guard let example else { return allCases[chosen] }
        let possible = allCases.indices.filter { place in
            place == chosen || rivals.contains(place) && example.days[place] != nil
        }
        throw ImportError(
            line: example.line, "the day \(example.text) can be read in two ways",
            hint: "choose the format of days, "
                + possible.map { allCases[$0].pattern }.joined(separator: " or "))
    }

    /// What to type instead of a text that is no day in this format.
    func hint(insteadOf text: String?) -> String {
        let isOther = text.map { text in
            Self.allCases.contains { DayCell(text, $0) != nil }
        }
        return "type a day as \(pattern)"
            + (isOther == true ? ", as the days of this file are read" : "")
    }
}
