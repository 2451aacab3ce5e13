import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologTestSupport
import Testing

/// Goal: no route shows, changes or reveals anything of another account.
/// Method: one account makes one of everything by the routes' own examples. Another asks every route of the table with
/// its ids, in the address and in the body; then the first one's whole export is compared with that of before.
@Suite struct IsolationTests {
    private let secret = "canary-of-ana"

    /// An id for each path that makes one.
    private func ids(_ client: Client) -> [String: String] {
        var ids: [String: String] = [:]
        for route in APIRoutes.all where route.method == "POST" && route.needsAccount {
            guard route.path.parameters.isEmpty,
                var example = route.example(naming: ids["/api/v1/foods"])
            else { continue }
            for key in ["name", "note", "message"] where example[key] != nil {
                example = replaced(example, key)
            }
            let made = client.call("POST", route.path.text, example)
            if let id = made.json["id"]?.string { ids[route.path.text] = id }
        }
        return ids
    }

    private func replaced(_ object: JSON, _ key: String) -> JSON {
        .object(
            (object.object ?? []).map {
                $0.key == key ? JSON.Member(key, .string(secret)) : $0
            })
    }

    private func state(_ client: Client) throws -> JSON {
        let export = client.get("/api/v1/export/json").json
        return .array(try #require(export["entities"]?.array))
    }

    @Test func `another account's ids are nothing, on every route`() throws {
        let world = try GatewayWorld()
        let (ana, ben) = (try world.logIn(), try world.logIn("ben@example.org"))
        let ids = ids(ana)
        #expect(ids.count >= 15, "\(ids.keys.sorted())")
        let before = try state(ana)
        var asked = 0
        for route in APIRoutes.all where route.needsAccount && route.path.text.contains("{id}") {
            // Those of its own kind, and one of another.
            let own = ids.filter { route.path.text.hasPrefix($0.key + "/") }.map(\.value)
            let other = ids.min { $0.key < $1.key }?.value
            for id in own + (other.map { [$0] } ?? []) {
                let path = route.path.parameters.filter { $0 != "id" }.reduce(
                    route.path.text.replacing("{id}", with: id)
                ) { $0.replacing("{\($1)}", with: APIRoutes.example(of: $1)) }
                let answer = ben.call(route.method, path, route.example)
                asked += 1
                // A list of what happened to something that is not there is empty.
                let isEmpty = answer.json.array?.isEmpty == true
                #expect(
                    [400, 404, 409, 422].contains(answer.status) || isEmpty,
                    "\(route.name): \(answer.text)")
                #expect(!answer.text.contains(secret), "\(route.name)")
            }
        }
        #expect(asked > 120)
        for route in APIRoutes.all where route.needsAccount && route.path.parameters.isEmpty {
            let answer = ben.call(route.method, route.path.text, route.example)
            #expect(!answer.text.contains(secret), "\(route.name)")
        }
        #expect(try state(ana) == before)
    }

    @Test func `every route that needs an account refuses who has none`() throws {
        let world = try GatewayWorld()
        for token in [nil, "x", "eyJhbGciOiJub25lIn0.e30."] {
            let stranger = Client(world: world, token: token)
            for route in APIRoutes.all where route.needsAccount {
                let path = route.path.parameters.reduce(route.path.text) {
                    $0.replacing("{\($1)}", with: APIRoutes.example(of: $1))
                }
                let query = route.query.filter(\.isRequired).map { "\($0.name)=\($0.example)" }
                let target = query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
                #expect(
                    stranger.call(route.method, target, route.example).status == 401,
                    "\(route.name)")
            }
        }
        #expect(world.gateway.openReplicas == 0)
    }
}
