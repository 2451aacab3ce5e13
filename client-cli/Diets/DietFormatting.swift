import MacrologArgumentParsing
import MacrologTerminal
import Macrolog
import MacrologFaces

// A diet score as text.

/// The diet that scores are for.
struct FollowedDiet {
    let type: DietType
    let shares: MacroShares?

    /// The diet of the profile, or the typed one.
    init(_ typed: DietType?, _ arguments: ParsedArguments, _ home: inout Home) throws {
        let profile = try home.replica.read { try $0.profile() }
        guard let type = typed ?? profile.dietType else {
            throw CommandError(
                .noInput, "\(arguments.command): no diet is set: macrolog diet set balanced")
        }
        self.type = type
        shares = profile.customMacroShares
    }

    static let option = Parameter.option(
        "diet", .word(DietType.self), "Score for this diet instead of the one you follow.")

    /// `mediterranean`, `low-carb`, `custom (40/30/30)`
    var formatted: String {
        let name = type.name.string.map { $0 == "_" ? "-" : $0 }
        guard type == .custom, let shares else { return String(name) }
        return "\(String(name)) (\(shares.typed))"
    }
}

extension DietScore.Band {
    var paint: Paint {
        switch self {
        case .green: .green
        case .yellow: .yellow
        case .red: .red
        }
    }
}

extension DietScore {
    /// ` 91  green   ██████████` without the name of the meal or day.
    func cells(_ style: Style) -> (score: String, bar: String) {
        guard let score else { return ("  –", String(repeating: " ", count: 10)) }
        let band = Band(score)
        let number = String(repeating: " ", count: max(0, 3 - "\(score)".utf8.count)) + "\(score)"
        return (
            style.paint(number, band.paint, .bold),
            style.paint(bar(Int64(score), of: 100, width: 10, style: style), band.paint)
        )
    }
}

extension Int? {
    /// Points as a cell of a table, in the color of their band.
    var cell: Table.Cell {
        map { Table.Cell("\($0)", DietScore.Band($0).paint) } ?? Table.Cell("–", .dim)
    }
}

extension ScoredMeal {
    /// One line, and with `explains` also the reasons.
    func lines(_ id: String, _ style: Style, width: Int, explains: Bool) -> [String] {
        let (number, drawn) = score.cells(style)
        let date = "\(meal.meal.localDate.day.short) \(meal.meal.localDate.clock)"
        let room = width - 4 - 10 - 2 - 17 - 2 - displayWidth(id)
        let name = padded(truncated(printable(meal.title), to: room, style: style), to: room)
        var lines = [
            "\(number) \(drawn)  \(padded(date, to: 17))\(name)  \(style.paint(id, .dim))"
        ]
        guard explains || score.score == nil else { return lines }
        let reasons = score.explanation.joined(separator: "; ")
        let trust = score.score == nil ? "" : " (\(score.confidence.name) confidence)"
        lines += wrapped(reasons + trust, to: width - 16).map {
            String(repeating: " ", count: 16) + style.paint($0, .dim)
        }
        return lines
    }
}

/// Hundredths of a point as `78.5`.
func points(_ hundredths: Int64) -> String {
    Display.decimal(hundredths, scale: 100, places: 1)
}
