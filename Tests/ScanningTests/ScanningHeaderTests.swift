import Foundation
import MacrologTestSupport
import Testing

/// Goal: a function of Leptonica, zbar or tesseract is called with the types that it has: the libraries'
/// headers are not there when this project is built, so their functions are declared once more.
/// Method: a C compiler reads each library's header and our declarations after it, and refuses a function
/// that is declared in two ways.
@Suite struct ScanningHeaderTests {
    static let headers = ["leptonica/allheaders.h", "zbar.h", "tesseract/capi.h"]

    @Test(.enabled("a C compiler is not installed") { hasCompiler }, arguments: headers)
    func `our declarations are those of the library`(header: String) throws {
        guard FileManager.default.fileExists(atPath: "/usr/include/\(header)") else {
            return print("\(header) is not installed: its declarations are not compared")
        }
        #expect(try Self.compile(header, "") == 0)
        let other =
            switch header {
            case "zbar.h": "long zbar_scan_image(zbar_image_scanner_t *);"
            case "tesseract/capi.h": "int TessBaseAPIDelete(TessBaseAPI *);"
            default: "int pixGetWpl(const PIX *, int);"
            }
        #expect(try Self.compile(header, other) != 0)
    }

    private static func compile(_ header: String, _ more: String) throws -> Int32 {
        let shim = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Sources/C/Scanning/shim.h").standardized.path
        let source = "#include <\(header)>\n#include \"\(shim)\"\n\(more)\n"
        let folder = ScratchFolder()
        defer { folder.remove() }
        try Data(source.utf8).write(to: URL(fileURLWithPath: folder.file("check.c")))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["clang", "-fsyntax-only", folder.file("check.c")]
        process.standardError = Pipe()
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

private let hasCompiler: Bool = {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["clang", "--version"]
    (process.standardOutput, process.standardError) = (Pipe(), Pipe())
    guard (try? process.run()) != nil else { return false }
    process.waitUntilExit()
    return process.terminationStatus == 0
}()
