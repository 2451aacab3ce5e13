import Foundation
import Testing

/// Goal: what the other pages tell is there: files, folders, variables, and the README's example.
/// Method: read the pages as text, and look.
@Suite struct DocumentTests {
    /// The pages that name files: those of the root and of the rooms, and the annexes.
    private static func pages() throws -> [String] {
        ["README.md", "protocol.md", "Sources/README.md", "Tests/README.md"]
            + ["client-cli/README.md", "docs/ARCHITECTURE.md"]
            + (try Page.annexes().keys.sorted().map { "docs/protocol/\($0).md" })
    }

    @Test(arguments: try pages())
    func `each file and folder that a page names exists`(path: String) throws {
        let text = try Page(path).text
        let folder = path.split(separator: "/").dropLast().map { $0 + "/" }.joined()
        let quoted = text.matches(
            of: /`([A-Za-z][A-Za-z.-]*(?:\/[A-Za-z.-]+)+|[A-Z]\w+\.(?:swift|md))`/)
        let linked = text.matches(of: /\]\(([A-Za-z.\/]+)\)/)
        let names = quoted.map { String($0.1) } + linked.map { String($0.1) }
        let files = Set(names).filter { !$0.hasPrefix("application/") && !$0.hasPrefix("text/") }
        for name in files.sorted() {
            let isThere = ["", "Sources/", folder, "Sources/Pure/Nutrition/Fields/"]
                .contains { FileManager.default.fileExists(atPath: Package.root + $0 + name) }
            #expect(isThere, "\(path) names \(name)")
        }
    }

    @Test func `each acceptance test stands under its number where the page says`() throws {
        var numbers: [Int] = []
        for row in try Page("Tests/README.md").text.matches(of: /(?m)^\| (\d+) \| .*$/) {
            let files = row.0.matches(of: /`(\w+\/\w+\.swift)`/)
            #expect(!files.isEmpty, "\(row.1) names no file")
            for file in files {
                let isThere = try Page("Tests/\(file.1)").text.contains("func `\(row.1) ")
                #expect(isThere, "\(file.1) has no test \(row.1)")
            }
            numbers.append(try #require(Int(row.1)))
        }
        #expect(numbers == Array(1...20))
    }

    @Test func `every room stands in the reading order, and every folder of tests in its page`()
        throws
    {
        let floors = ["", "/C", "/Pure", "/Keepers", "/Device", "/Server", "/Workshop"]
        for folder in floors.map({ "Sources" + $0 }) + ["Tests"] {
            let page = folder.hasPrefix("Tests") ? "Tests" : "Sources"
            let text = try Page("\(page)/README.md").text
            for name in try FileManager.default.contentsOfDirectory(atPath: Package.root + folder)
            where !name.contains(".") {
                #expect(text.contains("`\(name)`"), "\(page)/README.md does not name \(name)")
            }
        }
    }

    @Test func `the README shows the example that is compiled and run`() throws {
        let shown = try #require(
            try Page("README.md").text.firstMatch(of: /(?ms)^```swift\n(.*?)^```$/)?.1)
        let file = try Page("Tests/MacrologTests/ExampleTests.swift").text
        let parts = file.components(separatedBy: "// README\n")
        try #require(parts.count == 3)
        #expect(shown == parts[1])
        #expect(shown.split(separator: "\n").count < 40)
    }

    @Test func `the library's pages show what the guide compiles, and all of it`() throws {
        let code = try ["Guide/Guide.swift", "Todo/Todo.swift"].map {
            try Page("Examples/" + $0).text
        }.joined()
        let compiled = code.matches(of: /(?ms)^ *\/\/ show: \w+\n(.*?)^ *\/\/ end\n/).map {
            block -> String in
            let lines = block.1.split(separator: "\n", omittingEmptySubsequences: false)
            let indents = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }
            return lines.map { $0.dropFirst(indents.min() ?? 0) }.joined(separator: "\n")
        }
        let folder = "Sources/Device/Macrolog/Macrolog.docc/"
        let pages = try FileManager.default.contentsOfDirectory(atPath: Package.root + folder)
        let shown = try pages.filter { $0.hasSuffix(".md") }.flatMap { name in
            try Page(folder + name).text.matches(of: /(?ms)^```swift\n(.*?)^```$/).map {
                String($0.1)
            }
        }
        #expect(shown.count >= 15)
        for block in shown { #expect(compiled.contains(block), "no such code:\n\(block)") }
        for block in compiled { #expect(shown.contains(block), "on no page:\n\(block)") }
    }
}
