import Foundation
import MacrologDrawing
import MacrologFaces
import Testing

/// Goal: days can be printed, whatever their names are and however many they are.
/// Method: the real program writes the files; pages are counted in them.
@Suite(.enabled("libpangocairo-1.0-0 is not installed") { canDraw })
struct ExportPDFTests: TypingSuite {
    let computer: Computer

    init() throws { computer = try Computer() }

    private func file(_ name: String) throws -> Data {
        try Data(contentsOf: computer.folder.appending(path: name))
    }

    @Test func `a month is printed, the same bytes each time, and no file is replaced`() throws {
        try type("demo seed --date 2024-03-10")
        let told = try type("export pdf a.pdf --to 2024-03-10")
        #expect(told == "Wrote 30 days on 5 pages to a.pdf.\n")
        let answer = try json("export pdf b.pdf --from 2024-02-10 --to 2024-03-10")
        #expect(answer["page_count"] as? Int == 5 && answer["day_count"] as? Int == 30)
        #expect(try file("a.pdf").starts(with: Data("%PDF-".utf8)))
        #expect(try file("a.pdf") == file("b.pdf"))
        let refused = try computer.run(["export", "pdf", "a.pdf", "--to", "2024-03-10"])
        #expect(refused.status == 73 && refused.errors.contains("--force"), "\(refused.errors)")
        #expect(try type("export pdf a.pdf --to 2024-03-10 --force").hasPrefix("Wrote 30 days"))
    }

    @Test func `long names and names of other scripts make no line more`() throws {
        for name in [
            String(repeating: "Very long name ", count: 12), "عشاء مع الخبز", "<b>&amp;</b>",
        ] {
            let result = try computer.run(["add", name, "--kcal", "300", "--date", "2024-03-10"])
            #expect(result.status == 0, "\(result.errors)")
        }
        try type("weight log 80.2kg --date 2024-03-10")
        #expect(try type("export pdf a.pdf --to 2024-03-10").contains("1 day on 1 page"))
    }

    @Test func `a day with many meals continues on the next page`() throws {
        let lines = (0..<60).map { "2024-03-10,\($0 / 4 + 8):\($0 % 4 + 1)0,Meal \($0),100" }
        try Data(("date,time,name,kcal\n" + lines.joined(separator: "\n") + "\n").utf8)
            .write(to: computer.folder.appending(path: "meals.csv"))
        try type("import csv meals.csv")
        #expect(try type("export pdf a.pdf --to 2024-03-10").contains("1 day on 2 pages"))
    }

    @Test func `a period with nothing in it is said, and leaves no file`() throws {
        try type("quick 250 --date 2024-03-10")
        let result = try computer.run([
            "export", "pdf", "a.pdf", "--from", "2020-01-01", "--to", "2020-12-31",
        ])
        #expect(result.status == 66 && result.errors.contains("2020-01-01"), "\(result.errors)")
        #expect(try computer.files(of: "a.pdf") == [])
        let wrong = try computer.run(["export", "pdf", "a.pdf", "--from", "1", "--to", "-3"])
        #expect(wrong.status == 64, "\(wrong.errors)")
    }

    @Test func `without a name it goes to standard output, but not to a terminal`() throws {
        try type("quick 250 --date 2024-03-10")
        let result = try computer.run(["export", "pdf", "--to", "2024-03-10"])
        #expect(result.status == 0 && result.output.hasPrefix("%PDF-"), "\(result.errors)")
        let shown = try computer.show(
            ["export", "pdf", "--to", "2024-03-10"], status: 64)
        #expect(shown.contains("a terminal shows no PDF"), "\(shown)")
    }
}

private let canDraw = (try? Picture(width: 10, height: 10, title: "").pdf(.light)) != nil
