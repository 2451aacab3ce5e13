public import MacrologEvents
import Macrolog
public import MacrologNutrition

/// How a file is to be read, where it does not say so itself. Nothing is guessed.
public struct ImportOptions: Sendable {
    /// Between fields: a comma, a semicolon, a tab.
    public var delimiter = UInt8(ascii: ",")
    /// Whether the first row names the columns.
    public var hasHeader = true
    /// The file's decimal mark; `auto` refuses numbers that could be read in two ways.
    public var decimalMark = DecimalMark.auto
    /// How days are written.
    public var dateFormat = DateFormat.iso
    /// The unit of energy in cells that name none.
    public var energyUnit = EnergyUnit.kilocalories
    /// The unit of body mass in cells that name none.
    public var weightUnit = WeightUnit.kilograms
    /// Only rows in which a column holds a value are imported; the others are counted.
    public var filter: RowFilter?
    /// The zone that the file's times were lived in.
    public var zone = ImportZone.system

    /// A comma-separated file with a header, ISO dates, kilocalories and kilograms.
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

    /// The pattern as people write it: `MM/DD/YYYY`.
    public var pattern: String {
        switch self {
        case .iso: "YYYY-MM-DD"
        case .american: "MM/DD/YYYY"
        case .european: "DD.MM.YYYY"
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
