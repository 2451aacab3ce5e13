import MacrologEvents
import MacrologTestSupport
import Foundation
import Testing

/// Goal: the files in `Vectors` say what this room does, so that another implementation can trust
/// them, and no change here changes them unnoticed.
/// Method: each file is generated again and compared; then read as a stranger would read it. To
/// write them again: `MACROLOG_TEST_RECORD=1 swift test --filter VectorTests`, a run that fails.
@Suite(.serialized) struct VectorTests {
    private static func path(_ name: String) -> String {
        let here = #filePath
        return here.dropLast("VectorTests.swift".count) + "Vectors/\(name).json"
    }

    private func recorded(_ name: String) throws -> [JSON] {
        let data = try Data(contentsOf: URL(filePath: Self.path(name)))
        return try JSONDecoder().decode(JSON.self, from: data).array
    }

    private static let generators: [String: @Sendable () -> [JSON]] = [
        "events": events, "refused": refused, "registers": registers, "messages": messages,
        "seals": seals,
    ]

    @Test(arguments: generators.keys.sorted())
    func `the files are what the code would write`(name: String) throws {
        let generator = try #require(Self.generators[name])
        let text = JSON.array(generator()).rendered() + "\n"
        let path = Self.path(name)
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            try Data(text.utf8).write(to: URL(filePath: path))
            Issue.record("\(name).json was written again: read its difference, then run again")
            return
        }
        let file = try String(contentsOfFile: path, encoding: .utf8)
        #expect(file.utf8.elementsEqual(text.utf8), "\(name).json differs from what we write")
    }

    @Test func `each event has the recorded bytes and hash`() throws {
        for entry in try recorded("events") {
            let name = Comment(rawValue: entry["name"].string ?? "")
            let bytes = try #require(entry["hex"].bytes, name)
            let event = try #require(entry["event"].event, name)
            #expect(event.encoded() == bytes, name)
            #expect(try Event.decoded(bytes) == event, name)
            #expect(hex(SHA256.hash(bytes)) == entry["sha256"].string, name)
        }
    }

    @Test func `each refused entry is refused with the recorded code`() throws {
        for entry in try recorded("refused") {
            let name = Comment(rawValue: entry["name"].string ?? "")
            let bytes = try #require(entry["hex"].bytes, name)
            let error = try #require(Self.decodingError(entry["as"].string ?? "", bytes), name)
            #expect("\(error.code)" == entry["code"].string, name)
            #expect(Int64(error.offset) == entry["offset"].int, name)
        }
    }

    @Test func `each set of events makes the recorded registers, in any order`() throws {
        for entry in try recorded("registers") {
            let name = Comment(rawValue: entry["name"].string ?? "")
            var events = try entry["events"].array.map { row in
                (
                    event: try Event.decoded(try #require(row["hex"].bytes, name)),
                    seal: row["n"].int.flatMap { n in row["t"].int.map { Seal(n: n, t: $0) } }
                )
            }
            var dice = Dice(seed: 17)
            for _ in 0..<20 {
                #expect(Self.register(events)["state"] == entry["state"], name)
                events.shuffle(using: &dice)
            }
            let state = try EntityState.decoded(try #require(entry["state"].bytes, name))
            #expect(JSON(state.fields) == entry["fields"], name)
            #expect(state.isDeleted == entry["deleted"].bool, name)
            #expect(state.isEditedByNewerVersion == entry["newer"].bool, name)
            #expect(JSON.array(state.conflicts.map { JSON($0) }) == entry["conflicts"], name)
        }
    }

    @Test func `each recorded time is what its clocks and its floor make`() throws {
        for entry in try recorded("seals") {
            let name = Comment(rawValue: entry["name"].string ?? "")
            let t = Sealing.time(
                age: try #require(entry["age"].int, name),
                now: try #require(entry["now"].int, name),
                floor: try #require(entry["floor"].int, name))
            #expect(t == entry["t"].int, name)
        }
    }

    @Test func `each message reads and writes its recorded bytes`() throws {
        for entry in try recorded("messages") {
            let name = Comment(rawValue: entry["name"].string ?? "")
            let bytes = try #require(entry["hex"].bytes, name)
            switch entry["as"].string {
            case "request":
                let request = try SyncRequest.decoded(bytes)
                #expect(JSON(request) == entry["message"] && request.encoded() == bytes, name)
            case "recover request":
                let request = try RecoverRequest.decoded(bytes)
                #expect(JSON(request) == entry["message"] && request.encoded() == bytes, name)
            case "recover answer":
                let answer = try RecoverAnswer.decoded(bytes)
                #expect(JSON(answer) == entry["message"] && answer.encoded() == bytes, name)
            case "digest request":
                let request = try DigestRequest.decoded(bytes)
                #expect(JSON(request) == entry["message"] && request.encoded() == bytes, name)
            case "digest answer":
                let answer = try DigestAnswer.decoded(bytes)
                #expect(JSON(answer) == entry["message"] && answer.encoded() == bytes, name)
            default:
                let answer = try SyncAnswer.decoded(bytes)
                #expect(JSON(answer) == entry["message"] && answer.encoded() == bytes, name)
            }
        }
    }
}

extension VectorTests {
    private static func events() -> [JSON] {
        VectorExamples.events.map { name, event in
            let bytes = event.encoded()
            return .object([
                ("name", .string(name)), ("event", JSON(event)), ("hex", JSON(hex: bytes)),
                ("sha256", JSON(hex: SHA256.hash(bytes))),
            ])
        }
    }

    private static func refused() -> [JSON] {
        VectorExamples.refused.map { name, form, bytes in
            guard let error = decodingError(form, bytes) else {
                preconditionFailure("\(name): accepted")
            }
            return .object([
                ("name", .string(name)), ("as", .string(form)), ("hex", JSON(hex: bytes)),
                ("code", .string("\(error.code)")), ("offset", .int(Int64(error.offset))),
            ])
        }
    }

    private static func decodingError(_ form: String, _ bytes: [UInt8]) -> CBORError? {
        do throws(CBORError) {
            switch form {
            case "event": _ = try Event.decoded(bytes)
            case "request": _ = try SyncRequest.decoded(bytes)
            default: _ = try SyncAnswer.decoded(bytes)
            }
            return nil
        } catch {
            return error
        }
    }

    private static func registers() -> [JSON] {
        VectorExamples.registers.map { name, events in
            let rows: [JSON] = events.map { event, seal in
                .object([
                    ("n", seal.map { JSON($0.n) } ?? .null),
                    ("t", seal.map { JSON($0.t) } ?? .null),
                    ("hex", JSON(hex: event.encoded())),
                ])
            }
            guard case .object(let result) = register(events) else { return .null }
            return .object([("name", .string(name)), ("events", .array(rows))] + result)
        }
    }

    private static func register(_ events: [VectorExamples.Sealed]) -> JSON {
        var (state, digest) = (EntityState(), PrefixDigest.empty)
        for (event, seal) in events {
            let stamp = Stamp(dot: event.dot, base: event.base, seal: seal)
            for change in event.changes { state.fold(change, stamp: stamp) }
            guard let seal else { continue }
            digest.add(hash: event.encoded().withUnsafeBytes { SHA256.words($0) }, seal: seal)
        }
        return .object([
            ("fields", JSON(state.fields)),
            ("tags", .array(state.members("tags").map { JSON($0) })),
            ("deleted", .bool(state.isDeleted)), ("newer", .bool(state.isEditedByNewerVersion)),
            ("conflicts", .array(state.conflicts.map { JSON($0) })),
            ("state", JSON(hex: state.encoded())), ("digest", JSON(hex: digest.bytes)),
        ])
    }

    private static func seals() -> [JSON] {
        VectorExamples.seals.map { name, now, age, floor in
            .object([
                ("name", .string(name)), ("now", JSON(now)), ("age", JSON(age)),
                ("floor", JSON(floor)),
                ("t", JSON(Sealing.time(age: age, now: now, floor: floor))),
            ])
        }
    }

    private static func messages() -> [JSON] {
        let requests = VectorExamples.requests.map { name, request in
            message(name, "request", request.encoded(), JSON(request))
        }
        let answers = VectorExamples.answers.map { name, answer in
            message(name, "answer", answer.encoded(), JSON(answer))
        }
        let recovery =
            RecoverVectors.requests.map { name, request in
                message(name, "recover request", request.encoded(), JSON(request))
            }
            + RecoverVectors.answers.map { name, answer in
                message(name, "recover answer", answer.encoded(), JSON(answer))
            }
        let repair =
            DigestVectors.requests.map { name, request in
                message(name, "digest request", request.encoded(), JSON(request))
            }
            + DigestVectors.answers.map { name, answer in
                message(name, "digest answer", answer.encoded(), JSON(answer))
            }
        return requests + answers + recovery + repair
    }

    private static func message(
        _ name: String, _ form: String, _ bytes: [UInt8], _ message: JSON
    ) -> JSON {
        .object([
            ("name", .string(name)), ("as", .string(form)), ("message", message),
            ("hex", JSON(hex: bytes)),
        ])
    }
}
