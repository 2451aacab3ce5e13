import Foundation
import MacrologEvents
import MacrologHTTP
import MacrologService
import MacrologTestSupport
import MacrologWire
import Testing

/// Goal: a node whose folder of photos is away says so, and never that it has no such photo.
/// Method: the folder of a node is moved away and back, as if it was unmounted and mounted.
@Suite(.enabled(if: PostgreSQLServer.isThere, Comment(rawValue: PostgreSQLServer.tools.missing)))
struct UnmountedFolderTests {
    private static func put(_ blob: [UInt8], at node: TestServer, token: String) -> HTTPResponse {
        node.send(
            HTTPRequest(
                method: "PUT", path: path(blob),
                fields: [HTTPField("authorization", "Bearer \(token)")], body: blob))
    }

    private static func path(_ blob: [UInt8]) -> String {
        "/v1/blobs/\(hexadecimal(SHA256.hash(blob)))"
    }

    @Test func `while the folder is not mounted, photos are answered with 503, and none is taken`()
        throws
    {
        let folder = ScratchFolder()
        let node = try StoreUnderTest.$current.withValue(.postgreSQL) {
            try TestServer(folder: folder, node: "a") { $0.rates = .none }
        }
        let token = try node.login().access
        let (kept, other) = ([UInt8](repeating: 1, count: 700), [UInt8](repeating: 2, count: 700))
        #expect(Self.put(kept, at: node, token: token).status == 201)
        let away = "\(folder.path)-mounted"
        try FileManager.default.moveItem(atPath: folder.path, toPath: away)
        try FileManager.default.createDirectory(
            atPath: folder.path, withIntermediateDirectories: false)
        for method in ["GET", "HEAD"] {
            let answer = node.call(method, Self.path(kept), token: token)
            #expect(answer.status == 503 && answer.field("retry-after") == "60", "\(method)")
        }
        for blob in [kept, other] {
            let answer = Self.put(blob, at: node, token: token)
            #expect(answer.status == 503 && answer.field("retry-after") == "60")
            #expect(String(decoding: answer.body, as: UTF8.self).contains("mount their folder"))
        }
        #expect(
            node.call("GET", "/v1/blobs/\(String(repeating: "0", count: 64))", token: token).status
                == 404)
        let written = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!written.contains { $0.contains("blobs") }, "\(written)")
        try FileManager.default.removeItem(atPath: folder.path)
        try FileManager.default.moveItem(atPath: away, toPath: folder.path)
        #expect(node.call("GET", Self.path(kept), token: token).status == 200)
        #expect(Self.put(other, at: node, token: token).status == 201)
    }
}
