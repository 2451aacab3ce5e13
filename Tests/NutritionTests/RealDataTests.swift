import MacrologEvents
import Foundation
import MacrologNutrition
import Testing

/// Real data outside the repository: `MACROLOG_TEST_DATA`, else `../shared/data`.
enum SharedData {
    static func lines(_ path: String) -> [String]? {
        let folder = ProcessInfo.processInfo.environment["MACROLOG_TEST_DATA"] ?? "../shared/data"
        guard let text = try? String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) else {
            return nil
        }
        return text.split(whereSeparator: \.isNewline).map(String.init)
    }

    /// The fields of a line, with quotes.
    static func fields(_ line: String) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }

    static let weights = lines("fitbit-cc0/weightLogInfo_merged.csv")
    static let foods = lines("usda_sr28_foods.csv")
}

@Suite struct RealDataTests {
    @Test(.enabled(if: SharedData.weights != nil, "the shared weigh-ins are not here"))
    func `thirty real weigh-ins end at 61.6262 kg and lose 0.0352 kg a week`() throws {
        var readings: [WeightTrend.Sample] = []
        for line in try #require(SharedData.weights).dropFirst() {
            let fields = SharedData.fields(line)
            guard fields[0] == "6962181067" else { continue }
            let weight = try #require(
                try NumberReader(decimalMark: .point).read(fields[2] + " kg"))
            readings.append(
                WeightTrend.Sample(
                    id: Identifier(high: 0, low: UInt64(readings.count)),
                    day: try #require(Day(fields[1])), grams: try weight.whole(.gram)))
        }
        let trend = WeightTrend(readings)
        #expect(trend.points.count == 30)
        #expect(trend.points.first?.grams == 62_500)
        #expect(trend.points.last?.grams == 61_900)
        let last = try #require(trend.points.last).trendNanograms
        #expect(Display.decimal(last, scale: 1_000_000_000_000, places: 4) == "61.6262")
        let slope = try #require(trend.slopeMicrogramsPerWeek)
        #expect(Display.decimal(slope, scale: 1_000_000_000, places: 4) == "-0.0352")
    }

    @Test(.enabled(if: SharedData.foods != nil, "the shared foods are not here"))
    func `of 8789 real foods 45 have an energy that does not fit, and none breaks a bound`() throws
    {
        let lines = try #require(SharedData.foods)
        let header = SharedData.fields(lines[0])
        let columns: [(String, Nutrient, Measure)] = [
            ("energy_kcal", .energy, .kilocalorie), ("protein_g", .protein, .gram),
            ("carbs_g", .carbs, .gram), ("fat_g", .fat, .gram), ("fiber_g", .fiber, .gram),
            ("alcohol_g", .alcohol, .gram), ("water_g", .water, .gram),
            ("sodium_mg", .sodium, .milligram),
        ]
        let reader = NumberReader(decimalMark: .point)
        var (inconsistent, plainly, refused) = (0, 0, 0)
        var protein: Int64 = 0
        for line in lines.dropFirst() {
            let fields = SharedData.fields(line)
            var food = Food(id: Identifier(high: 0, low: 0), name: "food")
            for (column, nutrient, measure) in columns {
                let index = try #require(header.firstIndex(of: column))
                guard let quantity = try reader.read(fields[index]) else { continue }
                let unit: Measure =
                    switch nutrient.unit {
                    case .millikilocalories: .millikilocalorie
                    case .milligrams: .milligram
                    default: .nanogram
                    }
                food[nutrient] = try quantity.whole(unit, unitless: measure)
            }
            protein += food[.protein] ?? 0
            if Atwater.isInconsistent(food.nutrients, carbBasis: .total) == true {
                inconsistent += 1
            }
            let plain = Atwater.energy(
                protein: food[.protein] ?? 0, carbs: food[.carbs] ?? 0, fat: food[.fat] ?? 0,
                alcohol: food[.alcohol] ?? 0)
            let stated = food[.energy] ?? 0
            if abs(stated - plain) > max(20_000, stated / 5) { plainly += 1 }
            let findings = food.findings(today: .latest)
            if findings.contains(where: { $0.severity == .hard }) { refused += 1 }
        }
        #expect(lines.count == 8_790)
        #expect(inconsistent == 45)
        #expect(plainly == 87)
        #expect(refused == 0)
        #expect(protein == 99_716_620, "99716.62 g exactly, in any order")
    }
}
