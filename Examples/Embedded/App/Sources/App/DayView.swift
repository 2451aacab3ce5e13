import Macrolog
import StandInUI

/// A day on a screen. Text, Shape, View, State and Binding are meant as SwiftUI means them.
struct DayView: View {
    @State var title = "Today"
    let report: DayReport
    let conflicts: Int

    var lines: [String] {
        let divider: any Shape = Rectangle()
        var parts: [any View] = [Title(text: $title), divider]
        for detail in report.meals { parts.append(MealRow(detail: detail)) }
        parts.append(divider)
        parts.append(Text(total))
        if conflicts > 0 { parts.append(Text("\(conflicts) conflicts to look at")) }
        return parts.flatMap(\.lines)
    }

    private var total: String {
        guard let energy = report.summary.totals[.energy] else { return "nothing known" }
        return "\(energy / 1_000) kcal of \(report.meals.count) meals"
    }
}

private struct Title: View {
    @Binding var text: String

    var lines: [String] { Text(text).lines }
}

private struct MealRow: View {
    let detail: MealDetail

    var lines: [String] {
        let energy = detail.totals[.energy].map { "\($0 / 1_000) kcal" } ?? "unknown"
        let items = detail.items.map { Text("  with \($0.name ?? "something")") }
        return Text("\(detail.title): \(energy)").lines + items.flatMap(\.lines)
    }
}

extension MealDetail {
    /// What the meal is called.
    var title: String { meal.dishName ?? "Meal" }
}
