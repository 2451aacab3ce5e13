import Foundation
import Testing

/// Goal: the library speaks to apps, which have buttons and no command line.
/// Method: read every string literal of its rooms; none may name a verb or a flag of `macrolog`, whose
/// words `client-cli` alone adds.
@Suite struct CommandWordsTests {
    /// Rooms that an app or a server runs.
    static let rooms = ["Device", "Formats", "Keepers", "Pure", "Server"].map { "Sources/\($0)" }

    /// `macrolog instance 1` is the title of a file; the parser of arguments is about flags.
    static let exceptions = ["macrolog instance 1"]
    static let exempt = [
        "Sources/Pure/ArgumentParsing/",
        // The names of a style begin with two hyphens.
        "Sources/Pure/SharePage/SharePageStyle.swift",
    ]

    /// The first words of all verbs, from their declarations.
    static func verbs() throws -> Set<String> {
        let declarations = try Package.sources("client-cli").flatMap { file in
            file.text.matches(of: /Verb\(\s*"([a-z]+)/).map { String($0.1) }
        }
        return Set(declarations)
    }

    /// The string literals of a file, without comments and without SQL, whose comments begin with
    /// two dashes and a space.
    static func literals(_ text: String) -> [String] {
        let code = text.split(separator: "\n").map { line in
            line.trimmingCharacters(in: .whitespaces).hasPrefix("//") ? "" : String(line)
        }.joined(separator: "\n")
        let long = code.matches(of: /(?s)"""(.*?)"""/).map { String($0.1) }
        let rest = code.replacing(/(?s)""".*?"""/, with: "")
        return long + rest.matches(of: /"((?:[^"\\\n]|\\.)*)"/).map { String($0.1) }
    }

    /// What a literal says that only a command line understands.
    static func commandWords(in literal: String, _ verbs: Set<String>) -> [String] {
        var text = literal
        for exception in exceptions { text = text.replacing(exception, with: "") }
        let commands = text.matches(of: /macrolog ([a-z]+)/).filter { verbs.contains(String($0.1)) }
            .map { String($0.0) }
        let flags = text.matches(of: /(?:^|[\s(`])(--[a-z][a-z-]+)/).map { String($0.1) }
        return commands + flags
    }

    @Test func `no text of the library names a command or a flag of the command line`() throws {
        let verbs = try Self.verbs()
        #expect(verbs.isSuperset(of: ["sync", "undo", "auth", "db"]))
        var count = 0
        for room in Self.rooms {
            for file in try Package.sources(room)
            where !Self.exempt.contains(where: { file.path.hasPrefix($0) }) {
                for literal in Self.literals(file.text) {
                    count += 1
                    #expect(Self.commandWords(in: literal, verbs) == [], "\(file.path): \(literal)")
                }
            }
        }
        #expect(count > 2_000)
    }

    @Test func `a planted command and a planted flag are found`() {
        let verbs: Set = ["sync", "db"]
        #expect(Self.commandWords(in: "first: macrolog db check", verbs) == ["macrolog db"])
        #expect(Self.commandWords(in: "or say --even-unsynced", verbs) == ["--even-unsynced"])
        #expect(Self.commandWords(in: "SELECT 1 -- bytes", verbs) == [])
        #expect(Self.commandWords(in: "macrolog instance 1", verbs) == [])
    }
}
