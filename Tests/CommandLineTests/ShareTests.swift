import Foundation
import MacrologDrawing
import MacrologFaces
import MacrologJSON
import Testing

/// Goal: a person shows a meal or some days to others in one command, and shows nothing by mistake.
/// Method: the real program, with words in the log that must not be shown.
@Suite struct ShareTests {
    @Test func `a sentence and a document hold what was chosen`() throws {
        let computer = try Self.computer()
        let sentence = try computer.run(["share", "text", "2024-03-10"])
        #expect(sentence.output == "I had 2 meals on Sunday, 10 March 2024 with 840 calories!\n")
        let document = try computer.run(["share", "text", "2024-03-04..2024-03-10", "--json"])
        #expect(document.status == 0, "\(document.errors)")
        let json = try JSON.parse(Array(document.output.utf8))
        #expect(json["kind"] == "range" && json["logged_days"] == 1)
        let meal = try Self.meal(on: computer)
        let link = try computer.run(["share", "text", meal, "--link", "https://e.org/s/1"])
        #expect(link.output == "I had Soup with 460 calories! https://e.org/s/1\n")
        for what in [meal, "2024-03-10", "2024-03-04..2024-03-10"] {
            let shown = try computer.run(["share", "text", what, "--json"]).output
            #expect(!shown.contains("canary") && !shown.contains(meal), "\(shown)")
        }
    }

    @Test func `a card is an SVG file that follows the screen, of the size that pages show`() throws
    {
        let computer = try Self.computer()
        let meal = try Self.meal(on: computer)
        for what in [meal, "2024-03-10", "2024-03-04..2024-03-10"] {
            let result = try computer.run(["share", "image", what, "card.svg", "--force"])
            #expect(result.status == 0, "\(result.errors)")
            let card = try String(
                contentsOf: computer.folder.appending(path: "card.svg"), encoding: .utf8)
            #expect(card.contains("viewBox=\"0 0 1200 630\""))
            #expect(card.contains("prefers-color-scheme:dark"))
            #expect(!card.contains("canary") && !card.contains(meal), "\(card)")
        }
    }

    @Test(.enabled("libpangocairo-1.0-0 is not installed") { canDraw })
    func `a card is a PNG file of 1200 by 630 pixels, and a PDF file`() throws {
        let computer = try Self.computer()
        let result = try computer.run(["share", "image", "2024-03-10", "card.png"])
        #expect(result.output == "Wrote Sunday, 10 March 2024 to card.png.\n", "\(result.errors)")
        let file = computer.folder.appending(path: "card.png")
        let bytes = [UInt8](try Data(contentsOf: file))
        #expect(Array(bytes[16..<24]) == [0, 0, 0x04, 0xB0, 0, 0, 0x02, 0x76])
        #expect(bytes.count < 200_000)
        let pdf = try computer.run(["share", "image", "2024-03-10", "card.pdf"])
        #expect(pdf.status == 0)
    }

    @Test(.enabled("libpangocairo-1.0-0 is not installed") { canDraw })
    func `letters without a font are a warning that names fonts`() throws {
        let computer = try Computer()
        let day = "--date 2024-03-10"
        try computer.run(Transcript.words("macrolog quick 100 '\u{10FFFD}\u{10FFFC}' \(day)"))
            .check()
        let result = try computer.run(["share", "image", "2024-03-10", "a.png"])
        #expect(result.status == 0 && result.errors == "", "the day does not name its meals")
        let meal = try Self.meal(on: computer)
        let warned = try computer.run(["share", "image", meal, "b.png"])
        #expect(warned.status == 0)
        #expect(warned.errors.contains("warning: 2 letters without a font"), "\(warned.errors)")
        #expect(warned.errors.contains("sudo apt-get install fonts-"), "\(warned.errors)")
    }

    @Test(arguments: [
        ("share image 2024-03-10 card.jpg", 64, "a name that ends with .png, .svg or .pdf"),
        ("share image 2024-03-10 card", 64, ".png, .svg or .pdf"),
        ("share text 2027-13-01", 64, "is not a day"),
        ("share text nonsense", 64, "neither a meal nor a day"),
        ("share text 2024-03-10..2024-03-09", 64, "two days, the earlier one first"),
        ("share text 2024-03-10..", 64, "two days, the earlier one first"),
        ("share text 2024-01-01..2024-03-09", 64, "at most 31 days"),
        ("share text 2024-03-01", 66, "nothing was eaten then: macrolog day show 2024-03-01"),
        (
            "share text 2024-02-01..2024-02-09", 66,
            "nothing was eaten then: macrolog stats --from 2024-02-01 --to 2024-02-09"
        ),
        ("share image 2024-03-10 log.db", 64, ".png, .svg or .pdf"),
        ("share image 2024-03-10 taken.svg", 73, "exists already"),
        ("share text 0000", 66, "no meal"),
    ])
    func `a mistake says what to type, and writes nothing`(
        words: String, status: Int32, hint: String
    ) throws {
        let computer = try Self.computer()
        let taken = computer.folder.appending(path: "taken.svg")
        try Data("mine".utf8).write(to: taken)
        let result = try computer.run(Transcript.words("macrolog \(words)"))
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains(hint), "\(result.errors)")
        #expect(try computer.files(of: "card") == [])
        #expect(try Data(contentsOf: taken) == Data("mine".utf8))
    }

    @Test func `a planned meal is not said to have been eaten`() throws {
        let computer = try Self.computer()
        let meal = try Self.meal(on: computer)
        try computer.run(["meal", "unconsume", meal]).check()
        let result = try computer.run(["share", "text", meal])
        #expect(result.status == 65)
        #expect(result.errors.contains("macrolog meal consume"), "\(result.errors)")
        let day = try computer.run(["share", "text", "2024-03-10"]).output
        #expect(day == "I had 1 meal on Sunday, 10 March 2024 with 380 calories!\n")
    }
}

extension ShareTests {
    /// A day with two meals, notes and a diet.
    private static func computer() throws -> Computer {
        let computer = try Computer()
        for words in [
            "diet set keto", "day note canary-day --date 2024-03-10",
            "add Porridge --kcal 380 --note canary-porridge --at 2024-03-10T07:40",
            "add Soup --kcal 460 --p 24 --c 60 --f 9 --note canary-soup --at 2024-03-10T12:30",
        ] {
            try computer.run(Transcript.words("macrolog \(words)")).check()
        }
        return computer
    }

    /// The id of the last meal of 10 March 2024.
    private static func meal(on computer: Computer) throws -> String {
        let list = try computer.run(["meal", "list", "--date", "2024-03-10", "--json"]).output
        let meals = try #require(try JSON.parse(Array(list.utf8)).array)
        return try #require(meals.last?["id"]?.string)
    }
}

extension Computer.Result {
    /// Requires that it succeeded.
    fileprivate func check() throws { try #require(status == 0, "\(errors)") }
}

private let canDraw = (try? Picture(width: 10, height: 10, title: "").png(.light)) != nil
