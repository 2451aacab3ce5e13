import MacrologEngine
import MacrologGateway
import MacrologHTTP
import MacrologJSON
import MacrologReadModels
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: any sequence of requests keeps what was answered for: nothing is lost, doubled, or brought back, also when the
/// replicas are thrown away in between, and every device comes to the same state.
/// Method: routes are drawn from the table by a seed, with ids of before, wrong ones and repeated keys. A small model of
/// the meals says which must be there; two phones that sync at the end are compared.
@Suite struct SequenceTests {
    private enum Fate { case alive, deleted }

    private struct Play {
        let client: Client
        var dice: Dice
        var meals: [String: Fate] = [:]
        var ids: [String] = [APIRoutes.exampleID]
        var keys = 0

        mutating func step() throws {
            switch dice.below(10) {
            case 0...2: try add()
            case 3: delete()
            case 4: restore()
            default: any()
            }
        }

        private mutating func add() throws {
            keys += 1
            let key = [HTTPField("idempotency-key", "key \(keys)")]
            let body: JSON = [
                "name": .string("Meal \(keys)"), "day": "2026-11-20",
                "items": [["name": "Part", "nutrients": ["energy_kcal": 100]]],
            ]
            // A lost answer is asked for again.
            let answers = (0...dice.below(2)).map { _ in
                client.call("POST", "/api/v1/meals", body, key)
            }
            #expect(answers.allSatisfy { $0.status == 201 }, "\(answers.map(\.text))")
            let made = Set(answers.compactMap { $0.json["id"]?.string })
            #expect(made.count == 1)
            for id in made {
                meals[id] = .alive
                ids.append(id)
            }
        }

        private mutating func delete() {
            guard let id = dice.pick(meals.keys.sorted()) else { return }
            let status = client.call("DELETE", "/api/v1/meals/\(id)").status
            #expect(status == (meals[id] == .alive ? 204 : 410))
            meals[id] = .deleted
        }

        private mutating func restore() {
            guard let id = dice.pick(meals.keys.sorted()) else { return }
            #expect(client.call("POST", "/api/v1/meals/\(id)/restore").status == 200)
            meals[id] = .alive
        }

        /// Any route that neither deletes nor brings back a meal.
        private mutating func any() {
            let routes = APIRoutes.all.filter { route in
                route.needsAccount && !["/api/v1/undo", "/api/v1/redo"].contains(route.path.text)
                    && !(route.path.text.contains("meal")
                        && (route.method == "DELETE" || route.method == "POST"))
                    && !route.path.text.contains("food-")
                    && !route.path.text.hasSuffix("/done") && route.path.text != "/api/v1/quick"
            }
            guard let route = dice.pick(routes) else { return }
            let id = dice.pick(ids) ?? APIRoutes.exampleID
            let path = route.path.parameters.reduce(route.path.text) {
                $0.replacing("{\($1)}", with: $1 == "id" ? id : APIRoutes.example(of: $1))
            }
            let query = route.query.filter { $0.isRequired || dice.percent(30) }.map {
                "\($0.name)=\($0.example)"
            }
            let target = query.isEmpty ? path : "\(path)?\(query.joined(separator: "&"))"
            let answer = client.call(route.method, target, route.example)
            let declared = route.answers.map(\.status) + route.allProblems.map(\.status)
            #expect(declared.contains(answer.status), "\(route.name): \(answer.text)")
            #expect(answer.status < 500, "\(route.name): \(answer.text)")
            if route.method == "POST", let id = answer.json["id"]?.string { ids.append(id) }
        }
    }

    @Test(arguments: Dice.seeds(3))
    func `any sequence of requests keeps what was answered for`(seed: UInt64) async throws {
        let scratch = ScratchFolder()
        var world = try GatewayWorld(in: scratch)
        var play = Play(client: try world.logIn(), dice: Dice(seed: seed))
        for step in 1...45 {
            try play.step()
            if step % 15 == 0 {
                // The next node has none of the files.
                let notes = world.notes
                #expect(notes.isEmpty, "seed \(seed): \(notes)")
                world.stop()
                if play.dice.percent(50) { Files.removeAll(world.folder) }
                world = try GatewayWorld(in: scratch)
                play = Play(
                    client: try world.logIn(), dice: play.dice, meals: play.meals, ids: play.ids,
                    keys: play.keys)
            }
        }
        for (id, fate) in play.meals {
            #expect(
                play.client.get("/api/v1/meals/\(id)").status == (fate == .alive ? 200 : 410),
                "seed \(seed)")
        }
        let listed = play.client.get("/api/v1/meals?from=2026-11-20&to=2026-11-20&limit=200")
        let alive = Set(play.meals.filter { $0.value == .alive }.keys)
        let shown = Set((listed.json.array ?? []).compactMap { $0["id"]?.string })
        #expect(alive.isSubset(of: shown), "seed \(seed)")
        let (first, second) = (try await world.device("first"), try await world.device("second"))
        try await first.sync()
        try await second.sync()
        let hashes = try [first, second].map { try $0.replica.withStore { try $0.stateHash() } }
        #expect(hashes[0] == hashes[1], "seed \(seed)")
    }
}
