import MacrologEvents
import MacrologWire
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

    @Test(arguments: VectorFiles.names)
    func `the files are what the code would write`(name: String) throws {
        let text = VectorFiles.text(name)
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
            let error = try #require(
                VectorFiles.decodingError(entry["as"].string ?? "", bytes), name)
            #expect(error.code.rawValue == entry["code"].string, name)
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
                #expect(VectorFiles.register(events)["state"] == entry["state"], name)
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
            case "heal request":
                let request = try HealRequest.decoded(bytes)
                #expect(JSON(request) == entry["message"] && request.encoded() == bytes, name)
            case "heal answer":
                let answer = try HealAnswer.decoded(bytes)
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
