import MacrologEvents
import MacrologFormats
import Macrolog
import MacrologNutrition
import Testing

extension HealthImportTests {
    private func bodyFat(_ time: String, _ value: String, unit: String = "%") -> String {
        record(
            "HKQuantityTypeIdentifierBodyFatPercentage", time, time,
            "unit=\"\(unit)\" value=\"\(value)\"")
    }

    private func weight(_ time: String) -> String {
        record("HKQuantityTypeIdentifierBodyMass", time, time, "unit=\"kg\" value=\"70\"")
    }

    @Test func `body fat is that of the weight of the same time, else an entry of its own`() throws
    {
        let world = try World()
        let (scale, alone) = ("2026-11-10 07:00:00", "2026-11-10 21:00:00")
        let weights = "<HealthData>" + weight(scale) + weight("2026-11-11 07:00:00")
        try run(world, weights + "</HealthData>")
        let text =
            weights + bodyFat(scale, "0.225") + bodyFat(alone, "0.2312") + bodyFat(alone, "0.3")
            + bodyFat("2026-11-11 07:00:00", "0.005") + bodyFat(scale, "12", unit: "g")
            + "</HealthData>"
        let (told, notices) = try run(world, text)
        #expect(
            told["body fat"]?.count == 3 && told["body fat"]?.contains("new") == true, "\(told)")
        #expect(notices.contains { $0.hasSuffix("1 left out") }, "\(notices)")
        // A share that cannot be true is refused by its line, and its weight is taken without it.
        let measured = try self.weights(world).sorted { $0.localDate.day < $1.localDate.day }
        #expect(measured.map(\.grams) == [70_000, 70_000])
        #expect(measured.map(\.bodyFatBasisPoints) == [2_250, nil])
        #expect(try shares(world) == [2_312])
        let again = try run(world, text).told
        #expect(
            again["weigh-ins"] == ["same", "same"] && again["body fat"]?.contains("same") == true)
        #expect(try shares(world) == [2_312])
    }

    private func shares(_ world: World) throws -> [Int64] {
        try world.replica.entities(BodyFat.self, on: day...day.advanced(by: 1)).map(\.basisPoints)
    }

    @Test func `a share of body fat is counted when its weight is refused, and then stays alone`()
        throws
    {
        let world = try World()
        let time = "2026-11-10 07:00:00"
        let refused = weight(time).replacing("\"70\"", with: "\"1\"")
        let told = try run(
            world, "<HealthData>" + refused + bodyFat(time, "0.225") + "</HealthData>"
        ).told
        #expect(told["body fat"] == ["new"], "\(told)")
        let again = try run(
            world, "<HealthData>" + weight(time) + bodyFat(time, "0.225") + "</HealthData>"
        ).told
        #expect(again["weigh-ins"] == ["new"] && again["body fat"] == ["same"], "\(again)")
        #expect(try weights(world).map(\.bodyFatBasisPoints) == [nil])
        #expect(try shares(world) == [2_250])
    }

    @Test func `body fat is an entry of its own when a weigh-in that never had it was deleted`()
        throws
    {
        let world = try World()
        let time = "2026-11-10 07:00:00"
        try run(world, "<HealthData>" + weight(time) + "</HealthData>")
        let id = try #require(try weights(world).first).id
        try world.replica.delete(WeighIn.self, id)
        let told = try run(
            world, "<HealthData>" + weight(time) + bodyFat(time, "0.225") + "</HealthData>"
        ).told
        #expect(told["weigh-ins"] == ["deleted"] && told["body fat"] == ["new"], "\(told)")
    }

    @Test func `body fat that a person cleared, or deleted with its weigh-in, stays away`() throws {
        let world = try World()
        let time = "2026-11-10 07:00:00"
        let text = "<HealthData>" + weight(time) + bodyFat(time, "0.225") + "</HealthData>"
        try run(world, text)
        let measured = try #require(try weights(world).first)
        #expect(measured.bodyFatBasisPoints == 2_250)
        var cleared = measured
        cleared.bodyFatBasisPoints = nil
        _ = try world.replica.save(cleared, since: measured)
        #expect(try run(world, text).told["weigh-ins"] == ["same"])
        #expect(try weights(world).map(\.bodyFatBasisPoints) == [nil])
        try world.replica.delete(WeighIn.self, measured.id)
        let told = try run(world, text).told
        #expect(told["weigh-ins"] == ["deleted"] && told["body fat"] == ["deleted"], "\(told)")
        #expect(try shares(world).isEmpty)
    }

    @Test func `body fat whose import was undone comes in again`() throws {
        let world = try World()
        let time = "2026-11-10 07:00:00"
        try run(world, "<HealthData>" + weight(time) + "</HealthData>")
        let text = "<HealthData>" + weight(time) + bodyFat(time, "0.225") + "</HealthData>"
        try run(world, text)
        _ = try world.replica.undo()
        #expect(try weights(world).map(\.bodyFatBasisPoints) == [nil])
        try run(world, text)
        #expect(try weights(world).map(\.bodyFatBasisPoints) == [2_250])
    }
}
