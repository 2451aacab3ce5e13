import Foundation
import Testing

/// Goal: code, output and pages use the words of `GLOSSARY.md`, so that a reader can search for them.
/// Method: count the phrases of `avoided-phrases.txt` in every source, of products and tests, and in every page; a phrase
/// may stand as often as its allowance says, which only shrinks.
@Suite struct WordsTests {
    /// A phrase that is avoided, how often it still stands, and where it is right.
    struct Avoided: CustomTestStringConvertible {
        let phrase: String
        let allowance: Int
        let exceptions: [String]

        var testDescription: String { phrase }

        /// Reads `phrase | allowance | exception; exception`.
        init(line: Substring) throws {
            let parts = line.split(separator: "|", omittingEmptySubsequences: false).map {
                $0.trimmingCharacters(in: .whitespaces)
            }
            try #require(parts.count == 3, "not phrase | allowance | exceptions: \(line)")
            phrase = parts[0]
            allowance = try #require(Int(parts[1]), "no allowance: \(line)")
            exceptions = parts[2].components(separatedBy: "; ").filter { !$0.isEmpty }
        }

        /// How often the phrase stands in a text, its exceptions left out.
        func count(in text: String) throws -> Int {
            var text = text
            for exception in exceptions {
                text = text.replacingOccurrences(
                    of: exception, with: "", options: [.caseInsensitive])
            }
            let pattern = try NSRegularExpression(
                pattern: "\\b\(NSRegularExpression.escapedPattern(for: phrase))\\b",
                options: [.caseInsensitive])
            return pattern.numberOfMatches(
                in: text, range: NSRange(text.startIndex..., in: text))
        }
    }

    static func avoided() throws -> [Avoided] {
        try Page("Tests/ProtocolTests/avoided-phrases.txt").text
            .split(separator: "\n").filter { !$0.hasPrefix("#") }.map { try Avoided(line: $0) }
    }

    private static let own = "Tests/ProtocolTests/WordsTests.swift"

    /// The sources of products and tests, and all pages; the glossary names what to avoid, and so does
    /// this file.
    static func texts() throws -> [(path: String, text: String)] {
        var paths = ["Sources", "client-cli", "sync-server", "Tests"].flatMap { folder in
            (FileManager.default.subpaths(atPath: Package.root + folder) ?? [])
                .filter { $0.hasSuffix(".swift") || $0.hasSuffix(".md") }.map { "\(folder)/\($0)" }
        }
        for folder in ["", "docs/"] {
            paths += (FileManager.default.subpaths(atPath: Package.root + folder) ?? [])
                .filter { $0.hasSuffix(".md") && !$0.contains(".build/") }
                .filter { folder != "" || !$0.contains("/") }.map { folder + $0 }
        }
        return try paths.filter { !["GLOSSARY.md", Self.own].contains($0) }.map {
            ($0, try Page($0).text)
        }
    }

    @Test func `no avoided phrase stands more often than its allowance`() throws {
        let texts = try Self.texts()
        #expect(texts.count > 100)
        for avoided in try Self.avoided() {
            let places = try texts.map { ($0.path, try avoided.count(in: $0.text)) }
                .filter { $0.1 > 0 }
            let count = places.reduce(0) { $0 + $1.1 }
            let where_ = places.map { "\($0.0) \($0.1)" }.joined(separator: ", ")
            #expect(count <= avoided.allowance, "\"\(avoided.phrase)\": \(where_)")
        }
    }
}
