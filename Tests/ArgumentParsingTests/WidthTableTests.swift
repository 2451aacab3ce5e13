import Foundation
import MacrologTerminal
import Testing

/// Goal: the table of widths is what Unicode says, and not what someone typed.
/// Method: the script that writes the table writes it again from the files of the same version, where
/// they are installed; and letters whose width is known.
@Suite struct WidthTableTests {
    @Test(.enabled("unicode-data of the table's version is not installed") { isInstalled })
    func `the table is what the script makes of Unicode's files`() throws {
        let process = Process()
        process.executableURL = repository.appending(path: ".ci/width-table")
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let written = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        #expect(String(decoding: written, as: UTF8.self) == table)
    }

    @Test(.enabled("unicode-data of the table's version is not installed") { isInstalled })
    func `every emoji takes two columns`() throws {
        let file = try String(
            contentsOf: data.appending(path: "emoji/emoji-test.txt"), encoding: .utf8)
        let emoji = file.split(separator: "\n").filter { $0.contains("; fully-qualified") }.map {
            String(
                String.UnicodeScalarView(
                    $0.prefix { $0 != ";" }.split(separator: " ").compactMap {
                        UInt32($0, radix: 16).flatMap { Unicode.Scalar($0) }
                    }))
        }
        #expect(emoji.count > 3_000)
        let wrong = emoji.filter { displayWidth($0) != 2 }
        #expect(wrong == [])
    }

    @Test(arguments: [
        ("👨‍👩‍👧‍👦", 2), ("👩🏽‍🍳", 2), ("🇨🇭", 2), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", 2), ("1️⃣", 2), ("🫑", 2),
        ("❤", 1), ("❤\u{FE0F}", 2), ("a\u{FE0F}", 1), ("⌚", 2), ("☕", 2), ("☕\u{FE0F}", 2),
        ("\u{200D}", 0), ("\u{301}", 0), ("e\u{301}\u{323}", 1), ("\u{AD}", 1), ("\u{600}", 1),
        ("각", 2), ("\u{1112}\u{1161}\u{11AB}", 2), ("\u{1161}", 0), ("ｶﾞ", 2), ("Ａ", 2),
        ("กำ", 2), ("〇", 2), ("𩸽", 2), ("ไข่เจียว", 6), ("كُشَرِي", 4), ("שָׁלוֹם", 4), ("×½±", 3),
    ])
    func `a letter is as wide as a terminal draws it`(text: String, width: Int) {
        #expect(displayWidth(text) == width)
    }
}

private let data = URL(fileURLWithPath: "/usr/share/unicode")
private let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
private let table =
    (try? String(
        contentsOf: repository.appending(path: "Sources/Pure/Terminal/WidthTable.swift"),
        encoding: .utf8)) ?? ""

/// Whether the installed files are of the version that the table names.
private let isInstalled: Bool = {
    let file = data.appending(path: "EastAsianWidth.txt")
    guard let text = try? String(contentsOf: file, encoding: .utf8),
        let version = text.firstMatch(of: /EastAsianWidth-([\d.]+)\.txt/)?.1
    else { return false }
    return table.contains("version \(version).\n")
}()
