import Foundation
import MacrologJSON
import Testing

/// The smallest JPEG that says its size, with a place and a name in it.
enum TinyPhoto {
    static func jpeg(_ salt: UInt8) -> [UInt8] {
        func segment(_ marker: UInt8, _ payload: [UInt8]) -> [UInt8] {
            [0xFF, marker, 0, UInt8(payload.count + 2)] + payload
        }
        return [0xFF, 0xD8] + segment(0xE1, Array("Exif\0\0GPS 48.1 11.5".utf8))
            + segment(0xFE, Array("by Ana".utf8))
            + segment(0xC0, [8, 0, 120, 0, 160, 1, 1, 0x11, 0])
            + segment(0xDA, [1, 1, 0, 0, 63, 0]) + [UInt8](repeating: salt, count: 2_000)
            + [0xFF, 0xD9]
    }

    static func write(_ salt: UInt8, to computer: Computer, as name: String) throws {
        try Data(jpeg(salt)).write(to: computer.folder.appending(path: name))
    }
}

/// Goal: a photo goes in, is seen, comes out without its place, and goes again, in the words of the
/// real program.
@Suite struct PhotoCommandTests {
    private let computer: Computer
    private let meal: String

    init() throws {
        computer = try Computer()
        _ = try computer.run(["add", "Soup", "--kcal", "300"])
        let list = try JSON.parse(Array(computer.run(["meal", "list", "--json"]).output.utf8))
        meal = try #require(list.array?.first?["id"]?.string)
        for salt in 1...3 { try TinyPhoto.write(UInt8(salt), to: computer, as: "\(salt).jpg") }
    }

    private func photo(_ words: String...) throws -> Computer.Result {
        try computer.run(["meal", "photo"] + words)
    }

    private func names() throws -> [String] {
        try JSON.parse(Array(photo("list", meal, "--json").output.utf8)).array?
            .compactMap { $0["sha256"]?.string } ?? []
    }

    @Test func `photos are attached, shown, saved without their place, and removed`() throws {
        #expect(try photo("list", meal).output == "The meal has no photo.\n")
        let added = try photo("add", meal, "1.jpg", "2.jpg")
        #expect(added.status == 0, "\(added.errors)")
        #expect(added.output.contains("Attached JPEG, 160 × 120, 2 kB  "))
        let names = try names()
        #expect(names.count == 2)
        #expect(
            try computer.run(["meal", "show", meal]).output.contains("Photo    JPEG, 160 × 120"))
        let shown = try JSON.parse(
            Array(computer.run(["meal", "show", meal, "--json"]).output.utf8))
        #expect(shown["photos"]?.array?.compactMap { $0.string } == names)

        let unclear = try photo("save", meal, "out.jpg")
        #expect(
            unclear.status == 64
                && unclear.errors.contains("is missing, and the meal has several photos"))
        #expect(
            try photo("save", meal, "out.jpg", "--photo", String(names[0].prefix(6))).status == 0)
        let saved = try Data(contentsOf: computer.folder.appending(path: "out.jpg"))
        #expect(!saved.contains(Data("GPS".utf8)) && !saved.contains(Data("Ana".utf8)))
        let pixels = [1, 2].map { Data([UInt8](repeating: $0, count: 2_000)) }
        #expect(pixels.contains { saved.contains($0) })
        let again = try photo("save", meal, "out.jpg", "--photo", names[0])
        #expect(again.status == 73 && again.errors.contains("--force"))

        #expect(try photo("remove", meal, "--photo", names[0]).status == 0)
        #expect(try self.names() == [names[1]])
        #expect(try photo("remove", meal).status == 0)
        #expect(try photo("remove", meal).errors.contains("the meal has no photo"))
        #expect(try computer.run(["undo"]).status == 0)
        #expect(try self.names() == [names[1]])
        #expect(try computer.run(["log"]).output.contains("photo.removed"))
    }

    @Test func `a photo that is attached already is said to be, and nothing is recorded`() throws {
        _ = try photo("add", meal, "1.jpg")
        let (log, names) = (try computer.run(["log"]).output, try self.names())
        let again = try photo("add", meal, "1.jpg")
        #expect(again.status == 0, "\(again.errors)")
        #expect(again.output.hasPrefix("Already attached: JPEG, 160 × 120, 2 kB  "))
        #expect(try computer.run(["log"]).output == log)
        #expect(try self.names() == names)
        // So is one that is typed twice.
        let twice = try photo("add", meal, "2.jpg", "2.jpg").output
        let beginnings = twice.split(separator: "\n").map { $0.prefix { $0 != "," } }
        #expect(beginnings == ["Attached JPEG", "Already attached: JPEG"], "\(twice)")
    }

    @Test func `what is no photo is refused with a sentence, and changes nothing`() throws {
        let heic: [UInt8] =
            [0, 0, 0, 24] + Array("ftypheic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)
        let files: [(String, [UInt8], String)] = [
            (
                "text.jpg", Array("hello".utf8),
                "it is not a photo: take a JPEG, a PNG or a WebP file"
            ),
            (
                "cut.jpg", Array(TinyPhoto.jpeg(1).prefix(500)),
                "the photo is damaged: it ends early"
            ),
            ("cut.heic", heic, "the photo is damaged"),
            (
                "long.jpg", [UInt8](repeating: 0, count: 20_971_521),
                "has more than 20971520 bytes"
            ),
        ]
        for (name, bytes, sentence) in files {
            try Data(bytes).write(to: computer.folder.appending(path: name))
            let result = try photo("add", meal, name)
            #expect(result.status == 65, "\(name)")
            #expect(result.errors.contains(sentence), "\(result.errors)")
        }
        #expect(try photo("add", meal, "nowhere.jpg").status == 66)
        let partly = try photo("add", meal, "3.jpg", "text.jpg")
        #expect(partly.status == 65 && partly.errors.contains("the photos before it are attached"))
        #expect(try names().count == 1)
    }

    @Test func `a meal with a photo that is none is not logged`() throws {
        try Data("hello".utf8).write(to: computer.folder.appending(path: "text.jpg"))
        let meals = try computer.run(["meal", "list"]).output
        for words in [["Toast", "--kcal", "90"], [], ["--food", "Soup", "--grams", "5"]] {
            let typed = ["add"] + words + ["--photo", "1.jpg", "--photo", "text.jpg"]
            let result = try computer.run(typed)
            #expect(result.status != 0)
            #expect(words.first == "--food" || result.errors.contains("text.jpg: "), "\(words)")
            #expect(try computer.run(["meal", "list"]).output == meals, "\(words)")
        }
        let added = try computer.run(["add", "Toast", "--kcal", "90", "--photo", "1.jpg"])
        #expect(added.status == 0, "\(added.errors)")
        // The meal and its photo are one action.
        #expect(try computer.run(["undo"]).status == 0)
        #expect(try computer.run(["meal", "list"]).output == meals)
        let many = Array(repeating: ["--photo", "1.jpg"], count: 11).flatMap(\.self)
        let refused = try computer.run(["add", "Toast"] + many)
        #expect(refused.status == 65 && refused.errors.contains("nothing was written"))
        #expect(!refused.errors.contains("1.jpg"), "no file alone is one too many")
    }

    @Test func `a damaged photo is reported, kept, and copied as what it is`() throws {
        _ = try photo("add", meal, "1.jpg", "2.jpg")
        let folder = computer.log + ".blobs"
        let name = try names()[0]
        var bytes = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
        bytes[bytes.count / 2] ^= 1
        try bytes.write(to: URL(filePath: "\(folder)/\(name)"))
        let copied = try computer.run(["db", "backup", "copy.db"])
        #expect(copied.errors.contains("1 photo is damaged on this device"), "\(copied.errors)")
        let copies = try FileManager.default.contentsOfDirectory(
            atPath: computer.folder.appending(path: "copy.db.blobs").path)
        #expect(try Set(copies) == [name + ".damaged", names()[1]])
        for _ in 1...2 {
            let check = try computer.run(["db", "check"])
            #expect(check.status == 65)
            #expect(check.output.contains("photo \(name.prefix(8)) is damaged"), "\(check.output)")
            #expect(check.errors.contains("macrolog sync --photos"), "\(check.errors)")
            let status = try computer.run(["sync", "status"]).output
            #expect(status.contains("1 photo is damaged on this device"), "\(status)")
        }
        #expect(try Data(contentsOf: URL(filePath: "\(folder)/\(name).damaged")) == bytes)
        let check = try computer.run(["db", "check", "--quick", "--db", "copy.db"])
        #expect(check.output.contains("1 photo is not on this device"), "\(check.output)")
        // The file that was taken once more takes the place of the damaged one.
        _ = try photo("add", meal, "1.jpg", "2.jpg")
        #expect(try computer.run(["db", "check"]).output == "No problems found.\n")
    }

    @Test func `a photo that is elsewhere needs a server`() throws {
        _ = try photo("add", meal, "1.jpg")
        try FileManager.default.removeItem(atPath: computer.log + ".blobs")
        #expect(try photo("list", meal).output.hasSuffix("not on this device\n"))
        let result = try photo("save", meal, "out.jpg")
        #expect(result.status == 77 && result.errors.contains("macrolog auth login"))
        #expect(!FileManager.default.fileExists(atPath: computer.folder.path + "/out.jpg"))
    }
}

extension Data {
    fileprivate func contains(_ other: Data) -> Bool { range(of: other) != nil }
}
