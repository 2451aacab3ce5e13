import Foundation
import MacrologEvents
import MacrologCryptography
import MacrologService
import MacrologTestSupport
import Testing

/// What tests of copies do with a server's folder.
extension ServerShell {
    /// Runs a line that must succeed, and gives its output.
    func done(_ line: String) throws -> String {
        let result = try run(line)
        #expect(result.status == 0, "\(line): \(result.errors)")
        return result.output
    }

    /// A person with a photo on a server with these words.
    func fill(_ words: String) throws {
        let server = try listen(words)
        defer { server.stop() }
        let phone = try person("ana@example.org", at: server.port)
        try addPhoto(1, to: phone)
    }

    func addPhoto(_ salt: UInt8, to phone: Computer) throws {
        try TinyPhoto.write(salt, to: phone, as: "photo.jpg")
        let meals = try phone.run(["meal", "list", "--json"]).output
        let id = try #require(meals.firstMatch(of: /"id": ?"([^"]+)"/)).1
        let added = try phone.run(["meal", "photo", "add", String(id), "photo.jpg"])
        try #require(added.status == 0, "\(added.errors)")
        let synced = try phone.run(["sync"])
        try #require(synced.status == 0, "\(synced.errors)")
    }

    /// The files of a folder, and below it.
    func files(below name: String) -> [String] {
        (FileManager.default.subpaths(atPath: folder.file(name)) ?? []).map {
            folder.file(name) + "/" + $0
        }.filter {
            // A running server's folder has a socket, too.
            let type = try? FileManager.default.attributesOfItem(atPath: $0)[.type]
            return type as? FileAttributeType == .typeRegular
        }.sorted()
    }
}

/// The manifest of a copy, changed.
enum CopiedManifest {
    /// Changes its line, the hash, and the proof if the server's secrets are known.
    static func change(
        _ shell: ServerShell, _ copy: String, _ pattern: some RegexComponent, to new: String,
        knowsSecrets: Bool = false
    ) throws {
        let url = URL(filePath: shell.folder.file("\(copy)/manifest"))
        let lines = String(decoding: try Data(contentsOf: url), as: UTF8.self).split(
            separator: "\n")
        let line = String(lines[0]).replacing(pattern, with: new)
        var proof = String(lines[2])
        if knowsSecrets {
            let key = try Data(contentsOf: URL(filePath: shell.folder.file("data/secrets.key")))
            proof = hexadecimal(Secrets([UInt8](key)).digest(ofCopy: Array(line.utf8)))
        }
        try Data("\(line)\n\(hexadecimal(sha256(Array(line.utf8))))\n\(proof)\n".utf8).write(
            to: url)
    }

    /// Makes a copy older.
    static func age(_ shell: ServerShell, _ copy: String, days: Int64) throws {
        let then = Int64(Date().timeIntervalSince1970 * 1_000) - days * 86_400_000
        try change(
            shell, copy, /"made_at":\d+/, to: "\"made_at\":\(then)", knowsSecrets: true)
    }
}
