import Foundation
import MacrologDrawing
import MacrologFaces
import Testing

/// Goal: a chart in a file is the same bytes wherever it is drawn, and readable on light and dark
/// screens. Method: the real program draws invented days; the files are compared with those kept
/// beside this test. After a wanted change: `MACROLOG_TEST_RECORD=1 swift test --filter ChartTests`.
@Suite struct ChartTests {
    static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "Charts")

    @Test(arguments: ["weight", "kcal", "macros"])
    func `a chart in a file is as it was drawn before`(name: String) throws {
        let computer = try Computer()
        try Self.live(computer)
        for file in ["first.svg", "second.svg"] {
            let result = try computer.run([
                "chart", name, "--days", "10", "--date", "2024-03-10", "--svg", file,
            ])
            #expect(result.status == 0, "\(result.errors)")
        }
        let drawn = try Data(contentsOf: computer.folder.appending(path: "first.svg"))
        #expect(try drawn == Data(contentsOf: computer.folder.appending(path: "second.svg")))
        let text = String(decoding: drawn, as: UTF8.self)
        #expect(text.contains("prefers-color-scheme:dark"))
        let golden = Self.folder.appending(path: "\(name).svg")
        if ProcessInfo.processInfo.environment["MACROLOG_TEST_RECORD"] != nil {
            try FileManager.default.createDirectory(
                at: Self.folder, withIntermediateDirectories: true)
            try drawn.write(to: golden)
            Issue.record("\(name).svg was written again")
        } else {
            #expect(try drawn == Data(contentsOf: golden))
        }
    }

    @Test(.enabled("libpangocairo-1.0-0 is not installed") { Self.canDraw })
    func `a picture has the colours of the screen it is for`() throws {
        let computer = try Computer()
        try Self.live(computer)
        var pictures: [[UInt8]] = []
        for theme in ["light", "dark"] {
            let words = "chart kcal --days 10 --date 2024-03-10 --png \(theme).png --theme \(theme)"
            let result = try computer.run(Transcript.words("macrolog \(words)"))
            try #require(result.status == 0, "\(result.errors)")
            let file = computer.folder.appending(path: "\(theme).png")
            let bytes = [UInt8](try Data(contentsOf: file))
            #expect(Array(bytes.prefix(8)) == [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])
            #expect(Array(bytes[16..<24]) == [0, 0, 6, 64, 0, 0, 3, 32], "1600 by 800")
            pictures.append(bytes)
        }
        #expect(pictures[0] != pictures[1])
    }

    @Test(.enabled("libpangocairo-1.0-0 is not installed") { Self.canDraw })
    func `one command writes every format, or none if a file is in the way`() throws {
        let computer = try Computer()
        try Self.live(computer)
        func draw(_ more: String) throws -> Computer.Result {
            try computer.run(
                Transcript.words(
                    "macrolog chart weight --days 10 --date 2024-03-10 --json --svg a.svg "
                        + "--png a.png --pdf a.pdf \(more)"))
        }
        let file = { computer.folder.appending(path: $0 as String) }
        try Data("mine".utf8).write(to: file("a.pdf"))
        #expect(try draw("").status == 73)
        #expect(try computer.files(of: "a") == ["a.pdf"])
        let result = try draw("--force")
        #expect(result.status == 0, "\(result.errors)")
        #expect(result.output.contains("\"pdf_file\": \"a.pdf\""), "\(result.output)")
        #expect(try computer.files(of: "a") == ["a.pdf", "a.png", "a.svg"])
        #expect(try Data(contentsOf: file("a.pdf")).starts(with: Data("%PDF-".utf8)))
    }

    private static var canDraw: Bool {
        (try? Picture(width: 10, height: 10, title: "").png(.light)) != nil
    }

    @Test func `a terminal without Unicode gets ASCII only, within its columns`() throws {
        let computer = try Computer()
        try Self.live(computer)
        computer.environment["LANG"] = "C"
        computer.environment["LC_ALL"] = "C"
        for words in [
            "chart weight", "chart kcal", "chart macros", "calendar 2024-03",
        ] {
            let result = try computer.run(
                Transcript.words("macrolog \(words) --date 2024-03-10"))
            #expect(result.status == 0, "\(result.errors)")
            #expect(result.output.utf8.allSatisfy { $0 < 0x80 }, "\(words)\n\(result.output)")
            #expect(result.output.split(separator: "\n").allSatisfy { $0.utf8.count <= 80 })
        }
    }

    @Test(arguments: [40, 50, 64] as [UInt16])
    func `a calendar is no wider than its terminal`(columns: UInt16) throws {
        let computer = try Computer()
        try Self.live(computer)
        computer.environment["NO_COLOR"] = "1"
        let text = try computer.show(["calendar", "2024-03"], columns: columns)
        for line in text.split(separator: "\r\n") { #expect(line.count <= columns, "\(line)") }
        #expect(text.contains("2,400") == (columns >= 50), "\(text)")
    }

    private static func live(_ computer: Computer) throws {
        var lines = [
            "goal set --kcal 2100 --date 2024-03-01", "goal set --kcal 1900 --date 2024-03-08",
        ]
        for day in 1...10 where day != 7 {
            let date = "--date 2024-03-\(day < 10 ? "0" : "")\(day) --quiet"
            lines.append(
                "add Food --kcal \(1_700 + day * 70) --p \(80 + day) --c 200 --f \(60 + day) "
                    + date)
            lines.append("weight log 8\(day % 3).\(day % 10)kg \(date)")
        }
        for line in lines {
            let result = try computer.run(Transcript.words("macrolog \(line)"))
            try #require(result.status == 0, "\(line): \(result.errors)")
        }
    }
}
