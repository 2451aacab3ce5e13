import Events
import HTTP
import SQLite
import Service
import Testing

/// Goal: a snapshot says what the log's first events make of all entities, nobody else can read it,
/// and nobody waits for it but who asked.
/// Method: logs of a few events, asked for over the routes; what comes is compared with a fold.
@Suite struct SnapshotTests {
    private func get(_ path: String, _ hub: TestHub, _ token: String) -> HTTPResponse {
        hub.call("GET", path, token: token)
    }

    private func manifest(_ hub: TestHub, _ token: String) throws -> SnapshotManifest {
        let response = get("/v1/snapshot", hub, token)
        try #require(response.status == 200, "\(problem(response) ?? "?")")
        #expect(response.field("content-type") == "application/cbor")
        return try SnapshotManifest.decoded(response.body)
    }

    private func path(_ hash: [UInt8]) -> String {
        "/v1/snapshot/"
            + hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    private func parts(
        _ manifest: SnapshotManifest, _ hub: TestHub, _ token: String
    ) throws -> [SnapshotPart] {
        try manifest.parts.map { name in
            let response = get(path(name.hash), hub, token)
            try #require(response.status == 200)
            #expect(SHA256.hash(response.body) == name.hash)
            #expect(Int64(response.body.count) == name.byteCount)
            let part = try SnapshotPart.decoded(response.body)
            #expect(Int64(part.items.count) == name.entityCount)
            return part
        }
    }

    /// Meals with an item each that names it, and foods that many items name, one event each.
    private func events(_ count: Int, from first: Int = 0) -> [[Change]] {
        (first..<first + count).map { index in
            let meal = Identifier(high: 0x100, low: UInt64(index))
            let food = Identifier(high: 0x200, low: UInt64(index % 3))
            return [
                Change(EntityKey("meal", meal), [.set(["name": .text(Text("Dish \(index)"))])]),
                Change(
                    EntityKey("meal_item", Identifier(high: 0x300, low: UInt64(index))),
                    [.set(["meal_id": .bytes(meal.bytes), "food_id": .bytes(food.bytes)])]),
                Change(EntityKey("food", food), [.set(["name": .text(Text("Food \(index)"))])]),
            ]
        }
    }

    private func fill(
        _ hub: TestHub, _ token: String, _ device: inout TestDevice, _ events: [[Change]],
        age: Int64 = 0
    ) throws {
        for changes in events {
            device.record(changes, age: age)
            if device.waiting.count == 400 {
                _ = try device.fold(hub.sync(device.request, token: token))
            }
        }
        _ = try device.fold(hub.sync(device.request, token: token))
    }

    /// The fold of a whole log, as the hub gives it.
    private func folded(_ hub: TestHub, _ token: String) throws -> [EntityKey: [UInt8]] {
        var states: [EntityKey: EntityState] = [:]
        var request = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        while true {
            let answer = try SyncAnswer.decoded(hub.sync(request, token: token).body)
            for (index, row) in answer.rows.enumerated() {
                guard case .event(let body) = row.content,
                    case .whole(let event) = try StoredEvent.decoded(body)
                else { continue }
                let seal = Seal(n: request.cursor + Int64(index) + 1, t: row.t)
                for change in event.changes {
                    states[change.entity, default: EntityState()].fold(
                        change, stamp: Stamp(dot: event.dot, base: event.base, seal: seal))
                }
            }
            request.epoch = answer.epoch
            request.cursor += Int64(answer.rows.count)
            request.digest = answer.digest
            if request.cursor >= answer.head { return states.mapValues { $0.encoded() } }
        }
    }

    @Test func `a snapshot is what the log folds to, each entity once, under the log's digest`()
        throws
    {
        let hub = try TestHub(snapshotPartBytes: 8_000) { $0.snapshotEventsMin = 100 }
        let token = try hub.login().access
        var (phone, laptop) = (TestDevice(1), TestDevice(2))
        try fill(hub, token, &phone, events(150))
        // Another device that has not seen half of it changes the same foods.
        try fill(hub, token, &laptop, events(150, from: 100))

        let manifest = try manifest(hub, token)
        #expect((manifest.epoch, manifest.n) == (7, 300))
        #expect(manifest.digest == laptop.digest)
        let parts = try parts(manifest, hub, token)
        #expect(parts.count > 3)
        let items = parts.flatMap(\.items)
        let states = Dictionary(items.map { ($0.entity, $0.state) }, uniquingKeysWith: { $1 })
        #expect(states.count == items.count)
        #expect(states == (try folded(hub, token)))
        #expect(
            items.contains {
                (try? EntityState.decoded($0.state))?.cells.contains {
                    $0.writes.count > 1
                } == true
            })

        // The filter knows who is elsewhere.
        let here = Set(parts[0].items.map(\.entity.id))
        for item in parts.dropFirst().flatMap(\.items) {
            #expect(parts[0].elsewhere.mayContain(item.entity.id))
        }
        #expect(here.count { parts[0].elsewhere.mayContain($0) } < here.count / 4)
        #expect(parts.dropFirst().allSatisfy { $0.elsewhere.bytes.isEmpty })

        // Asked again it is the same, and not built again.
        #expect(try self.manifest(hub, token) == manifest)
        #expect(hub.store.snapshotBuilds == 1)
    }

    @Test func `the first part has the small kinds, the last month, what it names and its items`()
        throws
    {
        let hub = try TestHub(snapshotPartBytes: 20_000) { $0.snapshotEventsMin = 100 }
        var token = try hub.login().access
        var phone = TestDevice(1)
        let profile = EntityKey("profile", Identifier(high: 5, low: 5))
        try fill(hub, token, &phone, [[Change(profile, [.set(["sex": .text("f")])])]], age: 0)
        try fill(hub, token, &phone, events(400))
        hub.advance(seconds: 90 * 86_400)
        token = try hub.login().access
        // A new meal of an old food; an old meal is renamed.
        let old = Identifier(high: 0x100, low: 7)
        let (meal, item) = (
            Identifier(high: 0x100, low: 9_000), Identifier(high: 0x300, low: 9_000)
        )
        let food = Identifier(high: 0x200, low: 2)
        try fill(
            hub, token, &phone,
            [
                [
                    Change(EntityKey("meal", meal), [.set(["name": .text("New")])]),
                    Change(
                        EntityKey("meal_item", item),
                        [.set(["meal_id": .bytes(meal.bytes), "food_id": .bytes(food.bytes)])]),
                ],
                [Change(EntityKey("meal", old), [.set(["name": .text("Renamed")])])],
            ])
        let manifest = try manifest(hub, token)
        let first = Set(try parts(manifest, hub, token)[0].items.map(\.entity))
        let wanted: Set = [
            profile, EntityKey("meal", meal), EntityKey("meal_item", item), EntityKey("food", food),
            EntityKey("meal", old), EntityKey("meal_item", Identifier(high: 0x300, low: 7)),
        ]
        #expect(wanted.isSubset(of: first))
        #expect(manifest.parts[0].byteCount <= 20_000)
    }

    @Test func `nobody else learns that a part exists`() throws {
        let hub = try TestHub { $0.snapshotEventsMin = 10 }
        let (ana, ben) = (try hub.login().access, try hub.login("ben@example.org").access)
        var (phone, other) = (TestDevice(1), TestDevice(2))
        try fill(hub, ana, &phone, events(20))
        try fill(hub, ben, &other, events(5))
        let part = path(try manifest(hub, ana).parts[0].hash)
        #expect(get(part, hub, ana).status == 200)
        let (foreign, invented) = (
            get(part, hub, ben), get("/v1/snapshot/" + String(repeating: "0", count: 64), hub, ben)
        )
        #expect(foreign.body == invented.body && problem(foreign) == "not_found")
        for path in ["\(part)0", part.uppercased(), "/v1/snapshot/", "/v1/snapshot/../snapshot"] {
            #expect(get(path, hub, ana).status == 404, "\(path)")
        }
        // A short log has none, like an empty one.
        #expect(problem(get("/v1/snapshot", hub, ben)) == "not_found")
        #expect(problem(get("/v1/snapshot", hub, "nonsense")) == "unauthorized")
        #expect(problem(get(part, hub, "nonsense")) == "unauthorized")
        #expect(hub.call("POST", "/v1/snapshot", token: ana).status == 405)
        #expect(hub.call("DELETE", part, token: ana).status == 405)
    }

    @Test func `a snapshot follows when the log has grown by a tenth, and the old parts are gone`()
        throws
    {
        let hub = try TestHub(snapshotPartBytes: 8_000) { $0.snapshotEventsMin = 100 }
        let token = try hub.login().access
        var phone = TestDevice(1)
        try fill(hub, token, &phone, events(200))
        let old = try manifest(hub, token)
        try fill(hub, token, &phone, events(20, from: 200))
        #expect(try manifest(hub, token) == old)
        try fill(hub, token, &phone, events(1, from: 220))
        let new = try manifest(hub, token)
        #expect(new.n == 221 && hub.store.snapshotBuilds == 2)
        let gone = old.parts.filter { part in !new.parts.contains(part) }
        #expect(!gone.isEmpty)
        for part in gone { #expect(get(path(part.hash), hub, token).status == 404) }
        _ = try parts(new, hub, token)
        #expect(try hub.store.snapshotPartCount(of: 1) == Int64(new.parts.count))
    }

    @Test func `what was issued anew counts once, as on every device`() throws {
        let hub = try TestHub { $0.snapshotEventsMin = 1 }
        let token = try hub.login().access
        let entity = EntityKey("meal", Identifier(high: 1, low: 1))
        func event(_ device: UInt64, _ seq: Int64, _ name: Text) -> Event {
            Event(
                dot: Dot(device: Identifier(high: device, low: 0), seq: seq),
                base: .none, wall: 0, type: "meal.edited",
                version: 1, changes: [Change(entity, [.set(["name": .text(name)])])])
        }
        func push(_ events: [Event]) {
            let request = SyncRequest(
                device: events[0].dot.device, epoch: 0, cursor: 0, digest: .empty,
                pushed: events.map { .init(age: 0, body: $0.encoded()) }, eventsMax: 0)
            #expect(hub.sync(request, token: token).status == 200)
        }
        let first = event(1, 1, "Soup")
        push([first])
        // Somebody who has not seen it says otherwise; then two copies of its author say it again.
        push([event(2, 1, "Stew")])
        push([first.reissued(as: Dot(device: Identifier(high: 3, low: 0), seq: 1))])
        let late = event(4, 1, "Salad")
        push([late.reissued(as: Dot(device: Identifier(high: 5, low: 0), seq: 1))])
        push([late])
        let manifest = try manifest(hub, token)
        let state = try EntityState.decoded(try parts(manifest, hub, token)[0].items[0].state)
        let dots = state.cells[0].writes.map(\.stamp.dot.device.high)
        #expect(dots == [1, 2, 5])
    }

    @Test func `skeletons change nothing, and what one of them stood for counts once`() throws {
        let (old, new) = (
            try TestHub { $0.snapshotEventsMin = 1 },
            try TestHub(epoch: 8) { $0.snapshotEventsMin = 1 }
        )
        let (oldToken, newToken) = (try old.login().access, try new.login().access)
        var phone = TestDevice(1)
        for index in 0..<5 {
            phone.record("Soup \(index)")
            _ = try phone.fold(old.sync(phone.request, token: oldToken))
        }
        let reader = SyncRequest(
            device: Identifier(high: 9, low: 9), epoch: 0, cursor: 0, digest: .empty, pushed: [])
        let answer = try SyncAnswer.decoded(old.sync(reader, token: oldToken).body)
        var bodies: [[UInt8]] = []
        for case .event(let body) in answer.rows.map(\.content) { bodies.append(body) }
        // All but the last were written over.
        let rows = try zip(answer.rows, bodies).enumerated().map { index, pair in
            let skeleton = try pair.1.withUnsafeBytes { try Skeleton(of: $0, through: 5) }
            return HealRequest.Row(t: pair.0.t, body: index < 4 ? skeleton.encoded() : pair.1)
        }
        let heal = HealRequest(marks: [], rows: rows, digest: answer.digest)
        let healed = new.send(
            HTTPRequest(
                method: "POST", path: "/v1/heal",
                fields: [
                    HTTPField("Authorization", "Bearer \(newToken)"),
                    HTTPField("Content-Type", "application/cbor"),
                ], body: heal.encoded()))
        try #require(healed.status == 200)

        // A copy of the phone's file says once more what a skeleton stands for now.
        let first = try Event.decoded(bodies[0])
        let again = first.reissued(as: Dot(device: Identifier(high: 3, low: 0), seq: 1))
        let push = SyncRequest(
            device: again.dot.device, epoch: 0, cursor: 0, digest: .empty,
            pushed: [.init(age: 0, body: again.encoded())], eventsMax: 0)
        for (hub, token) in [(old, oldToken), (new, newToken)] {
            try #require(hub.sync(push, token: token).status == 200)
        }
        let (whole, kept) = (try manifest(old, oldToken), try manifest(new, newToken))
        #expect((whole.n, kept.n) == (6, 6))
        #expect(kept.parts == whole.parts)
        let state = try EntityState.decoded(try parts(kept, new, newToken)[0].items[0].state)
        #expect(state.cells[0].writes.count == 1)
    }

    @Test func `a hub that was restored does not offer what it had before`() throws {
        let folder = Folder()
        var old: SnapshotManifest?
        do {
            let hub = try TestHub(folder: folder) { $0.snapshotEventsMin = 10 }
            let token = try hub.login().access
            var phone = TestDevice(1)
            try fill(hub, token, &phone, events(20))
            old = try manifest(hub, token)
        }
        try HubFile.renew("\(folder.path)/hub.db", epoch: 8, endsSessions: false, now: 0)
        let hub = try TestHub(folder: folder) { $0.snapshotEventsMin = 10 }
        let new = try manifest(hub, try hub.login().access)
        #expect(old?.epoch == 7 && new.epoch == 8)
        #expect(new.parts == old?.parts)
    }

    @Test func `a part that the disk has spoiled is not given out, and the next snapshot is whole`()
        throws
    {
        let folder = Folder()
        let hub = try TestHub(folder: folder) { $0.snapshotEventsMin = 10 }
        let token = try hub.login().access
        var phone = TestDevice(1)
        try fill(hub, token, &phone, events(20))
        let part = path(try manifest(hub, token).parts[0].hash)
        var file = try Connection.open("\(folder.path)/hub.db.snapshots")
        try file.run("UPDATE part SET body = zeroblob(length(body))")
        #expect(get(part, hub, token).status == 404)
        _ = try parts(try manifest(hub, token), hub, token)
        #expect(hub.store.snapshotBuilds == 2)
    }
}
