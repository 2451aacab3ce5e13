/// What a Markdown page of this package says, taken apart: sections, tables, blocks of code.
import Foundation

struct Page {
    let text: String

    /// A file of this package, by its path from the package's root.
    init(_ path: String) throws {
        text = try String(contentsOfFile: Package.root + path, encoding: .utf8)
    }

    /// The annexes of the protocol, by name: `limits` is `docs/protocol/limits.md`.
    static func annexes() throws -> [String: Page] {
        let folder = "docs/protocol/"
        let files = try FileManager.default.contentsOfDirectory(atPath: Package.root + folder)
        let pages = try files.filter { $0.hasSuffix(".md") }.map {
            (String($0.dropLast(3)), try Page(folder + $0))
        }
        return Dictionary(uniqueKeysWithValues: pages)
    }

    /// Whether a section such as `6.7` has a heading or a row of its own.
    func has(section number: String) -> Bool {
        text.contains("## \(number) ") || text.contains("\n| \(number) |")
    }

    /// The headings of the first level below the title, by their number: 3 is `The bytes …`.
    var sections: [Int: String] {
        var sections: [Int: String] = [:]
        for match in text.matches(of: /(?m)^## (\d+) (.+)$/) {
            sections[Int(match.1) ?? 0] = String(match.2)
        }
        return sections
    }

    /// The text of a section, by its number.
    func section(_ number: Int) -> String {
        let parts = text.components(separatedBy: "\n## ")
        return parts.first { $0.hasPrefix("\(number) ") } ?? ""
    }

    /// The rows of all tables in a text, cell by cell, without the backticks around a whole cell.
    static func rows(_ text: String) -> [[String]] {
        text.split(separator: "\n").filter { $0.hasPrefix("|") }.map { line in
            line.split(separator: "|").map { cell in
                let cell = cell.trimmingCharacters(in: .whitespaces)
                let isCode = cell.count > 2 && cell.hasPrefix("`") && cell.hasSuffix("`")
                return isCode && !cell.dropFirst().dropLast().contains("`")
                    ? String(cell.dropFirst().dropLast()) : cell
            }
        }
    }

    /// The blocks of code in a text, without their fences.
    static func blocks(_ text: String) -> [String] {
        text.matches(of: /(?ms)^```[a-z]*\n(.*?)^```$/).map { String($0.1) }
    }
}

/// The files of this package.
enum Package {
    static let root = #filePath.components(separatedBy: "Tests/ProtocolTests/")[0]

    /// The Swift files below a folder: path from the root, and text.
    static func sources(_ folder: String) throws -> [(path: String, text: String)] {
        let all = FileManager.default.enumerator(atPath: root + folder)
        return try (all?.allObjects as? [String] ?? []).filter { $0.hasSuffix(".swift") }.sorted()
            .map { ("\(folder)/\($0)", try Page("\(folder)/\($0)").text) }
    }
}
