import MacrologEvents
import MacrologWire
import MacrologFormats
import MacrologJSON
import MacrologLog
import Macrolog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a redacted log holds nothing that a person typed, and all that its events did to each other;
/// what reads exports believes nothing that stands beside an event and is not in its bytes.
/// Method: words, numbers and bytes that occur nowhere else in every field of every kind, and in
/// everything that no kind knows; then the log is read word by word. Exports with one thing changed.
@Suite struct RedactionTests {
    private static let word = "zebraquartz"
    private static let number: Int64 = 4_871_359_017
    private static let bytes = Array("zebraquartzzebraquartz".utf8)

    /// Values of all types that a canary sits in.
    private static let canaries: [Value] = [
        .text(UTF8Text(word)), .int(number), .int(-number), .bytes(bytes),
        .array([.text(UTF8Text(word)), .int(number), .array([.bytes(bytes)])]),
        .map([UTF8Text(word): .map([UTF8Text(word): .int(number)])]),
    ]

    private static func record(
        _ world: World, _ type: UTF8Text, _ changes: [Change], group: Identifier? = nil
    ) throws {
        let reading = ClockSample(
            wall: 1_795_176_000_000, monotonic: 1, boot: Identifier(high: 1, low: 1))
        try world.replica.withStore { store in
            _ = try store.record([Draft(type, changes, group: group)], at: reading)
        }
    }

    /// An entity of every kind, each of whose fields holds a canary of each type, one after another.
    private static func diary() throws -> World {
        let world = try World()
        for kind in Kind.all {
            let key = EntityKey(kind.name, world.replica.newID())
            for canary in canaries {
                let names = kind.fields.map(\.name)
                for start in stride(from: 0, to: names.count, by: Limits.mapEntriesMax) {
                    let some = names[start...].prefix(Limits.mapEntriesMax)
                    try record(
                        world, "meal.edited",
                        [Change(key, [.set(ValueMap(some.map { ValueMap.Entry($0, canary) }))])],
                        group: world.replica.newID())
                }
            }
            let own = UTF8Text("x:\(word)")
            try record(
                world, UTF8Text("\(word).\(word)"),
                [
                    Change(
                        key,
                        [
                            .set([own: .int(number), "tags": .text(UTF8Text(word))]),
                            .add(field: UTF8Text(word), element: .text(UTF8Text(word))),
                            .remove(field: "note", element: .int(number)),
                            .unknown(verb: 9, arguments: canaries),
                        ]),
                    Change(
                        EntityKey(UTF8Text(word), key.id), [.set([UTF8Text(word): .bool(true)])]),
                ])
        }
        return world
    }

    private static func redacted(_ world: World) throws -> String {
        var text = ""
        try world.replica.withStore { store in
            _ = try JSONExport.writeRedacted(&store) { text += $0 }
        }
        return text
    }

    @Test func `no word, number or id of any field of any kind is in a redacted log`() throws {
        let world = try Self.diary()
        let text = try Self.redacted(world)
        let export = try ExportedLog(json: Array(text.utf8))
        #expect(export.entries.count == Int(try world.replica.read { try $0.statistics() }.events))
        for canary in [
            Self.word, "4871359017", "7a6562726171", "zebraquartz".uppercased(),
            try world.replica.device.description, "1795176000000",
        ] {
            #expect(!text.contains(canary), "\(canary)")
        }
        // Ids are numbered. A UUID of version 7 has a 7 where these have a 0.
        for id in text.matches(of: /[0-9a-f]{8}-[0-9a-f-]{27}/) {
            #expect(id.output.hasPrefix("00000000-0000-00"), "\(id.output)")
        }
        for entry in export.entries {
            for change in entry.event.changes {
                for operation in change.operations { try Self.expectNothing(in: operation) }
            }
        }
    }

    private static func expectNothing(in operation: CellOperation) throws {
        switch operation {
        case .set(let fields):
            for field in fields.entries { expectNothing(in: field.value) }
        case .add(_, let element), .remove(_, let element): expectNothing(in: element)
        case .unknown(_, let arguments): for argument in arguments { expectNothing(in: argument) }
        case .delete, .restore: break
        }
    }

    /// A stand-in is a small number, or one that is filled up.
    private static func expectNothing(in value: Value) {
        switch value {
        case .int(let number): #expect((0..<100).contains(number))
        case .text(let text): #expect(text.string.wholeMatch(of: /\d*x*/) != nil)
        case .bytes(let bytes):
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(bytes.count == 16 || text.wholeMatch(of: /\d*x*/) != nil)
        case .array(let items): for item in items { expectNothing(in: item) }
        case .map(let map):
            for entry in map.entries {
                #expect(entry.name.string.hasPrefix("?"))
                expectNothing(in: entry.value)
            }
        case .null, .bool: break
        }
    }

    @Test func `what the events did to each other is in it`() throws {
        let world = try World()
        let (meal, other) = (world.replica.newID(), world.replica.newID())
        for (name, isConsumed) in [("Soup", true), ("Stew", false), ("Soup", true), ("", true)] {
            try Self.record(
                world, "meal.added",
                [
                    Change(
                        EntityKey("meal", meal),
                        [
                            .set([
                                "dish_name": .text(UTF8Text(name)), "consumed": .bool(isConsumed),
                                "food_id": .bytes(other.bytes), "note": .null,
                            ])
                        ])
                ])
        }
        let export = try ExportedLog(json: Array(Self.redacted(world).utf8))
        let fields = export.entries.compactMap { entry -> ValueMap? in
            guard case .set(let fields)? = entry.event.changes.first?.operations.first else {
                return nil
            }
            return fields
        }
        #expect(fields.map { $0["dish_name"] } == ["0xxx", "1xxx", "0xxx", ""])
        #expect(fields.map { $0["consumed"] } == [false, true, false, false])
        #expect(fields.allSatisfy { $0["note"] == .null && $0.entries.count == 4 })
        #expect(Set(fields.map { $0["?0"]?.bytes ?? $0["food_id"]?.bytes }).count == 1)
        #expect(export.entries.map(\.event.type) == Array(repeating: "meal.added", count: 4))
        #expect(export.entries.map(\.event.dot.seq.rawValue) == [1, 2, 3, 4])
        #expect(export.state?.entities == 1 && export.state?.conflicts == 0)
    }

    @Test
    func `a first name and parts of newer versions are redacted, the order of devices is kept`()
        throws
    {
        let world = try World()
        let (late, early) = (Identifier(high: 9, low: 7), Identifier(high: 8, low: 7))
        let made = [(late, early), (early, late)].enumerated().map { index, devices in
            Event(
                dot: Dot(device: devices.0, seq: 1), base: Base(epoch: 0, n: 0), wall: 5,
                type: "meal.added",
                changes: [Change(EntityKey("meal", late), [.delete])],
                extras: [
                    Event.Extra(
                        key: 8, value: .array([.bytes(devices.1.bytes), .int(Int64(index) + 40)])),
                    Event.Extra(key: 12, value: .array(Self.canaries)),
                ])
        }
        var digest = PrefixDigest.empty
        let rows = made.enumerated().map { index, event in
            let seal = Seal(n: Int64(index) + 1, t: (Int64(index) + 1) << 16)
            digest.add(hash: event.encoded().withUnsafeBytes { SHA256.words($0) }, seal: seal)
            return SyncAnswer.Row(t: seal.t, content: .event(event.encoded()))
        }
        try world.replica.withStore { store in
            try store.apply(
                SyncAnswer(epoch: 3, head: 2, admitted: 0, now: 0, rows: rows, digest: digest))
        }
        _ = try ExportTests.json(world)
        let text = try Self.redacted(world)
        #expect(!text.contains(Self.word) && !text.contains("\(Self.number)"))
        let events = try ExportedLog(json: Array(text.utf8)).entries.map(\.event)
        #expect(events.map(\.extras.count) == [2, 2])
        #expect(events[0].dot.device > events[1].dot.device)
        #expect(events[0].reissuedFrom == Dot(device: events[1].dot.device, seq: 40))
        #expect(events[1].reissuedFrom == Dot(device: events[0].dot.device, seq: 41))
    }

    /// Types of events that no kind has would be replaced.
    @Test func `every type of event that this version records keeps its name`() throws {
        for type in [
            "meal.added", "day.completed", "recipe.item_added", "photo.attached", "fast.ended",
            "weight.logged", "ai.recorded", "import.started", "device.renamed",
        ] as [UTF8Text] {
            #expect(Kind.eventTypes.contains(type), "\(type)")
        }
        #expect(Kind.eventTypes.count > 100)
    }

    @Test func `a compacted log is exported, and what is left of an event is kept`() throws {
        let world = try World()
        let meal = EntityKey("meal", world.replica.newID())
        for letter in ["a", "b", "c"] {
            let name = UTF8Text(String(repeating: letter, count: 100))
            try Self.record(
                world, "meal.edited", [Change(meal, [.set(["dish_name": .text(name)])])])
            try ExportTests.seal(world)
        }
        let skeletons = try world.replica.withStore { try $0.compact(before: 100).events }
        #expect(skeletons == 2)
        for text in [try ExportTests.json(world), try Self.redacted(world)] {
            let export = try ExportedLog(json: Array(text.utf8))
            #expect(export.entries.count == 3)
            #expect(export.entries.count { $0.isCompacted } == Int(skeletons))
            #expect(export.state.map { $0.soundUpTo == 3 } ?? true)
        }
        #expect(try world.replica.logHealth().firstUnsound == nil)
    }

    @Test func `an export says nothing beside its bytes`() throws {
        let world = try World()
        try world.run(
            "date,name,kcal\n2026-11-01,Rice,1\n2026-11-02,Dal,2\n",
            "date=date,name=name,energy=kcal")
        try ExportTests.seal(world)
        let text = try ExportTests.json(world)
        func expect(_ words: String, _ old: String, _ new: String) {
            #expect(text.contains(old), "\(old)")
            let spoiled = text.replacing(old, with: new, maxReplacements: 1)
            let error = #expect(throws: (any Error).self) {
                try ExportedLog(json: Array(spoiled.utf8))
            }
            #expect(error.map { "\($0)".contains(words) } == true, "\(words): \(error as Any)")
        }
        expect("not written by macrolog", "\"format\":\"macrolog\"", "\"format\":\"other\"")
        expect("of version 2", "\"version\":1,\"redacted\"", "\"version\":2,\"redacted\"")
        expect("of another version", "\"cursor\"", "\"news\":1,\"cursor\"")
        expect("of another version", "\"redacted\":false", "\"redacted\":true")
        expect("epoch is missing", "\"epoch\":3,\"cursor\"", "\"epoch\":-3,\"cursor\"")
        expect("the cursor", "\"cursor\":2", "\"cursor\":1")
        expect("the devices", "{\"name\":\"a\"", "{\"name\":\"b\"")
        expect("event 1: clock is not", "\"clock\":\"a1\"", "\"clock\":\"a2\"")
        expect("event 1: wall is not", "\"wall\":1", "\"wall\":2")
        expect("event 1: changes is not", "Rice", "Ryce")
        expect("event 1: it says more", "\"event\":\"a1\"", "\"mood\":\"good\",\"event\":\"a1\"")
        expect("event 1: its bytes are no event", "\"bytes\":\"a8", "\"bytes\":\"a7")
        expect("event 1: bytes is not", "\"bytes\":\"a8", "\"bytes\":\"A8")
        expect("event 1: bytes is missing", "\"bytes\":\"a8", "\"bytes\":\"x8")
        expect("event 1: seal is missing", "\"seal\":", "\"seals\":")
        expect("event 2: it is not in the order", "\"seal\":{\"n\":2", "\"seal\":{\"n\":1")
        expect("the digest", "\"t\":\"65536\"", "\"t\":\"65537\"")
        expect("the counts", "\"counts\":{\"events\":2", "\"counts\":{\"events\":3")
        expect("line", "\"counts\"", "")
    }
}
