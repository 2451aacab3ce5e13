import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: a photo over REST is a blob of the account like any other, and its address shows that photo, for ten minutes,
/// and nothing else.
/// Method: forms through the whole gateway, addresses changed letter by letter, and a device that syncs beside it.
@Suite struct PhotoTests {
    private let picture = PNGSample.file()

    private func send(_ client: Client, _ bytes: [UInt8], entry: String? = nil) -> HTTPResponse {
        let parts = [("image", bytes)] + (entry.map { [("food_entry_id", Array($0.utf8))] } ?? [])
        return client.send("/photos", parts.map { (name: $0.0, bytes: $0.1) })
    }

    /// What anyone gets at an address.
    private func open(_ world: GatewayWorld, _ address: String?) -> HTTPResponse {
        let signed = (address ?? "").split(separator: "/").last ?? ""
        return Client(world: world, token: nil).get("/photos/shown/\(signed)")
    }

    @Test func `a photo is kept, shown at an address without a token, and on other devices`()
        async throws
    {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let entry = ana.call(
            "POST", "/food-entries", ["food_name": "Apple", "calories": 95, "date": "2026-11-20"])
        let id = try #require(entry.json["id"]?.string)
        let kept = send(ana, picture, entry: id)
        #expect(kept.status == 201, "\(kept.text)")
        #expect(kept.json["food_entry_id"]?.string == id && kept.json["mime_type"] == "image/png")
        let address = try #require(kept.json["storage_url"]?.string)
        let shown = open(world, address)
        #expect(shown.status == 200 && shown.field("content-type") == "image/png", "\(shown.text)")
        #expect(shown.field("x-content-type-options") == "nosniff")
        // Sent twice, it is one photo, with a key and without; a browser takes another boundary each time.
        let again = send(ana, picture, entry: id)
        #expect(again.json["id"] == kept.json["id"])
        let retried = ana.send(
            "/photos", [("image", picture), ("food_entry_id", Array(id.utf8))],
            [HTTPField("idempotency-key", "p")], boundary: "----form8")
        #expect(retried.json["id"] == kept.json["id"], "\(retried.text)")
        let list = ana.get("/photos?from=2026-11-20&to=2026-11-20").json.array ?? []
        #expect(list.count == 1 && list[0]["id"] == kept.json["id"])
        #expect(ana.get("/api/v1/meals/\(id)").json["photos"]?.array?.count == 1)

        let phone = try await world.device("phone")
        try await phone.sync()
        let meal = try #require(Identifier(id))
        let name = try #require(try phone.replica.require(Meal.self, meal).photoHashes.first)
        #expect(try await phone.photo(name) == shown.whole.body)

        let photo = try #require(kept.json["id"]?.string)
        #expect(ana.call("DELETE", "/photos/\(photo)").status == 204)
        #expect(ana.get("/photos?from=2026-11-20&to=2026-11-20").json == [])
        let gone = ana.call("DELETE", "/photos/\(photo)")
        #expect(gone.status == 410 && gone.text.contains("POST /photos"), "\(gone.text)")
        #expect(ana.call("POST", "/api/v1/undo").status == 200)
    }

    @Test func `a photo may come before its entry`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let kept = send(ana, picture)
        #expect(kept.status == 201 && kept.json["food_entry_id"] == .null, "\(kept.text)")
        let id = try #require(kept.json["id"]?.string)
        #expect(ana.get("/photos/\(id)").json["mime_type"] == "image/png")
        let waiting = try #require(ana.get("/photos").json.array)
        #expect(
            waiting.map { $0["id"] } == [.string(id)] && waiting.first?["food_entry_id"] == .null)
        #expect(open(world, waiting.first?["storage_url"]?.string).status == 200)
        #expect(ana.get("/photos?from=1950-01-01&to=1950-12-31").json == [])
        let meal = try ana.addMeal(["name": "Soup"])
        #expect(send(ana, picture, entry: meal).json["id"]?.string == id)
        #expect(ana.get("/photos/\(id)").json["food_entry_id"]?.string == meal)
        #expect(ana.get("/photos").json.array?.map { $0["food_entry_id"] } == [.string(meal)])
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `an address shows one photo of one account for ten minutes`() throws {
        let world = try GatewayWorld()
        // An address ends with a whole minute.
        let now = SystemClock.wallMilliseconds / 60_000 * 60_000
        world.stopClock(at: now)
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let mine = try #require(send(ana, picture).json["storage_url"]?.string)
        let other = PNGSample.file(width: 3, height: 3)
        let hers = try #require(send(ben, other).json["storage_url"]?.string)
        #expect(open(world, mine).status == 200 && open(world, hers).status == 200)
        #expect(open(world, mine).whole.body != open(world, hers).whole.body)
        // Any other letter is no address, so neither time, photo nor account can be moved.
        let letters = Array(mine.utf8)
        let first = letters.count - 107
        for place in first..<letters.count {
            var changed = letters
            changed[place] =
                changed[place] == UInt8(ascii: "B") ? UInt8(ascii: "C") : UInt8(ascii: "B")
            let status = open(world, String(decoding: changed, as: UTF8.self)).status
            #expect(status == 404 || status == 400, "\(place - first)")
        }
        // The beginning of one with the end of the other.
        for cut in [11, 22, 64] {
            let mixed = mine.prefix(first + cut) + hers.suffix(107 - cut)
            #expect(open(world, String(mixed)).status == 404, "\(cut)")
        }
        world.stopClock(at: now + SyncServer.photoAddressMilliseconds - 1)
        #expect(open(world, mine).status == 200)
        world.stopClock(at: now + SyncServer.photoAddressMilliseconds)
        #expect(open(world, mine).status == 404)
    }

    @Test func `what is no photo, of no account or of another one is refused, and kept nowhere`()
        throws
    {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let meal = try ana.addMeal(["name": "Soup"])
        #expect(send(ben, picture, entry: meal).status == 404)
        #expect(send(ana, picture, entry: "x").json["pointer"] == "#/food_entry_id")
        #expect(send(ana, Array("<svg/>".utf8)).json["pointer"] == "#/image")
        #expect(ana.send("/photos", []).status == 422)
        #expect(ana.call("POST", "/photos", ["description": "soup"]).status == 422)
        #expect(send(ana.withToken("read"), picture).status == 403)
        #expect(send(Client(world: world, token: nil), picture).status == 401)
        #expect(ben.get("/photos?from=1950-01-01&to=1950-12-31").json == [])
        let id = try #require(send(ana, picture, entry: meal).json["id"]?.string)
        #expect(ben.get("/photos/\(id)").status == 404)
        #expect(ben.call("DELETE", "/photos/\(id)").status == 404)
        #expect(ana.get("/photos/\(id)").status == 200)
        for index in 1..<10 {
            let more = send(ana, PNGSample.file(width: 10 + UInt32(index), height: 7), entry: meal)
            #expect(more.status == 201, "\(more.text)")
        }
        #expect(send(ana, PNGSample.file(width: 40, height: 7), entry: meal).status == 409)
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `an analysed photo stays with its meal`() throws {
        let analysing = try AnalysingWorld([AnalysingWorld.answer()])
        let ana = try analysing.world.logIn()
        #expect(ana.agree() == 200)
        let made = ana.send("/api/analyze", [("image", picture)])
        #expect(made.status == 201, "\(made.text)")
        let id = try #require(made.json["id"]?.string)
        #expect(ana.get("/api/v1/meals/\(id)").json["photos"]?.array?.count == 1)
        let listed = ana.get("/photos").json.array?.first
        #expect(listed?["food_entry_id"]?.string == id)
        #expect(open(analysing.world, listed?["storage_url"]?.string).status == 200)
        // CarbCal's route keeps nothing.
        #expect(
            ana.send("/analyze-food-image", [("image", PNGSample.file(width: 5, height: 5))]).status
                == 200)
        #expect(ana.get("/photos").json.array?.count == 1)
    }
}
