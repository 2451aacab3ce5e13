import MacrologEvents
import MacrologNutrition
import MacrologTerminal

/// A share as a picture of 1200 by 630 points, the size that pages show beside a link.
extension Share {
    /// The share as a picture of 1200 by 630 points.
    public var card: Picture {
        var picture = Picture(width: 12_000, height: 6_300, title: text())
        picture.add(Picture.Box(x: 0, y: 0, width: 12_000, height: 120), .first)
        picture.add(occasion, .quiet, size: 300, at: Self.at(1_120), widthMax: room)
        addTitle(to: &picture)
        addEnergy(to: &picture)
        addMacros(to: &picture)
        if let score { Self.add(score, to: &picture) }
        picture.add("Macrolog", .quiet, size: 280, isBold: true, .right, at: at(right: 5_960))
        picture.add(footnote, .quiet, size: 260, at: Self.at(5_960), widthMax: 8_000)
        return picture
    }

    private static let margin: Int64 = 720
    private static func at(_ y: Int64) -> Picture.Point { Picture.Point(margin, y) }
    private func at(right y: Int64) -> Picture.Point { Picture.Point(12_000 - Self.margin, y) }

    /// The width of what stands beside the score.
    private var room: Int64 { 12_000 - 2 * Self.margin - (score == nil ? 0 : 2_400) }

    /// `Lunch, Friday, 20 November 2026`
    private var occasion: String {
        switch kind {
        case .meal:
            let name = slot.map { Self.capitalised($0) + ", " } ?? ""
            return name + days.lowerBound.formatted
        case .day: return "What I ate"
        case .range: return "What I ate, on average"
        }
    }

    private static func capitalised(_ word: String) -> String {
        String(word.prefix(1)).asciiCapitals + word.dropFirst()
    }

    private var footnote: String {
        switch kind {
        case .meal: parts.count > 1 ? "\(parts.count + partsLeftOut) items" : ""
        case .day: mealsText
        case .range: "\(loggedDays ?? 0) of \(days.count) days with food"
        }
    }

    /// In one line where it fits, otherwise smaller, in two.
    private func addTitle(to picture: inout Picture) {
        let size: Int64 = displayWidth(title) * 375 <= room ? 600 : 480
        let columns = Int(room / (size * 5 / 8))
        for (line, index) in zip(Share.lines(title, columns: columns, at: 2), 0...) {
            picture.add(
                line, .ink, size: size, isBold: true,
                at: Self.at(1_980 + Int64(index) * (size + 100)), widthMax: room)
        }
    }

    private func addEnergy(to picture: inout Picture) {
        guard let energy = amounts[.energy] else {
            return picture.add("Energy unknown", .quiet, size: 560, at: Self.at(3_900))
        }
        let text = bound(.energy) + Share.energyText(energy, in: energyUnit)
        picture.add(
            "\(text) \(energyUnit.symbol)" + (kind == .range ? " a day" : ""), .ink, size: 920,
            isBold: true, at: Self.at(4_000), widthMax: 12_000 - 2 * Self.margin)
    }

    /// `≥ ` before a sum that some part does not know.
    private func bound(_ nutrient: Nutrient) -> String {
        incomplete.contains(nutrient) ? "≥ " : ""
    }

    /// Three columns: a name, an amount, and the share of the energy as a bar.
    private func addMacros(to picture: inout Picture) {
        let nutrients = MacroDistribution.nutrients
        let shares = distribution.map { [$0.protein, $0.carbs, $0.fat] }
        let colors: [Picture.Color] = [.first, .second, .third]
        for (nutrient, index) in zip(nutrients, 0...) {
            let left = Self.margin + Int64(index) * 3_600
            let name = Share.capitalised(nutrient.formatted)
            let share = shares.map { " · \($0[index]) %" } ?? ""
            picture.add(name + share, .quiet, size: 280, at: Picture.Point(left, 4_640))
            picture.add(
                amount(nutrient), .ink, size: 460, isBold: true,
                at: Picture.Point(left, 5_140), widthMax: 3_200)
            let track = Picture.Box(x: left, y: 5_340, width: 3_200, height: 120)
            picture.add(track, corner: 60, .grid)
            guard let percent = shares?[index], percent > 0 else { continue }
            let width = max(120, Int64(percent) * 32)
            picture.add(
                Picture.Box(x: left, y: 5_340, width: width, height: 120), corner: 60,
                colors[index])
        }
    }

    private var distribution: MacroDistribution? {
        guard let protein = amounts[.protein], let carbs = amounts[.carbs],
            let fat = amounts[.fat],
            MacroDistribution.nutrients.allSatisfy({ !incomplete.contains($0) })
        else { return nil }
        return MacroDistribution(protein: protein, carbs: carbs, fat: fat)
    }

    /// `9.5 g`, `24 g`, `≥ 24 g`, `unknown`
    private func amount(_ nutrient: Nutrient) -> String {
        guard let amount = amounts[nutrient] else { return "unknown" }
        let decimals = amount == 0 || amount >= 10_000 ? 0 : 1
        let number = NumberFormat.grouped.text(amount, scale: 3, decimals: decimals)
        return "\(bound(nutrient))\(number) g"
    }

    /// A ring with the points in it, and the diet below them.
    private static func add(_ score: Score, to picture: inout Picture) {
        let color: Picture.Color =
            switch DietScore.Band(score.points) {
            case .green: .good
            case .yellow: .fair
            case .red: .poor
            }
        let ring = Picture.Box(x: 9_280, y: 640, width: 2_000, height: 2_000)
        picture.add(ring, corner: 1_000, color)
        let inside = Picture.Box(x: 9_400, y: 760, width: 1_760, height: 1_760)
        picture.add(inside, corner: 880, .ground)
        picture.add(
            "\(score.points)", color, size: 720, isBold: true, .middle,
            at: Picture.Point(10_280, 1_820))
        let diet = String(score.diet.name.string.map { $0 == "_" ? "-" : $0 })
        picture.add(
            diet, .quiet, size: 220, .middle, at: Picture.Point(10_280, 2_160), widthMax: 1_500)
    }
}

extension Share {
    /// A text in lines of `columns` columns, broken at spaces, or within a word that is longer than a
    /// line; the last one ends with `…` if more would follow.
    static func lines(_ text: String, columns: Int, at linesMax: Int) -> [String] {
        var lines = wrapped(text, to: columns).flatMap { pieces($0, columns: columns) }
        guard lines.count > linesMax, let last = lines[..<linesMax].last else { return lines }
        lines = Array(lines[..<(linesMax - 1)])
        let hasRoom = displayWidth(last) < columns
        return lines + [hasRoom ? last + "…" : truncated(last, to: columns - 1, style: .plain)]
    }

    private static func pieces(_ line: String, columns: Int) -> [String] {
        guard displayWidth(line) > columns else { return [line] }
        var pieces = [""]
        var used = 0
        for character in line {
            let width = displayWidth(String(character))
            if used + width > columns {
                pieces.append("")
                used = 0
            }
            pieces[pieces.count - 1].append(character)
            used += width
        }
        return pieces
    }
}
