import Macrolog
import MacrologDiary
import MacrologEngine
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologNutrition
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: a photo over REST keeps its bytes on the server until it is removed, and a list with it has a tag for a while.
/// Method: a clock that is moved, a collection of blobs, and a device that writes a photo as earlier servers did.
@Suite struct KeptPhotoTests {
    private let picture = PNGSample.file()
    private let minute: Int64 = 60_000

    private func send(_ client: Client, entry: String? = nil) throws -> String {
        let parts = [("image", picture)] + (entry.map { [("food_entry_id", Array($0.utf8))] } ?? [])
        let answer = client.send("/photos", parts.map { (name: $0.0, bytes: $0.1) })
        #expect(answer.status == 201, "\(answer.text)")
        return try #require(answer.json["id"]?.string)
    }

    /// How many photos a collection removes when all that is unused is old enough.
    private func collected(_ world: GatewayWorld, at now: Int64) -> Int {
        world.stopClock(at: now + BlobLimits.grace + minute)
        return world.server.collectBlobs().unreferenced
    }

    @Test(arguments: ["/food-entries", "/photos", "/food-logs"])
    func `a list with a photo is unchanged for the rest of a minute, and its address works`(
        path: String
    ) throws {
        let world = try GatewayWorld()
        let begun = SystemClock.wallMilliseconds / minute * minute
        world.stopClock(at: begun + 1)
        let ana = try world.logIn()
        let entry = ana.call("POST", "/food-entries", ["food_name": "Apple", "calories": 95])
        let photo = try send(ana, entry: try #require(entry.json["id"]?.string))
        let first = ana.get(path)
        #expect(first.text.contains("/photos/shown/"), "\(first.text)")
        let tag = [HTTPField("if-none-match", first.field("etag") ?? "")]
        world.stopClock(at: begun + minute)
        #expect(ana.call("GET", path, nil, tag).status == 304)
        let address = ana.get("/photos/\(photo)").json["storage_url"]?.string ?? ""
        let signed = address.split(separator: "/").last ?? ""
        world.stopClock(at: begun + minute + 1)
        let later = ana.call("GET", path, nil, tag)
        #expect(later.status == 200 && later.field("etag") != first.field("etag"))
        let anyone = Client(world: world, token: nil)
        world.stopClock(at: begun + minute + SyncServer.photoAddressMilliseconds - 1)
        #expect(anyone.get("/photos/shown/\(signed)").status == 200)
        world.stopClock(at: begun + minute + SyncServer.photoAddressMilliseconds)
        #expect(anyone.get("/photos/shown/\(signed)").status == 404)
    }

    @Test(arguments: [false, true])
    func `the bytes of a photo stay while it is there, and go when it was removed`(
        isRemoved: Bool
    ) throws {
        for hasEntry in [false, true] {
            let world = try GatewayWorld()
            let now = SystemClock.wallMilliseconds
            world.stopClock(at: now)
            let ana = try world.logIn()
            let photo = try send(ana)
            if hasEntry {
                let meal = try ana.addMeal(["name": "Soup"])
                #expect(try send(ana, entry: meal) == photo)
            }
            if isRemoved { #expect(ana.call("DELETE", "/photos/\(photo)").status == 204) }
            #expect(collected(world, at: now) == (isRemoved ? 1 : 0), "entry: \(hasEntry)")
        }
    }

    @Test func `a photo that a device removed from its meal is held by nothing else`() async throws
    {
        let world = try GatewayWorld()
        let now = SystemClock.wallMilliseconds
        world.stopClock(at: now)
        let ana = try world.logIn()
        let meal = try ana.addMeal(["name": "Soup"])
        let photo = try send(ana, entry: meal)
        let phone = try await world.device("phone")
        try await phone.sync()
        let id = try #require(Identifier(meal))
        let name = try #require(try phone.replica.require(Meal.self, id).photoHashes.first)
        try phone.replica.removePhoto(name, from: id)
        try await phone.sync()
        #expect(ana.get("/photos").json == [])
        #expect(ana.get("/photos/\(photo)").status == 404)
        #expect(collected(world, at: now) == 1)
    }

    @Test func `a removed photo that is sent again is held and shown again`() throws {
        let world = try GatewayWorld()
        let now = SystemClock.wallMilliseconds
        world.stopClock(at: now)
        let ana = try world.logIn()
        let photo = try send(ana)
        #expect(ana.call("DELETE", "/photos/\(photo)").status == 204)
        #expect(ana.get("/photos/\(photo)").status == 410)
        #expect(try send(ana) == photo)
        #expect(ana.get("/photos").json.array?.map { $0["id"] } == [.string(photo)])
        #expect(collected(world, at: now) == 0)
    }

    @Test func `a photo as earlier servers wrote it is shown, and can be removed`() async throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let phone = try await world.device("phone")
        let old = Photo(sha256: [UInt8](repeating: 7, count: 32), type: .png, bytes: 9)
        _ = try phone.replica.write { try $0.save(old) }
        try await phone.sync()
        #expect(Identifier(ana.get("/photos/\(old.id)").json["id"]?.string ?? "") == old.id)
        let listed = ana.get("/photos").json.array ?? []
        #expect(listed.map { Identifier($0["id"]?.string ?? "") } == [old.id])
        #expect(ana.call("DELETE", "/photos/\(old.id)").status == 204)
        #expect(ana.get("/photos/\(old.id)").status == 410)
    }
}
