import Foundation
import MacrologTestSupport
import Testing

/// Goal: a command that writes a file replaces a file and nothing else.
/// Method: the real program, with pipes, folders and links under the names that it is to write.
@Suite struct WrittenFileTests {
    private let computer: Computer

    init() throws {
        computer = try Computer()
        #expect(try computer.run(["quick", "300kcal"]).status == 0)
    }

    private func path(_ name: String) -> String { computer.folder.appending(path: name).path }

    private func kind(_ name: String) throws -> FileAttributeType? {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return attributes[.type] as? FileAttributeType
    }

    private func text(_ name: String) throws -> String {
        try String(contentsOfFile: path(name), encoding: .utf8)
    }

    /// A device is refused as a pipe is; making one would need root.
    @Test(arguments: ["export csv", "export json", "export pdf", "doctor --bundle"])
    func `a pipe and a folder are refused, and stay`(command: String) throws {
        #expect(mkfifo(path("pipe"), 0o600) == 0)
        try FileManager.default.createDirectory(
            atPath: path("folder"), withIntermediateDirectories: false)
        let kinds: [(name: String, type: FileAttributeType)] = [
            ("pipe", .typeUnknown), ("folder", .typeDirectory),
        ]
        for (name, type) in kinds {
            for force in [[], ["--force"]] {
                let words = command.split(separator: " ").map(String.init) + [name] + force
                let result = try computer.run(words, together: true)
                #expect(result.status == 73, "\(words): \(result.output)")
                #expect(result.output.contains("a folder, a pipe or a device"))
                #expect(!result.output.contains("--force"), "\(result.output)")
            }
            #expect(try kind(name) == type)
        }
    }

    @Test func `a file beside the one that is written stays, whatever its name`() throws {
        try Data("mine".utf8).write(to: URL(filePath: path("meals.csv.partial")))
        for command in ["export csv meals.csv", "db backup meals.csv"] {
            let words = command.split(separator: " ").map(String.init)
            let result = try computer.run(words, together: true)
            #expect(result.status == 0, "\(result.output)")
            #expect(try text("meals.csv.partial") == "mine", "\(command)")
            try FileManager.default.removeItem(atPath: path("meals.csv"))
        }
        let names = try FileManager.default.contentsOfDirectory(atPath: computer.folder.path)
        #expect(names.count { $0.hasSuffix(".partial") } == 1, "\(names)")
    }

    @Test func `a link is followed: what it leads to is replaced, and the link stays`() throws {
        let folder = path("elsewhere")
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        try Data("old".utf8).write(to: URL(filePath: folder + "/target"))
        try FileManager.default.createSymbolicLink(
            atPath: path("link"), withDestinationPath: "elsewhere/target")
        let refused = try computer.run(["export", "csv", "link"], together: true)
        #expect(refused.status == 73 && refused.output.contains("exists already"))
        #expect(try text("elsewhere/target") == "old")
        let written = try computer.run(["export", "csv", "link", "--force"], together: true)
        #expect(written.status == 0 && written.output.contains("to link."), "\(written.output)")
        #expect(try kind("link") == .typeSymbolicLink)
        #expect(try text("elsewhere/target").contains("300"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["target"])
    }

    @Test func `a link that leads nowhere is refused`() throws {
        try FileManager.default.createSymbolicLink(
            atPath: path("link"), withDestinationPath: "nowhere")
        for force in [[], ["--force"]] {
            let result = try computer.run(["export", "csv", "link"] + force, together: true)
            #expect(result.status == 73 && result.output.contains("leads to no file"))
        }
        #expect(try kind("link") == .typeSymbolicLink)
        #expect(!FileManager.default.fileExists(atPath: path("nowhere")))
    }
}
