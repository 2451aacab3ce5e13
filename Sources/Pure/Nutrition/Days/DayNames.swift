/// Days in English: `Friday`, `20 November 2026`.
extension Day {
    /// `Friday, 20 November 2026`
    public var formatted: String { "\(weekdayName), \(dayOfMonth) \(formattedMonth)" }

    /// `Friday`
    public var weekdayName: String {
        let name = Day.weekdayNames[weekday - 1]
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    /// `Fri 20 Nov`
    public var short: String {
        "\(weekdayName.prefix(3)) \(dayOfMonth) \(Day.monthNames[month - 1].prefix(3))"
    }

    /// `November 2026`
    public var formattedMonth: String { "\(Day.monthNames[month - 1]) \(year)" }

    /// `monday` to `sunday`.
    public static let weekdayNames = [
        "monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday",
    ]

    /// The name of a stored number, 1 for `monday` to 7; the nearest day for any other.
    package static func weekdayName(ofNumber number: Int64) -> String {
        weekdayNames[Int(max(1, min(7, number))) - 1]
    }

    private static let monthNames = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
}
