import Foundation
import Testing

/// Goal: a copy of the log holds all of it, and takes its place.
/// Method: the real program copies a log with a photo; the copy is read, and put in the place of the lost log.
@Suite struct DBBackupTests {
    private let computer: Computer

    init() throws { computer = try Computer() }

    private func run(_ words: String, code: Int32 = 0) throws -> String {
        let result = try computer.run(
            words.split(separator: " ").map(String.init), together: true)
        #expect(result.status == code, "\(words): \(result.output)\(result.errors)")
        return result.output
    }

    @Test func `a copy has everything, and a log that is lost begins again from it`() throws {
        let folder = computer.folder
        try TinyPhoto.write(1, to: computer, as: "a.jpg")
        _ = try run("add Soup --kcal 400")
        let meals = try run("meal list --json")
        let id = try #require(meals.firstMatch(of: /"id": "[0-9a-f-]*([0-9a-f]{4})"/)?.1)
        _ = try run("meal photo add \(id) a.jpg")
        _ = try run("weight log 80.2kg")
        let day = try run("day show --json")
        #expect(try run("db backup copy.db").hasPrefix("Wrote "))
        #expect(try computer.files(of: "copy.db") == ["copy.db", "copy.db.blobs"])
        let kept = folder.appending(path: "copy.db.blobs")
        #expect(try FileManager.default.contentsOfDirectory(atPath: kept.path).count == 1)
        // What is recorded later is not in the copy, and the copy is not written over.
        _ = try run("add Later --kcal 100")
        #expect(try run("db backup copy.db", code: 73).contains("exists already"))
        #expect(try run("day show --json --db copy.db") == day)
        let photos = try run("meal photo list \(id) --json --db copy.db")
        #expect(try photos == run("meal photo list \(id) --json"))

        let device = try device()
        for name in try computer.files(of: "log.db") {
            try FileManager.default.removeItem(at: folder.appending(path: name))
        }
        for end in ["", ".blobs"] {
            try FileManager.default.copyItem(
                at: folder.appending(path: "copy.db" + end),
                to: folder.appending(path: "log.db" + end))
        }
        #expect(try run("day show --json") == day)
        _ = try run("add Bread --kcal 250")
        #expect(try run("db check").contains("No problems found."))
        #expect(try self.device() != device, "what was restored is another device")
    }

    private func device() throws -> Substring {
        try #require(try run("db stats").firstMatch(of: /Device +([0-9a-f-]+)/)?.1)
    }

    @Test func `a copy that cannot be written leaves nothing under its name`() throws {
        _ = try run("add Soup --kcal 400")
        #expect(
            try run("db backup no/such/folder.db", code: 73)
                .contains("the folder no/such does not exist"))
        let full = try run("db backup copy.db --json")
        #expect(full.contains("\"event_count\""), "\(full)")
    }

    @Test(arguments: [
        "db check", "db backup copy.db", "db compact --older-than=2y", "db stats", "db rebuild",
        "export json", "export csv",
    ])
    func `a path without a log is said to have none, and gets none`(words: String) throws {
        let said = try run(words + " --db typo.db", code: 66)
        #expect(said.contains("there is no log at typo.db"), "\(said)")
        #expect(try computer.files(of: "typo.db").isEmpty)
        try Data().write(to: computer.folder.appending(path: "empty.db"))
        #expect(try run(words + " --db empty.db", code: 66).contains("the file is empty"))
        #expect(try computer.files(of: "empty.db") == ["empty.db"])
    }
}
