import MacrologEvents
import MacrologWire

/// What the vector files are made from.
enum VectorExamples {
    static let a = device(0x0A)
    static let b = device(0x0B)
    static let c = device(0x0C)
    static let meal = EntityKey("meal", Identifier(high: 0x0190_163D_8694_739B, low: 0xAEA5 << 48))

    private static func device(_ last: UInt64) -> Identifier {
        Identifier(high: 0x0190_163D_8694_739B, low: 0xAEA5 << 48 | last)
    }

    static func event(
        _ dot: (Identifier, Int64), base: Int64 = 0, _ operations: [MacrologEvents.CellOperation]
    ) -> Event {
        Event(
            dot: Dot(device: dot.0, seq: dot.1), base: base == 0 ? .none : Base(epoch: 1, n: base),
            wall: 1_790_000_000_000 + dot.1, type: "meal.edited",
            changes: [Change(meal, operations)])
    }

    static var events: [(name: String, event: Event)] {
        let numbers: [Int64] = [
            0, 23, 24, 255, 256, 65_535, 65_536, 4_294_967_295, 4_294_967_296, .max, -1, -24, -25,
            -256, -257, .min,
        ]
        var several = event((a, 3), base: 7, [.set(["name": "Lunch"])])
        several.changes.append(
            Change(EntityKey("meal_item", b), [.set(["parent": .bytes(meal.id.bytes)])]))
        several.changes.append(Change(EntityKey("food", c), [.delete]))
        several.group = c
        var newer = event((c, 4_294_967_296), base: .max, [.set(["name": .null])])
        newer.version = 2
        newer.extras = [.init(key: 8, value: "new"), .init(key: 1_000, value: .map(["x": [1]]))]
        var early = event((a, 1), [.restore])
        early.wall = -1
        let deepest = (0..<12).reduce(Value.int(1)) { inner, _ in .array([inner]) }
        return [
            ("the least event: a deletion before any server was met", event((a, 1), [.delete])),
            (
                "a meal of six fields",
                event(
                    (a, 2), base: 40,
                    [
                        .set([
                            "name": "Rolled oats with milk", "energy_cal": 389_000,
                            "protein_mg": 16_900, "carbohydrate_mg": 66_300, "fat_mg": 6_900,
                            "slot": "breakfast",
                        ])
                    ])
            ),
            (
                "every kind of value",
                event(
                    (b, 1), base: 1,
                    [
                        .set([
                            "null": .null, "true": true, "false": false, "int": -1, "text": "a\0b",
                            "bytes": .bytes([0, 255]), "array": [1, "x", []],
                            "map": .map(["b": 2, "a": 1, "aa": .map([:])]), "empty": "",
                        ])
                    ])
            ),
            (
                "whole numbers at every width",
                event((b, 2), base: 2, [.set(["numbers": .array(numbers.map { .int($0) })])])
            ),
            (
                "names that look alike are two, and shorter ones come first",
                event(
                    (b, 3), base: 2, [.set(["\u{212B}": 2, "\u{C5}": 1, "zz": 3, "e\u{301}": 4])])
            ),
            ("three entities in one action of a group", several),
            (
                "sets",
                event(
                    (b, 4), base: 3,
                    [
                        .add(field: "tags", element: "lunch"),
                        .add(field: "tags", element: "\u{10151}"),
                        .remove(field: "tags", element: ["a", 1]),
                    ])
            ),
            (
                "verbs of a newer version",
                event(
                    (c, 1), base: 3,
                    [.unknown(verb: 5, arguments: []), .unknown(verb: 500, arguments: [1, "x"])])
            ),
            ("parts of a newer version", newer),
            ("a clock before 1970", early),
            ("a value as deep as may be", event((a, 5), [.set(["deep": deepest])])),
            (
                "a name of 64 bytes",
                event((a, 6), [.set([UTF8Text(String(repeating: "\u{E9}", count: 32)): 1])])
            ),
        ]
    }

    /// Bytes that must be refused, and how: as an event, a request or an answer.
    static var refused: [(name: String, form: String, bytes: [UInt8])] {
        let good = event((a, 1), [.set(["x": 1])]).encoded()
        func replaced(_ old: String, _ new: String) -> [UInt8] {
            let (old, new) = (hex(old), hex(new))
            let places = good.indices.filter { good[$0...].starts(with: old) }
            precondition(places.count == 1, "it occurs once")
            return Array(good[..<places[0]] + new + good[(places[0] + old.count)...])
        }
        return [
            ("no bytes", "event", []),
            ("another type", "event", [0x80]),
            ("cut in the middle", "event", Array(good.prefix(20))),
            ("a byte too many", "event", good + [0]),
            ("a float", "event", replaced("a1617801", "a16178f93c00")),
            ("a double", "event", replaced("a1617801", "a16178fb3ff0000000000000")),
            ("not the shortest number", "event", replaced("a1617801", "a161781801")),
            ("not the shortest length", "event", replaced("a1617801", "a178017801")),
            ("an indefinite map", "event", replaced("a1617801", "bf617801ff")),
            ("a tag", "event", replaced("a1617801", "a16178c101")),
            ("a tag that looks like false", "event", replaced("a1617801", "a16178d4")),
            ("undefined", "event", replaced("a1617801", "a16178f7")),
            ("a number outside 64 bits", "event", replaced("a1617801", "a161781b8000000000000000")),
            ("keys out of order", "event", replaced("a1617801", "a2617901617801")),
            ("a key twice", "event", replaced("a1617801", "a2617801617801")),
            ("a key that is a number", "event", replaced("a1617801", "a10101")),
            ("a key that is not UTF-8", "event", replaced("a1617801", "a161ff01")),
            ("an overlong text", "event", replaced("a1617801", "a1617862c0ae")),
            ("a surrogate in a text", "event", replaced("a1617801", "a1617863eda080")),
            ("no fields", "event", replaced("a1617801", "a0")),
            ("a length beyond the end", "event", replaced("a1617801", "a161789b7fffffffffffffff")),
            (
                "too deep", "event",
                replaced("a1617801", "a16178" + String(repeating: "81", count: 13) + "01")
            ),
            ("seq 0", "event", replaced("0101028200", "0100028200")),
            ("a base without an epoch", "event", replaced("02820000", "02820001")),
            ("a verb 0", "event", replaced("a1617801", "8100")),
            ("a deletion with arguments", "event", replaced("a1617801", "820301")),
            ("no change", "event", event((a, 1), []).with { $0.changes = [] }.encoded()),
            ("no operation", "event", event((a, 1), []).encoded()),
            ("a cell written twice", "event", event((a, 1), [.delete, .restore]).encoded()),
            (
                "an entity changed twice", "event",
                event((a, 1), [.delete]).with { $0.changes.append($0.changes[0]) }.encoded()
            ),
            (
                "a name of 65 bytes", "event",
                event((a, 1), [.set([UTF8Text(String(repeating: "x", count: 65)): 1])]).encoded()
            ),
            ("a skeleton in the place of an event", "event", skeleton),
            ("a request of version 2", "request", hex("a10002")),
            ("a request with a key missing", "request", hex("a10001")),
            ("an answer with a key missing", "answer", hex("a10001")),
            (
                "an answer whose epoch is 0", "answer",
                hex("a6000001000200030004800550") + [UInt8](repeating: 0, count: 16)
            ),
            (
                "a page of an own event with nine columns", "answer",
                hex("a600010100020003000489 8101 8100 8101 80 80 80 80 80 80 0550")
                    + [UInt8](repeating: 0, count: 16)
            ),
            (
                "a page that lists a device of whose events it holds none", "answer",
                hex("a60001010002000300048a 8101 8100 8101 81 50")
                    + [UInt8](repeating: 7, count: 16) + hex("80 80 80 80 80 80 0550")
                    + [UInt8](repeating: 0, count: 16)
            ),
        ]
    }

    static var requests: [(name: String, request: SyncRequest)] {
        let one = SyncRequest.Pushed(age: 1_500, body: events[0].event.encoded())
        let two = SyncRequest.Pushed(age: -1, body: events[1].event.encoded())
        return [
            (
                "the first request of a new device",
                SyncRequest(device: a, epoch: 0, cursor: 0, digest: .empty, pushed: [])
            ),
            (
                "two events on their way",
                SyncRequest(
                    device: a, epoch: 7, cursor: 36_500, digest: digest, pushed: [one, two],
                    eventsMax: 100, bytesMax: 65_536)
            ),
        ]
    }

    static var answers: [(name: String, answer: SyncAnswer)] {
        let t: Int64 = 1_790_000_000_000 << 16
        let own = [13, 14].map { SyncAnswer.Content.own(seq: Seq($0)) }
        return [
            (
                "nothing new",
                SyncAnswer(
                    epoch: 7, head: 36_500, admitted: 12, now: 1_790_000_000_000, rows: [],
                    digest: digest)
            ),
            (
                "an event of another device between two of one's own",
                SyncAnswer(
                    epoch: 7, head: 36_600, admitted: 14, now: 1_790_000_000_000,
                    rows: [
                        .init(t: t + 5, content: own[0]),
                        .init(t: t - 9, content: .event(events[2].event.encoded())),
                        .init(t: t + 6, content: own[1]),
                    ], digest: digest)
            ),
            (
                "a skeleton before an event of its device",
                SyncAnswer(
                    epoch: 7, head: 2, admitted: 0, now: 1_790_000_000_000,
                    rows: [
                        .init(t: t + 5, content: .event(skeleton)),
                        .init(t: t + 6, content: .event(events[1].event.encoded())),
                    ], digest: digest)
            ),
            ("a page, column by column", page),
        ]
    }

    /// The example of `docs/protocol/bytes.md`: two events of one device around an own one.
    private static var page: SyncAnswer {
        let t: Int64 = 1_790_000_000_005 << 16
        let meal = Identifier(high: 0x0190_163d_8694_739b, low: 0xaea5_0000_0000_0000)
        func deleted(_ seq: Int64, _ base: Base, _ wall: Int64) -> SyncAnswer.Content {
            let device = Identifier(high: 0x0190_163d_8694_739b, low: 0xaea5_0000_0000_000a)
            return .event(
                Event(
                    dot: Dot(device: device, seq: seq), base: base, wall: wall,
                    type: "meal.edited", changes: [Change(EntityKey("meal", meal), [.delete])]
                ).encoded())
        }
        return SyncAnswer(
            epoch: 7, head: 20, admitted: 4, now: 1_790_000_061_000,
            rows: [
                .init(t: t, content: deleted(1, .none, 1_790_000_000_001)),
                .init(t: t + 1, content: .own(seq: Seq(4))),
                .init(
                    t: t + 60_001 << 16,
                    content: deleted(2, Base(epoch: 7, n: 18), 1_790_000_060_001)),
            ], digest: digest)
    }

    /// Sealed times: what the server's clock says, the age, the floor, and the time that comes of it.
    static let seals: [(name: String, now: Int64, age: Int64, floor: Int64)] = {
        let now: Int64 = 1_790_000_000_000
        return [
            ("a moment ago", now, 5_000, 0), ("now", now, 0, 0),
            ("from the future", now, -5_000, 0), ("seen at the same moment", now, 0, now << 16),
            ("seen later than it was recorded", now, 5_000, now << 16),
            ("the counter overflows into the milliseconds", now, 5_000, now << 16 | 0xFFFF),
            ("before 1970", now, now + 1, 0), ("the greatest age", now, .max, 0),
            ("the least age", now, .min, 0), ("a server before 1970", -1, 0, 0),
            ("a server in a far future", 1 << 46 + 1, 0, 0),
            ("an age back to the present of a server in a far future", .max, .max - now, 0),
            ("an age that leaves 64 bits", .min, .max, 0),
            ("the last time but one", now, 0, .max - 1), ("the last time", now, 0, .max),
        ]
    }()

    /// What is left of the first example, after a look at 36,500 events.
    static var skeleton: [UInt8] {
        let body = events[0].event.encoded()
        let skeleton = body.withUnsafeBytes { try? Skeleton(of: $0, through: 36_500) }
        guard let skeleton else { preconditionFailure("the first example is an event") }
        return skeleton.encoded()
    }

    private static var digest: PrefixDigest {
        var digest = PrefixDigest.empty
        let hash = events[0].event.encoded().withUnsafeBytes { SHA256.words($0) }
        digest.add(hash: hash, seal: Seal(n: 1, t: 1_790_000_000_000 << 16))
        return digest
    }
}

extension Event {
    fileprivate func with(_ change: (inout Event) -> Void) -> Event {
        var event = self
        change(&event)
        return event
    }
}
