import MacrologTestSupport
import Foundation
import Testing

/// Goal: the examples in sync-server/deploy carry everything, photos too; a proxy that refuses large bodies is
/// named for what it is.
/// Method: the real programs, and nginx and HAProxy where they are installed or unpacked by
/// `.ci/servers proxies`, on ports of loopback.
@Suite struct ProxyTests {
    enum Kind: String, CaseIterable {
        case nginx = "nginx.conf"
        case haproxy = "haproxy.cfg"

        static let tools = UnpackedTools("proxies")

        /// The program; `nil` if there is none.
        var path: String? { Self.tools.program("usr/sbin/\(self)") }

        static var installed: [Kind] { allCases.filter { $0.path != nil } }
    }

    /// A proxy in a folder of its own, ended with it.
    private final class Proxy {
        let address: String
        private let folder = ScratchFolder()
        private let process = Process()

        /// - Parameter configuration: Its settings, but for the port to listen on.
        init(_ kind: Kind, _ configuration: (_ listen: String, _ folder: String) -> String) throws {
            let port = Loopback.freePort()
            address = "http://127.0.0.1:\(port)"
            let file = folder.file("proxy.conf")
            try configuration("127.0.0.1:\(port)", folder.path)
                .write(toFile: file, atomically: true, encoding: .utf8)
            process.executableURL = URL(filePath: try #require(kind.path))
            process.environment = Kind.tools.environment
            process.arguments =
                kind == .nginx
                ? ["-p", folder.path, "-e", "error.log", "-c", file] : ["-f", file, "-db"]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            try #require(eventually { Loopback.isOpen(port) })
        }

        deinit {
            process.terminate()
            process.waitUntilExit()
        }
    }

    private static let root = #filePath.components(separatedBy: "Tests/CommandLineTests/")[0]

    /// The example, without TLS, on other ports.
    private static func example(
        _ kind: Kind, server: Int, _ listen: String, _ folder: String
    ) throws -> String {
        let shown = try String(
            contentsOfFile: root + "sync-server/deploy/\(kind.rawValue)", encoding: .utf8)
        let here = shown.replacing("127.0.0.1:8080", with: "127.0.0.1:\(server)")
            .replacing("listen 443 ssl http2;", with: "listen \(listen);")
            .replacing(/bind :443 .*/, with: "bind \(listen)")
            .split(separator: "\n").filter { !$0.contains("ssl_certificate") }
            .joined(separator: "\n")
        guard kind == .nginx else { return here + "\n" }
        return nginx(here, folder)
    }

    private static func nginx(_ servers: String, _ folder: String) -> String {
        let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map { "\($0)_temp_path \(folder)/\($0);" }.joined(separator: "\n")
        return """
            daemon off;
            pid \(folder)/pid;
            worker_processes 1;
            events {}
            http {
            access_log off;
            \(temporary)
            \(servers)
            }

            """
    }

    private func run(
        _ device: Computer, _ words: String, code: Int32 = 0
    ) throws -> String {
        let result = try device.run(
            Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
        #expect(result.status == code, "\(words): \(result.output)")
        return result.output
    }

    /// A JPEG of about three megabytes.
    private func writePhoto(to computer: Computer) throws {
        var bytes = TinyPhoto.jpeg(7)
        bytes.insert(
            contentsOf: [UInt8](repeating: 9, count: 3_000_000), at: bytes.count - 1_000)
        try Data(bytes).write(to: computer.folder.appending(path: "soup.jpg"))
    }

    private func meal(on phone: Computer) throws -> String {
        _ = try run(phone, "add Soup --kcal 300 --at 2024-03-10T12:00")
        let list = try run(phone, "meal list --date 2024-03-10 --json")
        return String(try #require(list.firstMatch(of: /"id": "([0-9a-f-]{36})"/)?.1))
    }

    @Test(arguments: Kind.installed)
    func `the example of a proxy carries events, news and photos`(kind: Kind) throws {
        let server = try ServerProcess(options: ["--trusted-proxy", "127.0.0.1"])
        let proxy = try Proxy(kind) { listen, folder in
            (try? Self.example(kind, server: server.port, listen, folder)) ?? ""
        }
        let phone = try Computer()
        let laptop = try Computer()
        for device in [phone, laptop] { device.environment["MACROLOG_SERVER"] = proxy.address }
        _ = try run(phone, "auth register ana@example.org --password-stdin")
        for (device, name) in [(phone, "phone"), (laptop, "laptop")] {
            _ = try run(device, "auth login ana@example.org --password-stdin --device \(name)")
        }
        try writePhoto(to: phone)
        let meal = try meal(on: phone)
        _ = try run(phone, "meal photo add \(meal) soup.jpg")
        #expect(try run(phone, "sync").contains("Up to date: sent"))
        _ = try run(laptop, "sync --photos")
        _ = try run(laptop, "meal photo save \(meal) out.jpg")
        let sizes = try [
            phone.folder.appending(path: "soup.jpg"), laptop.folder.appending(path: "out.jpg"),
        ]
        .map { try Data(contentsOf: $0).count }
        // What told the place is taken out.
        #expect(sizes[1] > 3_000_000 && sizes[1] <= sizes[0])
        #expect(try run(phone, "sync status").contains("In sync"))
    }

    @Test(arguments: Kind.installed)
    func `the example of a proxy tells the server from where, and drops what a client says`(
        kind: Kind
    ) throws {
        let shell = ServerShell()
        let server = try shell.listen("--trusted-proxy 127.0.0.1")
        defer { server.stop() }
        let proxy = try Proxy(kind) { listen, folder in
            (try? Self.example(kind, server: Int(server.port), listen, folder)) ?? ""
        }
        let port = try #require(UInt16(proxy.address.split(separator: ":").last ?? ""))
        let wrong = #"{"email":"ana@example.org","password":"not the right words","device":"x"}"#
        let refused = try shell.ask(
            port, "POST /v1/auth/login", fields: ["X-Forwarded-For: 203.0.113.9"], json: wrong)
        #expect(refused.hasPrefix("HTTP/1.1 401") && refused.contains("request_id"), "\(refused)")
        try shell.waitForLog("login.failed")
        #expect(try shell.errors().contains(#""network":"127.0.0.0/24""#))
        #expect(try !shell.errors().contains("203.0.113"))
    }

    @Test(.enabled(if: Kind.installed.contains(.nginx)))
    func `a proxy that refuses a photo for its size is named, and the photo waits`() throws {
        let server = try ServerProcess()
        let proxy = try Proxy(.nginx) { listen, folder in
            Self.nginx(
                "server { listen \(listen); location / { proxy_pass \(server.address); } }", folder)
        }
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = proxy.address
        _ = try run(phone, "auth register ana@example.org --password-stdin")
        _ = try run(phone, "auth login ana@example.org --password-stdin")
        try writePhoto(to: phone)
        let meal = try meal(on: phone)
        _ = try run(phone, "meal photo add \(meal) soup.jpg")
        try TinyPhoto.write(3, to: phone, as: "small.jpg")
        _ = try run(phone, "meal photo add \(meal) small.jpg")
        let told = try run(phone, "sync", code: 75)
        #expect(told.contains("1 photo not sent yet: a proxy between here and the server refuses"))
        #expect(told.contains("client_max_body_size 11m"))
        let status = try run(phone, "sync status")
        #expect(status.contains("1 photo waits to be sent: a proxy between"))
        #expect(!status.contains("In sync"))
        #expect(try run(phone, "sync status --json").contains(#""photos_unsent": 1"#))
    }
}
