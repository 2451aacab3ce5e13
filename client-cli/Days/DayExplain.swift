import MacrologArgumentParsing
import MacrologTerminal
import MacrologJSON
import Macrolog
import MacrologFaces

/// `day show --explain`: under each total, the events that it comes from.
struct DayExplain {
    static let flag = Parameter.flag("explain", "Show the events that each total comes from.")

    let explanations: [Explanation]
    let notation: Notation
    let device: Identifier

    /// `Energy   820 kcal = Oats 380 (a3 added) + Soup 440 (a4 added, b1 edited)`, then the events.
    func lines(_ shown: Shown, _ style: Style, width: Int) -> [String] {
        let main = explanations.filter { Nutrient.main.contains($0.nutrient) }
        guard !main.isEmpty else { return [style.paint("No total to explain.", .dim)] }
        var notation = notation
        var lines: [String] = []
        for explanation in main {
            let nutrient = explanation.nutrient
            let parts = explanation.parts.map { part in
                let events = part.events.map { "\(notation.write($0.event.dot)) \($0.word)" }
                return "\(printable(part.meal.title)) \(shown.amount(part.amount, of: nutrient)) "
                    + "(\(events.joined(separator: ", ")))"
            }
            let text =
                shown.amountWithUnit(explanation.total, of: nutrient) + " = "
                + parts.joined(separator: " + ")
            for (index, line) in wrapped(text, to: width - 9).enumerated() {
                let name = index == 0 ? nutrient.formatted.capitalised : ""
                lines.append(style.paint(padded(name, to: 9), .bold) + line)
            }
        }
        return lines + [""] + table(main, &notation).lines(style: style, width: width)
    }

    private func table(_ explanations: [Explanation], _ notation: inout Notation) -> Table {
        var table = Table(
            Table.Column("event"), Table.Column("what"), Table.Column("recorded"),
            Table.Column("device"))
        let events = Set(explanations.flatMap(\.parts).flatMap(\.events))
        for logged in events.sorted(by: LoggedEvent.precedes) {
            let event = logged.event
            let name = notation.name(of: event.dot.device)
            table.add(
                Table.Cell(notation.write(event.dot), .bold), Table.Cell(event.type.string),
                Table.Cell(localTimeText(event.wall), .dim),
                Table.Cell(event.dot.device == device ? "\(name), this one" : name))
        }
        return table
    }
}

extension LoggedEvent {
    /// The action: `edited` of `meal.edited`.
    fileprivate var word: String {
        event.type.string.split(separator: ".").last.map { printable(String($0)) } ?? ""
    }
}
