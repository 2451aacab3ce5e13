import Foundation
import Macrolog
import MacrologEngine
import MacrologEvents
import MacrologFormats
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Synchronization
import Testing

/// Goal: no account takes memory, files or time from another, however slowly it reads and however often it asks; what
/// the server refuses costs no replica.
/// Method: one account asks for more than it may, another one asks meanwhile; what is open is counted.
@Suite struct LimitTests {
    @Test func `a long export is read piece by piece, and is what a device writes`() async throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        for index in 0..<300 {
            _ = try client.addMeal(["name": "Soup \(index)", "note": .string(filler(1_000))])
        }
        let response = world.begin(client.request("GET", "/api/v1/export/json"))
        let stream = try #require(response.stream)
        stream.begin {}
        var (whole, longest): ([UInt8], Int) = ([], 0)
        while let piece = stream.next() {
            whole += piece
            longest = max(longest, piece.count)
        }
        stream.end()
        #expect(longest <= 65_536 && whole.count > 300_000)
        let phone = try await world.device("phone")
        try await phone.sync()
        var events = 0
        try JSONExport.write(phone.replica) { _ in events += 1 }
        let export = try JSON.parse(whole)
        #expect(export["events"]?.array?.count == 300)
        #expect(export["counts"]?["events"] == 300)
        #expect(Files.names(in: world.folder).count == 1, "the file has no name")
    }

    @Test func `answers that no one reads are counted, and given free when they end`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup"])
        let request = client.request("GET", "/api/v1/export/json")
        var held = (0..<4).map { _ in world.begin(request) }
        #expect(held.allSatisfy { $0.status == 200 })
        let refused = world.begin(request)
        #expect(refused.status == 503 && refused.field("retry-after") != nil, "\(refused.text)")
        #expect(try world.logIn("ben@example.org").get("/api/v1/export/json").status == 200)
        for response in held { response.stream?.end() }
        held = []
        #expect(client.get("/api/v1/export/json").status == 200)
    }

    @Test func `all accounts together have few answers in files`() throws {
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.answersMax = 5
        }
        var held: [HTTPResponse] = []
        for index in 0..<5 {
            let client = try world.logIn("p\(index)@example.org")
            held.append(world.begin(client.request("GET", "/api/v1/export/json")))
        }
        #expect(held.allSatisfy { $0.status == 200 })
        let last = try world.logIn("last@example.org")
        #expect(last.get("/api/v1/export/json").status == 503)
        held.removeFirst().stream?.end()
        #expect(last.get("/api/v1/export/json").status == 200)
    }

    @Test func `answers in files have few bytes, those of one account and all together`() throws {
        let bytesMax = 262_144
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.answerBytesMax = Int64(bytesMax)
        }
        let long = try world.logIn("long@example.org")
        for _ in 0..<20 { _ = try long.addMeal(["name": "Soup", "note": .string(filler(4_000))]) }
        let refused = long.get("/api/v1/export/json")
        #expect(refused.status == 413 && refused.problem == "too_large", "\(refused.text)")
        var held: [HTTPResponse] = []
        for index in 0..<30 {
            let client = try world.logIn("p\(index)@example.org")
            for _ in 0..<3 {
                _ = try client.addMeal(["name": "Soup", "note": .string(filler(4_000))])
            }
            let answer = world.begin(client.request("GET", "/api/v1/export/json"))
            guard answer.status == 200 else {
                #expect(answer.problem == "busy", "\(answer.text)")
                break
            }
            held.append(answer)
        }
        let bytes = held.reduce(0) { $0 + $1.whole.body.count }
        #expect(held.count > 4 && bytes <= bytesMax, "\(held.count) answers, \(bytes) bytes")
    }

    @Test func `a page ends before it is too long, and the pages together have everything`() throws
    {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let items = JSON.array((0..<60).map { _ in ["name": .string(filler(190))] })
        for index in 0..<40 {
            _ = try client.addMeal(["name": .string("\(index)"), "items": items])
        }
        var (target, names): (String?, Set<String>) = ("/api/v1/meals?limit=200", [])
        var pages = 0
        while let next = target {
            let answer = client.get(next)
            #expect(answer.status == 200)
            #expect(answer.body.count < 3_000_000, "\(answer.body.count) bytes")
            names.formUnion((answer.json.array ?? []).compactMap { $0["name"]?.string })
            pages += 1
            target = answer.field("link").map { link in
                String(link.dropFirst().prefix { $0 != ">" })
            }
        }
        #expect(names.count == 40 && pages > 1, "\(names.count) meals on \(pages) pages")
    }

    private func filler(_ count: Int) -> String { String(repeating: "x", count: count) }

    @Test func `an account has few requests waiting, and another one is served`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let statuses = Monitor<[Int]>([])
        let request = ana.request("POST", "/api/v1/meals", ["name": "Soup"])
        for _ in 0..<1_000 {
            world.send(request) { response in
                statuses.withLock { $0.append(response.status) }
                statuses.wakeOne()
            }
        }
        #expect(ben.get("/api/v1/day").status == 200)
        let all = statuses.wait { $0.count == 1_000 ? $0 : nil }
        let made = all.count { $0 == 201 }
        #expect(made >= 64 && all.contains(503), "\(made) of 1,000")
        #expect(Set(all) == [201, 503])
        #expect(ana.get("/api/v1/export/json").json["counts"]?["events"] == .integer(Int64(made)))
    }

    @Test func `an ended session's live answer ends with the next change, and shows nothing of it`()
        throws
    {
        let world = try GatewayWorld()
        let (phone, page) = (try world.logIn(), try world.logIn(device: "page"))
        let accept = [HTTPField("accept", "text/event-stream")]
        let stream = try #require(page.call("GET", "/api/v1/day", nil, accept).stream)
        stream.begin {}
        #expect(stream.next()?.isEmpty == false)
        #expect(page.call("POST", "/v1/auth/logout").status == 204)
        _ = try phone.addMeal(["name": "Secret soup"])
        var shown = ""
        #expect(
            eventually {
                guard let piece = stream.next() else { return true }
                shown += String(decoding: piece, as: UTF8.self)
                return false
            })
        #expect(shown == "")
        stream.end()
    }

    @Test(arguments: ["logout", "from another", "disabled"])
    func `an ended session's live answer ends without a change, and the others' go on`(
        end: String
    ) throws {
        let world = try GatewayWorld()
        let (phone, page) = (try world.logIn(), try world.logIn(device: "page"))
        let accept = [HTTPField("accept", "text/event-stream")]
        func open(_ client: Client) throws -> BodyStream {
            let stream = try #require(client.call("GET", "/api/v1/day", nil, accept).stream)
            stream.begin {}
            #expect(stream.next()?.isEmpty == false)
            return stream
        }
        let (own, others) = (try open(page), try open(phone))
        switch end {
        case "logout": #expect(page.call("POST", "/v1/auth/logout").status == 204)
        case "from another": #expect(phone.call("DELETE", "/v1/devices").status == 204)
        default:
            let request = Administration.request(
                "user disable", [JSON.Member("email", "ana@example.org")])
            _ = try Administration.result(
                of: world.server.administer(Array(request.compact.utf8)))
        }
        // No clock is moved, and nothing was recorded.
        #expect(eventually { own.next() == nil })
        if end == "disabled" { #expect(eventually { others.next() == nil }) }
        if end != "disabled" { #expect(others.next()?.isEmpty == true) }
        own.end()
        others.end()
    }

    @Test func `live answers that ended make room for others`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let request = client.request(
            "GET", "/api/v1/day", nil, [HTTPField("accept", "text/event-stream")])
        for _ in 0..<3 {
            let open = (0..<20).map { _ in world.begin(request) }
            #expect(open.allSatisfy { $0.status == 200 })
            #expect(world.begin(request).status == 503)
            for response in open { response.stream?.end() }
        }
        #expect(world.begin(request).status == 200)
    }

    @Test func `changes that come faster than they are sent wait as one`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let live = (0..<20).map { _ in
            world.begin(
                client.request(
                    "GET", "/api/v1/day", nil, [HTTPField("accept", "text/event-stream")]))
        }
        // Without that, 30 changes for 20 answers would be 600 jobs, and most of these refused.
        for index in 0..<30 { _ = try client.addMeal(["name": .string("Soup \(index)")]) }
        for response in live {
            let stream = try #require(response.stream)
            stream.begin {}
            var shown = ""
            #expect(
                eventually {
                    shown += String(decoding: stream.next() ?? [], as: UTF8.self)
                    return shown.contains("Soup 29")
                })
            stream.end()
        }
    }

    @Test func `what there is no room for is refused, and the replica stays`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let id = try client.addMeal(["name": "Soup"])
        let before = try replica(world)
        world.server.change { $0.eventQuota = 1 }
        for _ in 0..<3 {
            let answer = client.call("POST", "/api/v1/meals", ["name": "Bread"])
            #expect(answer.status == 403 && answer.problem == "not_recorded", "\(answer.text)")
        }
        #expect(client.call("PATCH", "/api/v1/meals/\(id)", ["note": "x"]).status == 403)
        #expect(client.get("/api/v1/meals").json.array?.count == 1)
        #expect(try replica(world) == before && world.notes.isEmpty)
        world.server.change { $0.eventQuota = 1_000 }
        _ = try client.addMeal(["name": "Bread"])
    }

    @Test func `an account that sends too often waits, and the replica stays`() throws {
        let world = try GatewayWorld(serving: {
            $0.rates[.pushByAccount] = Rate(burst: 2, interval: 3_600_000)
        })
        let client = try world.logIn()
        _ = try client.addMeal(["name": "Soup"])
        let before = try replica(world)
        _ = try client.addMeal(["name": "Soup"])
        let answer = client.call("POST", "/api/v1/meals", ["name": "Bread"])
        #expect(answer.status == 429 && answer.field("retry-after") != nil, "\(answer.text)")
        #expect(client.get("/api/v1/meals").json.array?.count == 2)
        #expect(try replica(world) == before)
    }

    @Test func `a pull that the server refuses keeps the replica`() async throws {
        let world = try GatewayWorld(serving: {
            $0.rates[.pullBySession] = Rate(burst: 3, interval: 3_600_000)
        })
        let client = try world.logIn()
        #expect(client.get("/api/v1/day").status == 200)
        let before = try replica(world)
        let phone = try await world.device("phone")
        var statuses: [Int] = []
        for index in 0..<4 {
            try phone.replica.write { diary in
                try diary.add(
                    Meal(
                        id: diary.newID(), on: try diary.localDate(), dishName: "Soup \(index)"))
            }
            _ = try? await phone.sync()
            statuses.append(client.get("/api/v1/day").status)
        }
        #expect(statuses.contains(503) || statuses.contains(429), "\(statuses)")
        #expect(try replica(world) == before)
    }

    /// The file of the only replica, by its number on the disk.
    private func replica(_ world: GatewayWorld) throws -> Int {
        let name = try #require(Files.names(in: world.folder).first)
        let facts = try FileManager.default.attributesOfItem(
            atPath: "\(world.folder)/\(name)/log.db")
        return try #require(facts[.systemFileNumber] as? Int)
    }

    @Test func `replicas have no more files open than the settings say`() throws {
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.replicasMax = 5
        }
        let clients = try (1...8).map { try world.logIn("p\($0)@example.org") }
        let before = try openFiles(in: world.folder)
        for client in clients { _ = try client.addMeal(["name": "Soup"]) }
        let more = try openFiles(in: world.folder) - before
        #expect(more > 0 && more <= 4 * 5, "\(more) files")
    }

    private func openFiles(in folder: String) throws -> Int {
        let all = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return all.count {
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\($0)")
            return target?.hasPrefix(folder) ?? false
        }
    }
}
