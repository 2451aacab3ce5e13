import Foundation

/// A folder of its own for one test, gone with the value.
final class Folder {
    private let url = FileManager.default.temporaryDirectory
        .appending(path: "macrolog-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func file(_ name: String) -> String { url.appending(path: name).path }
}
