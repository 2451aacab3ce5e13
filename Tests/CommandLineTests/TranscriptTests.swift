import Foundation
import Testing

/// Goal: what a person sees in a terminal is what they were promised, to the last space.
/// Method: sessions as text files are held with the real program, on a log of their own.
/// After a wanted change: `MACROLOG_TEST_RECORD=1 swift test --filter Transcript` writes the files again
/// and fails; read the difference before committing it.
@Suite struct TranscriptTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Transcripts")

    static let names: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? [])
        .filter { $0.hasSuffix(".txt") }.sorted()

    @Test func `there are sessions to hold`() {
        #expect(Self.names.count >= 6)
    }

    @Test(arguments: names)
    func `a session is as it was written down`(name: String) throws {
        let file = Self.folder.appending(path: name)
        let transcript = Transcript(try String(contentsOf: file, encoding: .utf8))
        #expect(!transcript.steps.isEmpty)
        var outcome = try transcript.play(on: Computer(zone: "Europe/Zurich"))
        for _ in 0..<5 where outcome.hadLongID {
            outcome = try transcript.play(on: Computer(zone: "Europe/Zurich"))
        }
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            try outcome.record.write(to: file, atomically: true, encoding: .utf8)
            Issue.record("\(name) was written again")
        } else if let mistake = outcome.mistake {
            Issue.record("\(name)\n\(mistake)")
        }
    }
}
