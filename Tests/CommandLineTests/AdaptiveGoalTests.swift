import Foundation
import MacrologJSON
import Testing

/// Goal: a goal that follows the body is computed from what people recorded, through the program.
/// Method: six weeks of meals and weights, made so that the answer is known, come in as CSV files.
@Suite struct AdaptiveGoalTests {
    /// 45 days to 2024-03-10 of 2,000 kcal each, while a body of 80 kg loses 60 g a day: it uses
    /// 2,000 kcal + 0.06 kg × 7,700 kcal/kg = 2,462 kcal a day.
    static func computer() throws -> Computer {
        let computer = try Computer()
        var meals = "date,name,kcal\n"
        var weights = "date,kg\n"
        let calendar = Calendar(identifier: .gregorian)
        let format = Date.ISO8601FormatStyle(timeZone: .gmt).year().month().day()
        let end = try Date("2024-03-10", strategy: format)
        for back in 0..<45 {
            let day = try #require(calendar.date(byAdding: .day, value: -back, to: end))
            let text = day.formatted(format)
            meals += "\(text),Breakfast,800\n\(text),Dinner,1200\n"
            let hundredths = 8_000 + 6 * back
            weights += "\(text),\(hundredths / 100).\(String(100 + hundredths % 100).dropFirst())\n"
        }
        try meals.write(
            to: computer.folder.appending(path: "meals.csv"), atomically: true, encoding: .utf8)
        try weights.write(
            to: computer.folder.appending(path: "weights.csv"), atomically: true, encoding: .utf8)
        for words in [
            "import csv meals.csv --map date=date,name=name,energy=kcal",
            "import csv weights.csv --map date=date,weight=kg",
            "profile set --sex male --height 180 --birth 1990-05-17 --activity light",
            "goal set --mode adaptive --adjust -400 --date 2024-03-10",
        ] {
            let result = try computer.run(Transcript.words("macrolog " + words))
            #expect(result.status == 0, "\(words): \(result.errors)")
        }
        return computer
    }

    @Test func `a month of meals and weights tells what a body uses, and the goal follows`() throws
    {
        let computer = try Self.computer()
        let told = try computer.run(["tdee", "2024-03-10", "--explain"]).output
        #expect(told.contains("2,000 kcal on average of 28 days with enough records"))
        #expect(told.contains("-0.4 kg a week, from 28 weigh-ins"))
        #expect(told.contains("(high confidence)"))
        let estimate = try JSON.parse(
            Array(try computer.run(["tdee", "2024-03-10", "--json"]).output.utf8))
        let energy = try #require(estimate["energy_kcal"]?.integer)
        // The trend lags a weight that has just begun to fall, by less in the sixth week.
        #expect(abs(energy - 2_462) <= 30, "\(energy)")
        let targets = try computer.run(["targets", "2024-03-10", "--explain"]).output
        #expect(targets.contains("Expenditure: 2,000 kcal eaten + 0.0"))
        #expect(targets.contains("at most  \(grouped(Int(energy) - 400)) kcal"), "\(targets)")
    }

    @Test func `without records it follows the equation and says why`() throws {
        let computer = try Computer()
        for words in [
            "init --sex male --height 180 --birth 1990-05-17 --weight 80kg --date 2024-03-10",
            "goal set --mode adaptive --date 2024-03-10",
        ] { #expect(try computer.run(Transcript.words("macrolog " + words)).status == 0) }
        let told = try computer.run(["targets", "2024-03-10"]).output
        #expect(told.contains("2,118 kcal"))
        #expect(told.contains("unknown, the last 28 days have only "))
        let estimate = try computer.run(["tdee", "2024-03-10", "--json"]).output
        #expect(estimate.contains("\"energy_kcal\": null"))
        // The same equation as that of `tdee`: 1,765 kcal at rest × 1.375.
        #expect(try computer.run(["profile", "set", "--activity", "light"]).status == 0)
        let equation = try computer.run(["tdee", "2024-03-10"]).output
        #expect(equation.contains("About 2,427 kcal a day by the equation"), "\(equation)")
        let light = try computer.run(["targets", "2024-03-10", "--explain"]).output
        #expect(light.contains("2,427 kcal"), "\(light)")
        #expect(light.contains("(resting energy × 1.375 for light activity + change)"), "\(light)")
    }

    private func grouped(_ number: Int) -> String {
        "\(number / 1_000)," + String(1_000 + number % 1_000).dropFirst()
    }
}
