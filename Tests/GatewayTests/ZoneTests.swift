import MacrologHTTP
import MacrologJSON
import Testing

/// Goal: what a body says of when something was is taken as a whole: its zone decides offset and day.
/// Method: meals are sent with some of the members that say when, and what is shown is compared.
@Suite struct ZoneTests {
    private let evening: JSON = "2026-11-20T23:30:00Z"

    private func added(_ client: Client, _ body: JSON) throws -> JSON {
        client.get("/api/v1/meals/\(try client.addMeal(body))").json
    }

    @Test func `null in what is new is as left out, also of what says when it was`() throws {
        let client = try GatewayWorld().logIn()
        for body in [
            ["name": "Soup", "occurred_at": .null],
            ["name": "Soup", "day": .null, "zone": .null, "utc_offset_min": .null],
            ["name": "Soup", "zone": "Asia/Tokyo"],
        ] as [JSON] {
            let meal = try added(client, body)
            for member in ["occurred_at", "consumed_at", "slot", "utc_offset_min"] {
                #expect(meal[member] ?? .null != .null, "\(member): \(meal.compact)")
            }
            #expect(meal["consumed_at"] == meal["occurred_at"])
        }
        let day = try added(client, ["name": "Soup", "day": "2026-11-20", "occurred_at": .null])
        #expect(day["day"] == "2026-11-20" && day["occurred_at"] == JSON.null, "\(day.compact)")
    }

    @Test func `a zone without an offset decides the offset, and the day that is not sent`() throws
    {
        let client = try GatewayWorld().logIn()
        let body: JSON = ["name": "Soup", "occurred_at": evening, "zone": "Asia/Tokyo"]
        let tokyo = try added(client, body)
        #expect(tokyo["day"] == "2026-11-21" && tokyo["utc_offset_min"] == 540, "\(tokyo.compact)")
        #expect(tokyo["slot"] == "breakfast" && tokyo["zone"] == "Asia/Tokyo")
        let given = try added(
            client,
            [
                "name": "Soup", "day": "2026-11-20", "occurred_at": evening, "zone": "Asia/Tokyo",
                "utc_offset_min": 480,
            ])
        #expect(given["day"] == "2026-11-20" && given["utc_offset_min"] == 480)
        let only = try added(client, ["name": "Soup", "day": "2026-11-20", "zone": "Asia/Tokyo"])
        #expect(only["day"] == "2026-11-20" && only["occurred_at"] == JSON.null)

        // The day of the person may begin after midnight.
        let start = client.call("PATCH", "/api/v1/preferences", ["day_start": "08:00"])
        #expect(start.status == 200, "\(start.text)")
        let night: JSON = [
            "name": "Soup", "occurred_at": "2026-11-20T22:30:00Z", "zone": "Asia/Tokyo",
        ]
        #expect(try added(client, night)["day"] == "2026-11-20")
    }

    @Test func `another zone moves no instant, and the same one changes nothing`() throws {
        let client = try GatewayWorld().logIn()
        let id = try client.addMeal([
            "name": "Soup", "occurred_at": evening, "consumed_at": "2026-11-20T23:50:00Z",
            "day": "2026-11-20", "zone": "Asia/Tokyo",
        ])
        let path = "/api/v1/meals/\(id)"
        let before = client.get(path).json
        #expect(client.call("PATCH", path, ["zone": "Asia/Tokyo"]).json == before)
        let moved = client.call("PATCH", path, ["zone": "Europe/Zurich"]).json
        #expect(moved["day"] == "2026-11-21" && moved["utc_offset_min"] == 60, "\(moved.compact)")
        for member in ["occurred_at", "consumed_at"] { #expect(moved[member] == before[member]) }
    }
}
