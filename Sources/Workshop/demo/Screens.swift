import MacrologArgumentParsing
import MacrologTerminal
import Foundation
import MacrologJSON

/// The screens of two devices, next to each other.
struct Screens {
    let phone: Device
    let laptop: Device
    let style: Style
    let width: Int

    private func beside(_ left: [String], _ right: [String]) {
        for line in sideBySide(
            (title: "phone", lines: left), (title: "laptop", lines: right), width: width,
            style: style)
        {
            print(line)
        }
        print("")
    }

    /// The meals of a day and their sums.
    func day(_ date: String) throws {
        beside(try dayLines(phone, date), try dayLines(laptop, date))
    }

    private func dayLines(_ device: Device, _ date: String) throws -> [String] {
        let meals = try device.json(["meal", "list", "--date", date]).array ?? []
        var lines = meals.map { meal in
            let numbers = meal["totals"]?["sums"]
            return row(
                [
                    meal["name"]?.string ?? "", number(numbers?["energy_kcal"]),
                    number(numbers?["protein_g"]), number(numbers?["carbs_g"]),
                    meal["consumed"]?.bool == true ? "eaten" : "planned",
                ])
        }
        let sums = try device.json(["day", "show", "--date", date])["totals"]?["sums"]
        lines.insert(row(["", "kcal", "P g", "C g", ""]), at: 0)
        lines.append(
            row([
                "Total eaten", number(sums?["energy_kcal"]), number(sums?["protein_g"]),
                number(sums?["carbs_g"]), "",
            ]))
        return lines
    }

    /// The trend of the weigh-ins.
    func trend(at moment: String) throws {
        beside(try trendLines(phone, moment), try trendLines(laptop, moment))
    }

    private func trendLines(_ device: Device, _ moment: String) throws -> [String] {
        let trend = try device.json(["weight", "trend", "--at", moment])
        let days = trend["days"]?.array ?? []
        return days.map { day in
            let (weight, smooth) = (tenths(day["weight_kg"]), tenths(day["trend_kg"]))
            return "\(day["day"]?.string ?? "")  \(weight) kg  trend \(smooth) kg"
        }
    }

    /// The conflicts between devices, and the vector clocks that decided.
    func conflicts() throws {
        beside(try conflictLines(phone), try conflictLines(laptop))
    }

    private func conflictLines(_ device: Device) throws -> [String] {
        // The sealed times differ from run to run, and the vector clocks are what decided.
        var cut = Int.max
        return try device.run(["conflicts", "list"])
            .split(separator: "\n", omittingEmptySubsequences: false).map { line in
                if let sealed = line.range(of: "  sealed") {
                    cut = line.distance(from: line.startIndex, to: sealed.lowerBound)
                }
                if line.isEmpty { cut = Int.max }
                return String(line.prefix(cut))
            }
    }

    private func row(_ cells: [String]) -> String {
        let widths = [14, 6, 6, 6, 8]
        return zip(cells, widths).enumerated().map { index, cell in
            let text = truncated(cell.0, to: cell.1, style: style)
            let space = String(repeating: " ", count: max(0, cell.1 - displayWidth(text)))
            return index == 0 ? text + space : space + text
        }.joined(separator: " ")
    }

    private func tenths(_ value: JSON?) -> String {
        let digits = number(value)
        return Double(digits).map { String(format: "%.1f", $0) } ?? digits
    }

    private func number(_ value: JSON?) -> String {
        switch value {
        case .integer(let number)?: String(number)
        case .number(let digits)?: digits
        default: "–"
        }
    }
}
