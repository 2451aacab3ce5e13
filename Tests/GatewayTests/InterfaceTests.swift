import MacrologGateway
import MacrologHTTP
import MacrologJSON
import Testing

/// Goal: the document that the server publishes is what it does.
/// Method: the document is compared with the table that routes, and every example of it is sent.
@Suite struct InterfaceTests {
    @Test func `the document has every route, and no other`() throws {
        let world = try GatewayWorld()
        let client = Client(world: world, token: nil)
        let document = client.get("/openapi.json").json
        var listed: Set<String> = []
        for path in document["paths"]?.object ?? [] {
            for operation in path.value.object ?? [] {
                listed.insert("\(operation.key.uppercased()) \(path.key)")
            }
        }
        #expect(listed == Set(APIRoutes.all.map(\.name)))
        #expect(APIRoutes.all.count == listed.count, "two routes have one name")
        let page = String(decoding: client.get("/api").body, as: UTF8.self)
        for route in APIRoutes.all { #expect(page.contains(route.name), "\(route.name)") }
        #expect(!page.contains("<script"))
    }

    @Test
    func `the document is short, compressed for who asks, and sent again only when it is new`()
        throws
    {
        let client = Client(world: try GatewayWorld(), token: nil)
        for target in ["/openapi.json", "/api"] {
            let whole = client.get(target).whole.body
            #expect(whole.count < 700_000, "\(target): \(whole.count) bytes")
            let packed = client.call(
                "GET", target, nil, [HTTPField("accept-encoding", "gzip, br")]
            ).whole
            #expect(packed.field("content-encoding") == "gzip")
            #expect(packed.body.count < whole.count / 2, "\(target): \(packed.body.count) bytes")
            #expect(packed.body.starts(with: [0x1F, 0x8B]))
            let tag = try #require(packed.field("etag"))
            let same = client.call("GET", target, nil, [HTTPField("if-none-match", tag)])
            #expect(same.status == 304 && same.whole.body.isEmpty, "\(target)")
            #expect(client.get(target).field("vary") == "accept-encoding")
        }
    }

    @Test func `what the document refers to is in it, and each form is in it once`() throws {
        let document = OpenAPI.document
        var references: Set<String> = []
        var forms: [String: Int] = [:]
        func walk(_ json: JSON) {
            if let reference = json["$ref"]?.string { references.insert(reference) }
            if json["type"] == "object", json["properties"]?.object != nil {
                forms[json.compact, default: 0] += 1
            }
            for part in json.array ?? json.object?.map(\.value) ?? [] { walk(part) }
        }
        walk(document)
        #expect(references.count > 50)
        for reference in references {
            let found = JSON.object([JSON.Member("$ref", .string(reference))]).referred(
                in: document)
            #expect(found["$ref"] == nil, "\(reference)")
        }
        for part in ["schemas", "responses"] {
            let names = document["components"]?[part]?.object?.map(\.key) ?? []
            #expect(Set(names).count == names.count, "\(names)")
            for name in names {
                #expect(references.contains("#/components/\(part)/\(name)"), "\(name)")
                #expect(try Regex("^[a-zA-Z0-9._-]+$").wholeMatch(in: name) != nil, "\(name)")
            }
        }
        #expect(forms.allSatisfy { $0.value == 1 || $0.key.utf8.count < 200 })
    }

    @Test func `every route answers its own example as it declares`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        // Reading once more at the end, when there is something to show.
        let all = APIRoutes.all.filter { $0.needsAccount }
        let food = client.call("POST", "/api/v1/foods", ["name": "Oats"]).json["id"]?.string
        for route in all + all.filter({ $0.method == "GET" }) {
            let target = try self.target(route, client)
            let answer = client.call(route.method, target, route.example(naming: food))
            let declared = route.answers.map(\.status) + route.allProblems.map(\.status)
            #expect(declared.contains(answer.status), "\(route.name): \(answer.text)")
            #expect(answer.status < 500, "\(route.name): \(answer.text)")
            if route.example != nil, route.path.parameters.isEmpty {
                #expect((200..<300).contains(answer.status), "\(route.name): \(answer.text)")
            }
            if (200..<300).contains(answer.status) {
                let declared = route.answers.first { $0.status == answer.status }
                #expect(declared != nil, "\(route.name)")
                if let schema = declared?.schema {
                    let mistake = schema.mistake(in: answer.json)
                    #expect(mistake == nil, "\(route.name): \(answer.text.prefix(4_000))")
                }
            }
        }
        #expect(world.notes.isEmpty, "\(world.notes)")
    }

    @Test func `a route says that it looks at versions if it does, and only then`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        let food = client.call("POST", "/api/v1/foods", ["name": "Oats"]).json["id"]?.string
        let paths = client.get("/openapi.json").json["paths"]
        var (unchanged, refused) = (0, 0)
        for route in APIRoutes.all where route.needsAccount {
            let operation = paths?[route.path.text]?[route.method.lowercased()]
            let names = operation?["parameters"]?.array?.compactMap { $0["name"]?.string } ?? []
            let target = try self.target(route, client)
            var body = route.example(naming: food)
            let field = HTTPField("if-match", "\"another\"")
            if route.isWrite {
                if route.method == "POST", route.keepsVersions, !route.path.text.contains("{") {
                    // One thing is there before it is sent once more; a food is one by its barcode.
                    if target == "/api/v1/foods" {
                        body = ["name": "Pen", "barcode": "4006381333931"]
                    }
                    _ = client.call(route.method, target, body)
                }
                let status = client.call(route.method, target, body, [field]).status
                if status == 412 { refused += 1 }
                // Of what is not there, there is no version.
                let isSaid = names.contains("If-Match")
                #expect(isSaid ? status >= 400 : status != 412, "\(route.name): \(status)")
                continue
            }
            let answer = client.call(route.method, target, body)
            guard answer.status == 200 else { continue }
            let answers = operation?["responses"]
            let tag = answer.field("etag")
            for isSaid in [
                names.contains("If-None-Match"), answers?["200"]?["headers"]?["ETag"] != nil,
                answers?["304"]?["headers"]?["ETag"] != nil,
            ] { #expect(isSaid == (tag != nil), "\(route.name)") }
            guard let tag else { continue }
            let same = client.call(route.method, target, body, [HTTPField("if-none-match", tag)])
            // Some change by themselves, from one request to the next.
            guard same.status == 304 || same.field("etag") == tag else { continue }
            #expect(same.status == 304 && same.body.isEmpty, "\(route.name)")
            unchanged += 1
        }
        #expect(unchanged > 20 && refused > 20, "\(unchanged), \(refused)")
    }

    /// The address of a route, with the id of an entity that is there where the route's collection makes one.
    private func target(_ route: APIRoute, _ client: Client) throws -> String {
        var path = route.path.text
        if path.contains("{id}") {
            let collection = path.prefix { $0 != "{" }.dropLast()
            let creating = APIRoutes.all.first {
                $0.method == "POST" && $0.path.text == collection
            }
            let made = creating.map { client.call("POST", String(collection), $0.example) }
            path = path.replacing("{id}", with: made?.json["id"]?.string ?? APIRoutes.exampleID)
        }
        for name in route.path.parameters {
            path = path.replacing("{\(name)}", with: APIRoutes.example(of: name))
        }
        let query = route.query.filter(\.isRequired).map { "\($0.name)=\($0.example)" }
        return query.isEmpty ? path : path + "?" + query.joined(separator: "&")
    }

    @Test func `what is nowhere, or asked with another method, is said to be so`() throws {
        let client = try GatewayWorld().logIn()
        #expect(client.get("/api/v1/nothing").problem == "not_found")
        #expect(client.get("/api/v1/meals/").problem == "not_found")
        #expect(client.get("/api/v1/meals//").problem == "not_found")
        let put = client.call("PUT", "/api/v1/meals", [:])
        #expect(put.status == 405)
        #expect(put.field("allow") == "GET, POST, HEAD")
    }

    @Test(arguments: [
        "/api/v1/day/2026-02-30", "/api/v1/day/today%00", "/api/v1/meals?limit=0",
        "/api/v1/meals?limit=1e3", "/api/v1/meals?limit=5&limit=6", "/api/v1/meals?lim=5",
        "/api/v1/meals?from=2026-11-20&to=2026-11-19", "/api/v1/meals/1", "/api/v1/day?explain=%F",
        "/api/v1/meals?cursor=x", "/api/v1/foods?q=%+5", "/api/v1/foods?q=%-0",
    ])
    func `a wrong parameter is refused by its name`(target: String) throws {
        let answer = try GatewayWorld().logIn().get(target)
        #expect(answer.status == 400, "\(answer.text)")
        #expect(answer.json["parameter"]?.string != nil, "\(answer.text)")
    }

    @Test func `a form has each of its members once`() throws {
        let client = try GatewayWorld().logIn()
        func post(_ form: String) -> HTTPResponse {
            client.raw("/api/v1/quick", Array(form.utf8), type: "application/x-www-form-urlencoded")
        }
        let twice = post("line=300 kcal lunch&line=weight 80")
        #expect(twice.status == 422 && twice.json["pointer"] == "#/line", "\(twice.text)")
        #expect(client.get("/api/v1/meals").json == [] && client.get("/api/v1/weights").json == [])
        #expect(post("line=300 kcal lunch").status == 201)
    }

    @Test func `a body of another type, or too long, is refused`() throws {
        let world = try GatewayWorld()
        let client = try world.logIn()
        func post(_ type: String, _ body: [UInt8]) -> HTTPResponse {
            world.send(
                HTTPRequest(
                    method: "POST", path: "/api/v1/meals",
                    fields: [
                        HTTPField("authorization", "Bearer \(client.token ?? "")"),
                        HTTPField("content-type", type),
                    ], body: body))
        }
        #expect(post("text/plain", []).status == 415)
        #expect(post("application/json", Array("{".utf8)).status == 400)
        #expect(post("application/json", []).status == 400)
        #expect(post("application/json", Array("{}".utf8)).status == 201)
        let long = [UInt8](repeating: 0x20, count: Gateway.bodyBytesMax + 1)
        #expect(post("application/json", long).status == 413)
    }

    @Test func `a page of another origin may ask only if the operator says so`() throws {
        let world = try GatewayWorld {
            $0.requestsPerHour = nil
            $0.origins = ["https://app.example.org"]
        }
        let client = try world.logIn()
        func origin(of page: String) -> String? {
            client.call("GET", "/api/v1/day", nil, [HTTPField("origin", page)])
                .field("access-control-allow-origin")
        }
        #expect(origin(of: "https://app.example.org") == "https://app.example.org")
        #expect(origin(of: "https://evil.example.org") == nil)
        let question = client.call(
            "OPTIONS", "/api/v1/meals", nil,
            [
                HTTPField("origin", "https://app.example.org"),
                HTTPField("access-control-request-method", "POST"),
            ])
        #expect(question.status == 204)
        let none = try GatewayWorld().logIn().call(
            "GET", "/api/v1/day", nil, [HTTPField("origin", "https://app.example.org")])
        #expect(none.field("access-control-allow-origin") == nil)
    }
}

extension JSON {
    /// What a reference of the document stands for; anything else is itself.
    func referred(in document: JSON) -> JSON {
        guard let reference = self["$ref"]?.string else { return self }
        let steps = reference.split(separator: "/").dropFirst()
        let found = steps.reduce(Optional(document)) { place, step in place?[String(step)] }
        return found ?? self
    }
}
