import MacrologEvents
import MacrologWire
import MacrologLog
import MacrologNutrition
import MacrologNutritionModels
import MacrologReadModels
import Testing

/// Goal: a device records nothing that another would refuse to read.
/// Method: drafts at and beyond each limit; what decoding says of the event is what recording does.
@Suite struct DraftTests {
    static let id = Identifier(high: 1, low: 1)
    static func text(_ bytes: Int) -> UTF8Text { UTF8Text(String(repeating: "a", count: bytes)) }

    static func nested(_ depth: Int) -> Value {
        (0..<depth).reduce(.int(1)) { value, _ in .array([value]) }
    }

    static func changes(_ operations: CellOperation...) -> [Change] {
        [Change(EntityKey("meal", id), operations)]
    }

    static func fields(_ count: Int) -> ValueMap {
        ValueMap((0..<count).map { ValueMap.Entry(UTF8Text("f\($0)"), .int(1)) })
    }

    static let drafts: [Draft] = [
        Draft("t", changes(.set(["a": 1]))),
        Draft(text(64), changes(.set(["a": 1]))), Draft(text(65), changes(.set(["a": 1]))),
        Draft("t", version: 0, changes(.delete)), Draft("t", []), Draft("t", changes()),
        Draft("t", changes(.set([:]))),
        Draft("t", changes(.set(fields(64)))), Draft("t", changes(.set(fields(65)))),
        Draft("t", changes(.set([text(64): 1]))), Draft("t", changes(.set([text(65): 1]))),
        Draft("t", changes(.set(["a": .text(text(16_384))]))),
        Draft("t", changes(.set(["a": .text(text(16_385))]))),
        Draft(
            "t", changes(.add(field: "a", element: .bytes([UInt8](repeating: 0, count: 16_385))))),
        Draft("t", changes(.set(["a": nested(12)]))), Draft("t", changes(.set(["a": nested(13)]))),
        Draft("t", changes(.add(field: "a", element: nested(12)))),
        Draft("t", changes(.add(field: "a", element: nested(13)))),
        Draft("t", changes(.remove(field: text(65), element: 1))),
        Draft("t", changes(.set(["a": .map(fields(64))]))),
        Draft("t", changes(.set(["a": .map(fields(65))]))),
        Draft("t", changes(.set(["a": .map([text(65): 1])]))),
        Draft("t", changes(.set(["a": 1]), .set(["a": 2]))),
        Draft("t", changes(.set(["a": 1]), .set(["b": 2]))),
        Draft("t", changes(.delete, .restore)),
        Draft("t", changes(.unknown(verb: 5, arguments: [1]), .unknown(verb: 5, arguments: []))),
        Draft("t", changes(.unknown(verb: 0, arguments: []))),
        Draft("t", changes(.unknown(verb: 5, arguments: [nested(13)]))),
        Draft("t", changes(.unknown(verb: 5, arguments: [Value](repeating: 1, count: 64)))),
        Draft(
            "t",
            changes(.unknown(verb: 5, arguments: [Value](repeating: .text(text(16_000)), count: 5)))
        ),
        Draft("t", changes(.delete) + changes(.delete)),
        Draft("t", [Change(EntityKey(text(65), id), [.delete])]),
        Draft(
            "t",
            (0..<64).map { Change(EntityKey("meal", Identifier(high: 2, low: $0)), [.delete]) }),
        Draft(
            "t",
            (0..<65).map { Change(EntityKey("meal", Identifier(high: 2, low: $0)), [.delete]) }),
        Draft("t", changes(.set(fields(40)), .set(fields(40)))),
        Draft(
            "t",
            [
                Change(
                    EntityKey("meal", id),
                    (0..<65).map { .add(field: "a", element: .int($0)) })
            ]),
    ]

    @Test(arguments: drafts.indices)
    func `recording refuses exactly what could not be decoded`(index: Int) throws {
        let draft = Self.drafts[index]
        let device = try Device("a")
        let event = Event(
            dot: Dot(device: device.store.log.device, seq: 1), base: .none,
            wall: device.reading.wall, type: draft.type, version: draft.version,
            changes: draft.changes, group: draft.group)
        var expected: LogError?
        do throws(CBORError) { _ = try Event.decoded(event.encoded()) } catch {
            expected = LogError(error.code == .limit ? .tooLarge : .malformedDraft)
        }
        var refused: LogError?
        do { _ = try device.store.record([draft], at: device.reading) } catch { refused = error }
        #expect(refused == expected, "draft \(index)")
    }
}
