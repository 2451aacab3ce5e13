import MacrologTestSupport
import Foundation
import Testing

/// Goal: what the README promises of `make demo` is true of every change.
/// Method: the demo itself, with its real processes, sockets and files; it checks its own story and
/// exits with 1 where anything is not as told.
@Suite struct DemoTests {
    @Test func `a phone and a laptop disagree offline, meet a real server, and end up equal`()
        throws
    {
        let macrolog = try BuiltProgram.url("macrolog")
        let process = Process()
        process.executableURL = macrolog.deletingLastPathComponent().appending(path: "demo")
        let (output, complaints) = (Pipe(), Pipe())
        process.standardOutput = output
        process.standardError = complaints
        try process.run()
        let told = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        let errors = String(
            decoding: complaints.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(errors)")
        #expect(told.contains("both replicas are byte-equal"))
        #expect(told.contains("sees nothing of it"))
        #expect(told.contains("What others see of the day") || told.contains("not installed"))
    }
}
