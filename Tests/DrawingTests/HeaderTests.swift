import Foundation
import MacrologTestSupport
import Testing

/// Goal: a function of cairo or Pango is called with the types that it has: the libraries' headers are
/// not there when this project is built, so their functions are declared once more.
/// Method: a C compiler reads the libraries' headers and our declarations after them, and refuses a
/// function that is declared in two ways.
@Suite(.enabled("libpango1.0-dev or a C compiler is not installed") { headerFlags != nil })
struct HeaderTests {
    @Test func `our declarations are those of the libraries`() throws {
        #expect(try Self.compile("") == 0)
    }

    @Test func `another type of the same function is noticed`() throws {
        #expect(try Self.compile("int cairo_surface_destroy(cairo_surface_t *surface);") != 0)
        #expect(try Self.compile("int pango_layout_get_baseline(PangoLayout *, int);") != 0)
    }

    @Test func `our constants are those of the libraries`() throws {
        let constants = [
            "CAIRO_FORMAT_ARGB32 == 0", "CAIRO_PDF_METADATA_TITLE == 0",
            "CAIRO_PDF_METADATA_CREATE_DATE == 5",
            "CAIRO_LINE_CAP_BUTT == 0", "CAIRO_LINE_CAP_ROUND == 1", "CAIRO_LINE_JOIN_ROUND == 1",
            "PANGO_SCALE == 1024", "PANGO_ELLIPSIZE_END == 3",
        ]
        let checks = constants.map { "_Static_assert(\($0), \"\");" }
        #expect(try Self.compile(checks.joined(separator: "\n")) == 0)
    }

    private static func compile(_ more: String) throws -> Int32 {
        let shim = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/C/Cairo/shim.h").standardized.path
        let source =
            "#include <pango/pangocairo.h>\n#include <cairo-pdf.h>\n"
            + "#include \"\(shim)\"\n\(more)\n"
        let folder = ScratchFolder()
        defer { folder.remove() }
        try Data(source.utf8).write(to: URL(fileURLWithPath: folder.file("check.c")))
        let words = ["clang", "-fsyntax-only"] + (headerFlags ?? []) + [folder.file("check.c")]
        return try run(words, to: Pipe())
    }
}

/// What pkg-config says of the headers; `nil` without them.
private let headerFlags: [String]? = {
    let output = Pipe()
    guard (try? run(["pkg-config", "--cflags", "pangocairo"], to: output)) == 0,
        (try? run(["clang", "--version"], to: Pipe())) == 0
    else { return nil }
    let text = output.fileHandleForReading.readDataToEndOfFile()
    return String(decoding: text, as: UTF8.self).split(whereSeparator: \.isWhitespace)
        .map { String($0) }
}()

private func run(_ words: [String], to output: Pipe) throws -> Int32 {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
}
