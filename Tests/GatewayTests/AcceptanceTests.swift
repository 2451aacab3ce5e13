import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologSystem
import Testing

/// The acceptance tests of the domain over REST, by their numbers, as far as no other suite has them: 1 is in
/// `LegacyAppTests` and `AnalysisTests`, 7 in `LegacyAppTests`, 18 in `ShareRouteTests`.
@Suite struct AcceptanceTests {
    @Test func `16: fibre that is unknown in one of four parts is known of three, and not zero`()
        throws
    {
        let client = try GatewayWorld().logIn()
        func part(_ name: String, _ fiber: JSON?) -> JSON {
            .object([
                JSON.Member("name", .string(name)),
                JSON.Member(
                    "nutrients",
                    .object(
                        [JSON.Member("energy_kcal", 100), JSON.Member("carbs_g", 20)]
                            + (fiber.map { [JSON.Member("fiber_g", $0)] } ?? []))),
            ])
        }
        let id = try client.addMeal([
            "name": "Bowl", "day": "2026-11-20",
            "items": .array([
                part("Beans", 7), part("Rice", 0), part("Maize", .number("2.5")),
                part("Sauce", nil),
            ]),
        ])
        let span = "from=2026-11-20&to=2026-11-20"
        let meal = client.get("/api/v1/meals/\(id)").json
        let day = client.get("/api/v1/day/2026-11-20").json
        for json in [meal, day] {
            #expect(json["totals"]?["part_count"] == 4, "\(json.compact)")
            #expect(json["totals"]?["parts_known"]?["fiber"] == 3)
            #expect(json["totals"]?["sums"]?["fiber_g"] == .number("9.5"))
            // Without the fibre of the sauce it is at most this.
            #expect(json["net_carbs"]?["upper_bound"] == true)
        }
        let shown = meal["items"]?.array?.map { $0["nutrients"]?["fiber_g"] }
        #expect(shown == [7, 0, .number("2.5"), .null])
        let stats = client.get("/api/v1/stats?\(span)").json
        let fiber = stats["averages"]?.array?.first { $0["nutrient"] == "fiber" }
        #expect(stats["entry_count"] == 4 && fiber?["entries_known"] == 3, "\(stats.compact)")
        let rows = client.get("/api/v1/export/meals.csv").whole.body.split(separator: 10).map {
            String(decoding: $0, as: UTF8.self).split(
                separator: ",", omittingEmptySubsequences: false
            ).map { $0.trimmingPrefix("\r") }
        }
        let column = rows.first?.firstIndex { $0.hasPrefix("fiber") }
        let cells = rows.dropFirst().map { row in column.map { String(row[$0]) } }
        #expect(cells.count == 4 && cells.contains("0") && cells.contains(""), "\(cells)")
        // What an app of an earlier system leaves out is unknown as well, though it reads it as 0.
        let entry = client.call(
            "POST", "/food-entries", ["food_name": "Apple", "calories": 95, "date": "2026-11-20"])
        #expect(entry.json["protein"] == 0, "\(entry.text)")
        let apple = client.get("/api/v1/meals/\(entry.json["id"]?.string ?? "")").json
        #expect(apple["totals"]?["sums"]?["protein_g"] == .null, "\(apple.compact)")
        let known = client.get("/api/v1/day/2026-11-20").json["totals"]
        #expect(known?["part_count"] == 5 && known?["parts_known"]?["fiber"] == 3)
    }

    /// How long they wait is measured by the benchmarks (row W).
    @Test func `17: of fifty people who write at once, no entry is lost or mixed up`() async throws
    {
        let world = try GatewayWorld()
        let people = 0..<50
        let clients = try people.map { try world.logIn("p\($0)@example.org") }
        let statuses = Monitor<[Int]>([])
        for index in 0..<10 {
            for (person, client) in clients.enumerated() {
                let body: JSON = ["name": .string("meal \(index) of \(person)")]
                world.send(client.request("POST", "/api/v1/meals", body)) { response in
                    statuses.withLock { $0.append(response.status) }
                    statuses.wakeOne()
                }
            }
        }
        let all = statuses.wait { $0.count == 500 ? $0 : nil }
        #expect(Set(all) == [201])
        for (person, client) in clients.enumerated() {
            let names = client.get("/api/v1/meals").json.array?.compactMap { $0["name"]?.string }
            #expect(
                Set(names ?? []) == Set((0..<10).map { "meal \($0) of \(person)" }), "\(person)")
            #expect(names?.count == 10)
        }
        let phone = try await world.device("phone", of: "p7@example.org")
        try await phone.sync()
        #expect(try phone.replica.read { try $0.latestEvents(100).count } == 10)
    }
}
