import Foundation
import MacrologTestSupport
import Testing

/// Goal: SIGHUP reads settings and certificate again, or changes nothing; the service manager hears
/// when the server is ready, reads again, lives and stops.
/// Method: the real program; the test plays the manager's socket.
@Suite struct LifeTests {
    private let shell = ServerShell()

    @Test func `a reload changes what it can, names what waits, and refuses mistakes whole`() throws
    {
        try shell.write("s.conf", "log-level = info\nkeep = 5\n")
        let server = try shell.listen("--config s.conf")
        defer { server.stop() }
        try shell.write("s.conf", "log-level = debug\nkeep = 6\nevent-quota = 9\n")
        server.signal(SIGHUP)
        try shell.waitForLog(#""event":"reloaded","restart_needed_for":"keep""#)
        _ = try shell.ask(server.port, "GET /health")
        try shell.waitForLog(#""level":"debug","event":"request""#)
        try shell.write("s.conf", "log-level = warning\nkeep = many\n")
        server.signal(SIGHUP)
        try shell.waitForLog("s.conf:2: keep: \\\"many\\\" is not a whole number")
        // Nothing of it counts: the level is what it was.
        _ = try shell.ask(server.port, "GET /ready")
        try shell.waitForLog(#""path":"/ready""#)
        try shell.write("s.conf", "log-level = debug\nkeep = 5\n")
        server.signal(SIGHUP)
        try shell.waitForLog(#""restart_needed_for":"none""#)
    }

    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    @Test(.enabled(if: hasOpenSSL, "needs /usr/bin/openssl"))
    func `a renewed certificate is shown after SIGHUP; one without its key never is`() throws {
        func make(_ name: String) throws {
            let made = try shell.run(
                "openssl req -x509 -newkey rsa:2048 -nodes -keyout \(name).key -out \(name).crt "
                    + "-days 2 -subj /CN=\(name) -addext subjectAltName=IP:127.0.0.1 2>/dev/null")
            try #require(made.status == 0)
        }
        for name in ["one", "two", "three"] { try make(name) }
        let foreign = try shell.run("exec $SERVER --tls-cert one.crt --tls-key two.key")
        #expect(foreign.status == 69 && foreign.errors.contains("certificate"), "\(foreign)")
        let use = { (certificate: String, key: String) in
            _ = try shell.run("cp \(certificate).crt live.crt; cp \(key).key live.key")
        }
        try use("one", "one")
        let server = try shell.listen("--tls-cert live.crt --tls-key live.key")
        defer { server.stop() }
        let log = shell.folder.file("errors")
        try FileManager.default.moveItem(atPath: log, toPath: shell.folder.file("log"))
        func wait(_ count: Int, _ text: String) throws {
            let isThere = try eventually(within: 10_000, every: 20) {
                let log = try String(contentsOfFile: shell.folder.file("log"), encoding: .utf8)
                return log.components(separatedBy: text).count > count
            }
            #expect(isThere, "no \(text)")
        }
        func shown() throws -> String {
            try shell.run(
                "openssl s_client -connect 127.0.0.1:\(server.port) </dev/null 2>/dev/null "
                    + "| openssl x509 -noout -subject"
            ).output
        }
        #expect(try shown().contains("one"))
        try use("two", "two")
        server.signal(SIGHUP)
        try wait(1, "\"reloaded\"")
        #expect(try shown().contains("two"))
        try use("three", "two")
        server.signal(SIGHUP)
        try wait(1, "\"reload.refused\"")
        #expect(try shown().contains("two"))
        try use("three", "three")
        server.signal(SIGHUP)
        try wait(2, "\"reloaded\"")
        #expect(try shown().contains("three"))
    }

    @Test func `the manager hears ready, alive, reloading, ready and stopping, in this order`()
        throws
    {
        let path = shell.folder.file("n")
        let manager = try Manager(at: path)
        shell.environment = ["NOTIFY_SOCKET": path, "WATCHDOG_USEC": "300000"]
        let server = try shell.listen("")
        #expect(manager.next() == "READY=1")
        #expect(manager.next() == "WATCHDOG=1")
        #expect(manager.next() == "WATCHDOG=1")
        server.signal(SIGHUP)
        let reloading = manager.next { $0 != "WATCHDOG=1" }
        #expect(
            reloading.wholeMatch(of: /RELOADING=1\nMONOTONIC_USEC=[0-9]+/) != nil, "\(reloading)")
        #expect(manager.next { $0 != "WATCHDOG=1" } == "READY=1")
        server.stop()
        #expect(manager.next { $0 != "WATCHDOG=1" } == "STOPPING=1")
    }

    @Test(arguments: ["", "relative", "/nowhere/at/all", "@macrolog-no-listener"])
    func `without a manager that listens the server serves`(socket: String) throws {
        shell.environment = ["NOTIFY_SOCKET": socket, "WATCHDOG_USEC": "x"]
        let server = try shell.listen("")
        #expect(try shell.ask(server.port, "GET /ready").contains("ready"))
        server.stop()
        #expect(server.process.terminationStatus == 0)
    }

    /// The service manager's end of the socket.
    private final class Manager {
        private let descriptor: Int32

        init(at path: String) throws {
            descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            try #require(path.utf8.count < MemoryLayout.size(ofValue: address.sun_path))
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
            let status = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(status == 0, "\(path): \(errno)")
            var limit = timeval(tv_sec: 60, tv_usec: 0)
            setsockopt(
                descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        }

        deinit { close(descriptor) }

        /// The next message that matters; empty if there is none for a minute.
        func next(where matters: (String) -> Bool = { _ in true }) -> String {
            var buffer = [UInt8](repeating: 0, count: 1_024)
            while true {
                let count = recv(descriptor, &buffer, buffer.count, 0)
                let text = String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
                if count <= 0 || matters(text) { return text }
            }
        }
    }
}
