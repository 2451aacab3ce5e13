import Dispatch
import Foundation
import MacrologEngine
import MacrologEvents
import MacrologWire
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: what the gateway keeps is a cache, and losing it loses nothing: an account has one device of it, other accounts
/// see nothing, and a deleted account leaves nothing.
/// Method: sequences over several people, restarts and deleted folders; the device list and the folder are
/// looked at afterwards.
@Suite struct PersonTests {
    private func devices(_ client: Client) -> [String] {
        (client.get("/v1/devices").json["devices"]?.array ?? []).compactMap { $0["name"]?.string }
    }

    @Test func `an account has one device of the web interface, whatever happens`() throws {
        let scratch = ScratchFolder()
        for _ in 0..<3 {
            let world = try GatewayWorld(in: scratch)
            let client = try world.logIn()
            _ = try client.addMeal(["name": "Soup"])
            #expect(client.get("/api/v1/day").status == 200)
            #expect(devices(client).filter { $0 == "web and API" }.count == 1)
            world.stop()
            Files.removeAll(world.folder)
        }
        let world = try GatewayWorld(in: scratch)
        let client = try world.logIn()
        #expect(client.get("/api/v1/meals").json.array?.count == 3)
        #expect(devices(client).filter { $0 == "web and API" }.count == 1)
    }

    @Test func `a session of the web interface that its owner ends begins again`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup"])
        #expect(client.call("DELETE", "/v1/devices").status == 204)
        #expect(!devices(client).contains("web and API"))
        _ = try client.addMeal(["name": "Bread"])
        #expect(client.get("/api/v1/meals").json.array?.count == 2)
        #expect(devices(client).filter { $0 == "web and API" }.count == 1)
        #expect(world.notes.isEmpty)
    }

    @Test func `one person sees, changes and deletes nothing of another`() throws {
        let world = try GatewayWorld()
        let ana = try world.logIn()
        let id = try ana.addMeal(["name": "Soup"])
        let ben = try world.logIn("ben@example.org")
        #expect(ben.get("/api/v1/meals").json.array?.isEmpty == true)
        for (method, path) in [
            ("GET", ""), ("PATCH", ""), ("DELETE", ""), ("POST", "/consume"), ("POST", "/restore"),
        ] {
            let answer = ben.call(
                method, "/api/v1/meals/\(id)\(path)", method == "PATCH" ? ["note": "x"] : nil)
            #expect(answer.status == 404, "\(method) \(path): \(answer.text)")
        }
        #expect(ana.get("/api/v1/meals/\(id)").json["note"] == .null)
    }

    @Test func `a logged-out token opens nothing`() throws {
        let client = try GatewayWorld().logIn()
        _ = try client.addMeal(["name": "Soup"])
        #expect(client.call("POST", "/v1/auth/logout").status == 204)
        #expect(client.get("/api/v1/day").status == 401)
        #expect(Client(world: client.world, token: nil).get("/api/v1/day").status == 401)
    }

    @Test func `a deleted account leaves no replica`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup"])
        _ = try world.logIn("ben@example.org").addMeal(["name": "Bread"])
        #expect(Files.names(in: world.folder).count == 2)
        let answer = client.call(
            "POST", "/v1/account/delete", ["password": .string(GatewayWorld.password)])
        #expect(answer.status == 204, "\(answer.text)")
        #expect(client.get("/api/v1/day").status == 401)
        #expect(eventually { Files.names(in: world.folder).count == 1 })
    }

    @Test func `more people than replicas may be open are all served`() throws {
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.replicasMax = 2
        }
        let clients = try (1...5).map { try world.logIn("p\($0)@example.org") }
        for round in 1...3 {
            for client in clients {
                _ = try client.addMeal(["name": "Soup"])
                #expect(client.get("/api/v1/meals").json.array?.count == round)
            }
        }
        #expect(world.gateway.openReplicas <= 2)
        #expect(world.notes.isEmpty)
    }

    @Test func `with few descriptors fewer replicas are open, and at least one`() {
        for replicas in [1, 5, 256, 10_000] {
            for count in 0...2_000 {
                var settings = GatewaySettings()
                settings.replicasMax = replicas
                let before = settings.descriptorsMax
                settings.fit(descriptors: count)
                #expect(settings.replicasMax >= 1 && settings.answersMax >= 4)
                #expect(settings.descriptorsMax <= max(count, 8))
                #expect(settings.descriptorsMax <= before)
                #expect(count < before || settings.descriptorsMax == before)
            }
        }
    }

    @Test(arguments: [0, 100, 5_000])
    func `a damaged replica is made again, and nothing is lost`(place: Int) throws {
        let scratch = ScratchFolder()
        let first = try GatewayWorld(in: scratch)
        let id = try first.logIn().addMeal(["name": "Soup"])
        first.stop()
        let name = try #require(Files.names(in: first.folder).first)
        let folder = "\(first.folder)/\(name)"
        // The last thread that used the replica closes it, and closing moves the WAL into the file.
        let isClosed = eventually { !Files.exists("\(folder)/log.db-wal") }
        try #require(isClosed, "\(Files.names(in: folder))")
        let file = URL(filePath: "\(folder)/log.db")
        var bytes = try Data(contentsOf: file)
        try #require(bytes.count >= place + 3_000)
        for index in place..<place + 3_000 { bytes[index] ^= 0x55 }
        try bytes.write(to: file)
        let world = try GatewayWorld(in: scratch)
        let client = try world.logIn()
        #expect(client.get("/api/v1/meals/\(id)").json["name"]?.string == "Soup")
        _ = try client.addMeal(["name": "Bread"])
        #expect(client.get("/api/v1/meals").json.array?.count == 2)
    }

    @Test
    func `what is not the gateway's in its folder stays, and a folder open to others is refused`()
        throws
    {
        let scratch = ScratchFolder()
        let first = try GatewayWorld(in: scratch)
        _ = try first.logIn().addMeal(["name": "Soup"])
        let files = FileManager.default
        for name in ["mine/photos", "7-notes"] {
            try files.createDirectory(
                atPath: "\(first.folder)/\(name)", withIntermediateDirectories: true)
        }
        try Data("x".utf8).write(to: URL(filePath: "\(first.folder)/notes.txt"))
        _ = try GatewayWorld(in: scratch).logIn()
        for name in ["mine/photos", "7-notes", "notes.txt"] {
            #expect(files.fileExists(atPath: "\(first.folder)/\(name)"), "\(name)")
        }
        try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: first.folder)
        #expect(throws: SystemError.self) { try GatewayWorld(in: scratch) }
    }

    @Test func `a meal that is too long for one event is refused whole`() throws {
        let client = try GatewayWorld().logIn()
        let note = String(repeating: "ä", count: 1_900)
        let long: JSON = [
            "note": .string(note),
            "items": .array((0..<100).map { _ in ["name": .string(String(note.prefix(100)))] }),
            "tags": .array((0..<50).map { .string("\($0)") }),
        ]
        let answer = client.call("POST", "/api/v1/meals", long)
        #expect([201, 413].contains(answer.status), "\(answer.text)")
        let count = client.get("/api/v1/meals").json.array?.count
        #expect(count == (answer.status == 201 ? 1 : 0))
    }

    @Test func `fifty people at once lose nothing`() throws {
        let world = try GatewayWorld()
        let clients = try (1...50).map { try world.logIn("p\($0)@example.org") }
        DispatchQueue.concurrentPerform(iterations: 200) { index in
            let answer = clients[index % 50].call(
                "POST", "/api/v1/meals", ["name": "Soup"],
                [HTTPField("idempotency-key", "\(index)")])
            if answer.status != 201 { Issue.record("\(answer.text)") }
        }
        for client in clients {
            #expect(client.get("/api/v1/meals").json.array?.count == 4)
        }
        #expect(world.notes.isEmpty)
    }

    @Test func `what an hour allows is counted for each account, and said`() throws {
        let world = try GatewayWorld { $0.requestsPerHour = 3 }
        let ana = try world.logIn()
        for left in [2, 1, 0] {
            #expect(ana.get("/api/v1/day").field("ratelimit-remaining") == "\(left)")
        }
        let refused = ana.get("/api/v1/day")
        #expect(refused.status == 429)
        #expect(refused.field("retry-after") != nil)
        #expect(refused.field("ratelimit-limit") == "3")
        #expect(try world.logIn("ben@example.org").get("/api/v1/day").status == 200)
        #expect(ana.get("/openapi.json").status == 200)
    }

    @Test func `what is refused counts, and says what is left`() throws {
        let world = try GatewayWorld { $0.requestsPerHour = 6 }
        let ana = try world.logIn()
        func left(_ answer: HTTPResponse) -> [String] {
            answer.fields.filter { $0.name == "ratelimit-remaining" }.map(\.value)
        }
        let wrong = ana.call("POST", "/api/v1/water", ["volume_ml": "much"])
        #expect(wrong.status == 422 && left(wrong) == ["5"], "\(wrong.text)")
        let untyped = ana.raw("/api/v1/water", [], type: "text/plain")
        #expect(untyped.status == 415 && left(untyped) == ["4"], "\(untyped.text)")
        let photo = ana.send("/photos", [("image", PNGSample.file())])
        #expect(photo.status == 201 && left(photo) == ["3"], "\(photo.text)")
        let noPhoto = ana.send("/photos", [("image", [1, 2, 3])])
        #expect(noPhoto.status == 422 && left(noPhoto) == ["2"], "\(noPhoto.text)")
        let events = [HTTPField("accept", "text/event-stream")]
        let live = ana.call("GET", "/api/v1/day", nil, events)
        #expect(live.status == 200 && left(live) == ["1"])
        live.stream?.end()
        #expect(left(ana.call("GET", "/api/v1/meals/\(APIRoutes.exampleID)")) == ["0"])
        #expect(left(ana.get("/api/v1/day")) == ["0"])
    }
}
