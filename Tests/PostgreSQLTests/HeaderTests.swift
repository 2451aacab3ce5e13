import Foundation
import MacrologTestSupport
import Testing

/// Goal: a function of libpq is called with the types that it has: its header is not there when this project is
/// built, so its functions are declared once more.
/// Method: a C compiler reads libpq's header and our declarations after it, and refuses a function that is
/// declared in two ways.
@Suite(.enabled("libpq-dev or a C compiler is not installed") { header != nil })
struct HeaderTests {
    @Test func `our declarations are those of the library`() throws {
        #expect(try Self.compile("") == 0)
    }

    @Test func `another type of the same function is noticed`() throws {
        #expect(try Self.compile("int PQfinish(PGconn *connection);") != 0)
    }

    @Test func `our constants are those of the library`() throws {
        let constants = [
            "MACROLOG_PG_CONNECTION_OK == CONNECTION_OK", "MACROLOG_PG_EMPTY == PGRES_EMPTY_QUERY",
            "MACROLOG_PG_COMMAND_OK == PGRES_COMMAND_OK", "MACROLOG_PG_ROWS == PGRES_TUPLES_OK",
            "MACROLOG_PG_SYNC == PGRES_PIPELINE_SYNC",
            "MACROLOG_PG_ABORTED == PGRES_PIPELINE_ABORTED",
            "MACROLOG_PG_SEVERITY == PG_DIAG_SEVERITY_NONLOCALIZED",
            "MACROLOG_PG_SQLSTATE == PG_DIAG_SQLSTATE",
            "MACROLOG_PG_MESSAGE == PG_DIAG_MESSAGE_PRIMARY", "sizeof(Oid) == sizeof(unsigned)",
        ]
        let checks = constants.map { "_Static_assert(\($0), \"\");" }
        #expect(try Self.compile(checks.joined(separator: "\n")) == 0)
    }

    private static func compile(_ more: String) throws -> Int32 {
        let shim = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/C/PostgreSQL/shim.h").standardized.path
        let source = "#include \"\(header ?? "")\"\n#include \"\(shim)\"\n\(more)\n"
        let folder = ScratchFolder()
        defer { folder.remove() }
        try Data(source.utf8).write(to: URL(fileURLWithPath: folder.file("check.c")))
        return try run(["clang", "-fsyntax-only", folder.file("check.c")])
    }
}

/// The path of libpq's header; `nil` without it.
private let header: String? = {
    let path = ["/usr/include/postgresql/libpq-fe.h", "/usr/include/libpq-fe.h"].first {
        FileManager.default.fileExists(atPath: $0)
    }
    return (try? run(["clang", "--version"])) == 0 ? path : nil
}()

private func run(_ words: [String]) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
