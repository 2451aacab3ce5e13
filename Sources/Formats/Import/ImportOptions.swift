public import MacrologEvents
import Macrolog
public import MacrologNutrition

/// How a file is to be read, where it does not say so itself. What can be read in two ways is not guessed.
public struct ImportOptions: Sendable {
    /// Between fields: a comma, a semicolon, a tab; `nil` for the one that the first line shows.
    public var delimiter: UInt8?
    /// Whether the first row names the columns.
    public var hasHeader = true
    /// The file's decimal mark; `auto` refuses numbers that could be read in two ways, unless the other numbers show
    /// that their only sign groups digits.
    public var decimalMark = DecimalMark.auto
    /// How days are written; `nil` for the format that fits the most days of the file.
    public var dateFormat: DateFormat?
    /// The unit of energy in cells that name none; `nil` for that of the column's title, else the person's.
    public var energyUnit: EnergyUnit?
    /// The unit of body mass in cells that name none; `nil` for that of the column's title, else the person's.
    public var weightUnit: WeightUnit?
    /// Columns that mean nothing, by their titles or numbers from 1, whatever their titles say.
    public var skippedColumns: [String] = []
    /// Only rows in which a column holds a value are imported; the others are counted.
    public var filter: RowFilter?
    /// Whether rows come back that were imported before and that a person has deleted since.
    public var restoresDeleted = false
    /// The zone that the file's times were lived in.
    public var zone = ImportZone.system

    /// How days are read: as asked for, or as the rows show.
    var days: DateFormat { dateFormat ?? .iso }

    /// A file with a header, written as its rows show.
    public init() {}
}

/// How a file writes days. Field `--date-format`.
public enum DateFormat: Hashable, Sendable, CaseIterable {
    /// `YYYY-MM-DD`.
    case iso
    /// `MM/DD/YYYY`, with or without leading zeros.
    case american
    /// `DD.MM.YYYY`, with or without leading zeros.
    case european
    /// `DD/MM/YYYY`, with or without leading zeros.
    case british

    /// The pattern as people write it: `MM/DD/YYYY`.
    public var pattern: String {
        switch self {
        case .iso: "YYYY-MM-DD"
        case .american: "MM/DD/YYYY"
        case .european: "DD.MM.YYYY"
        case .british: "DD/MM/YYYY"
        }
    }

    /// The format of a pattern; `nil` for any other text.
    public init?(pattern: String) {
        guard let format = Self.allCases.first(where: { Cell.isAlike($0.pattern, pattern) })
        else { return nil }
        self = format
    }
}

/// Which rows are wanted: `Id=1503960366`.
public struct RowFilter: Hashable, Sendable {
    /// A header, or a column's number from 1.
    public var column: String
    /// What the cell must hold, byte by byte, but for spaces around it.
    public var value: String

    /// Pairs a column and a value.
    public init(column: String, value: String) {
        self.column = column
        self.value = value
    }

    /// Reads `COLUMN=VALUE`; `nil` for anything else.
    public init?(_ text: String) {
        guard let sign = text.firstIndex(of: "="), sign > text.startIndex else { return nil }
        self.init(
            column: Cell.trimmed(String(text[..<sign])),
            value: Cell.trimmed(String(text[text.index(after: sign)...])))
    }
}

/// A zone: when its clocks show a time of a day.
public struct ImportZone: Sendable {
    /// The IANA name, where known.
    public var name: UTF8Text?
    /// The instant, in milliseconds since 1970 UTC, of a minute of a day, 0 to 1,439; `nil` for a
    /// time that a change of the clocks skips.
    public var instant: @Sendable (_ day: Day, _ minuteOfDay: Int64) -> Int64?

    /// A zone from its name and its clocks.
    public init(name: UTF8Text?, instant: @escaping @Sendable (Day, Int64) -> Int64?) {
        self.name = name
        self.instant = instant
    }

    /// The day and the minute of it that the clocks show at an instant; `nil` outside of 1900 to 2200, and in
    /// the second of two hours that show the same times.
    func local(_ instant: Int64) -> (day: Day, minute: Int64)? {
        let minutes = instant >= 0 ? instant / 60_000 : (instant - 59_999) / 60_000
        // How far the clocks are ahead is known from a time that they show, and changes near it by an hour.
        for start in [0, 60, -60] as [Int64] {
            var ahead = start
            for _ in 0..<3 {
                guard let shown = Self.civil(minutes + ahead),
                    let shownAt = self.instant(shown.day, shown.minute)
                else { break }
                if shownAt == minutes * 60_000 { return shown }
                ahead += minutes - shownAt / 60_000
            }
        }
        return nil
    }

    private static func civil(_ minutes: Int64) -> (day: Day, minute: Int64)? {
        let number = minutes >= 0 ? minutes / 1_440 : (minutes - 1_439) / 1_440
        return Day(number: number).map { ($0, minutes - number * 1_440) }
    }

    /// The zone of this process.
    public static var system: ImportZone {
        ImportZone(name: LocalZone.system.name) { day, minute in
            LocalZone.system.instant(of: day, minuteOfDay: minute)
        }
    }

    /// A zone whose clocks never change.
    ///
    /// - Parameter offsetMinutes: What they are ahead of UTC.
    public static func fixed(offsetMinutes: Int64, name: UTF8Text? = nil) -> ImportZone {
        ImportZone(name: name) { day, minute in
            (day.number * 1_440 + minute - offsetMinutes) * 60_000
        }
    }
}
