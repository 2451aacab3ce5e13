import Foundation
import MacrologSQLite
import MacrologTestSupport
import Testing

/// Goal: the server's own program does with keys, descriptors and the environment what its page says.
/// Method: the real program, started by a shell that sets what is to be set.
@Suite struct ServerProgramTests {
    /// What a program said and how it ended.
    private struct Ended {
        let status: Int32
        let errors: String
    }

    private let folder = ScratchFolder()

    /// Runs a line of the shell, in which `$SERVER` is the program.
    private func shell(_ line: String, output: Pipe? = nil) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", line]
        process.environment = [
            "SERVER": try BuiltProgram.url("sync-server").path, "PATH": "/usr/bin:/bin",
            "HOME": folder.path,
        ]
        process.currentDirectoryURL = folder.url
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = try FileHandle(forWritingTo: made("errors"))
        try process.run()
        return process
    }

    private func made(_ name: String) throws -> URL {
        let url = folder.url.appending(path: name)
        try Data().write(to: url)
        return url
    }

    private func ended(_ line: String) throws -> Ended {
        let process = try shell(line)
        process.waitUntilExit()
        return Ended(
            status: process.terminationStatus,
            errors: try String(contentsOfFile: folder.file("errors"), encoding: .utf8))
    }

    @Test(arguments: ["", "verify", "backup copy.db"])
    func `a database under the name of earlier builds is refused untouched`(verb: String) throws {
        try FileManager.default.createDirectory(
            atPath: folder.file("data"), withIntermediateDirectories: true)
        try "earlier".write(toFile: folder.file("data/hub.db"), atomically: true, encoding: .utf8)
        let listen = verb.isEmpty ? "--listen 127.0.0.1:0" : ""
        let result = try ended("chmod 700 data; \"$SERVER\" \(verb) --data data \(listen)")
        #expect(result.status == 65)
        #expect(result.errors.contains("data/hub.db was made by an earlier build"))
        #expect(
            try String(contentsOfFile: folder.file("data/hub.db"), encoding: .utf8) == "earlier")
        #expect(!FileManager.default.fileExists(atPath: folder.file("data/server.db")))
    }

    @Test func `restoring a backup of an earlier build is refused, and changes nothing`() throws {
        do {
            var copy = try Connection.open(folder.file("copy.db"))
            try copy.migrate([Migration(name: "server 0", "CREATE TABLE a (b INTEGER) STRICT")])
        }
        let before = try Data(contentsOf: URL(filePath: folder.file("copy.db")))
        let result = try ended("\"$SERVER\" restore copy.db --data data")
        #expect(result.status == 65)
        #expect(
            result.errors.contains("copy.db was made by an earlier build"), "\(result.errors)")
        #expect(result.errors.contains("It has not been changed"))
        #expect(try Data(contentsOf: URL(filePath: folder.file("copy.db"))) == before)
        #expect(!FileManager.default.fileExists(atPath: folder.file("data")))
    }

    /// A server that has said where it listens, and its port.
    private func listening(_ line: String) throws -> (process: Process, port: UInt16) {
        let output = Pipe()
        let process = try shell(line, output: output)
        var text = ""
        while !text.contains("\n") {
            let data = output.fileHandleForReading.availableData
            guard !data.isEmpty else {
                throw ServerProcess.Silent()
            }
            text += String(decoding: data, as: UTF8.self)
        }
        let port = text.dropLast().split(separator: ":").last.flatMap { UInt16($0) }
        return (process, try #require(port))
    }

    /// A key and a certificate of its own for 127.0.0.1.
    private func makeCertificate() throws {
        let made = try ended(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 "
                + "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1 2>/dev/null")
        try #require(made.status == 0, "no certificate: is openssl installed?")
    }

    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    @Test(.enabled(if: hasOpenSSL, "needs /usr/bin/openssl"))
    func `a private key that others may read is refused with what to type`() throws {
        try makeCertificate()
        let line =
            "exec $SERVER --data data --listen 127.0.0.1:0 --tls-cert cert.pem --tls-key key.pem"
        for mode in ["644", "640", "604", "660", "602"] {
            let refused = try ended("chmod \(mode) key.pem; \(line)")
            #expect(refused.status == 77, "\(mode): \(refused)")
            #expect(refused.errors.contains("Type: chmod 600 key.pem"), "\(refused.errors)")
        }
        for mode in ["600", "400"] {
            let server = try listening("chmod \(mode) key.pem; \(line)")
            server.process.terminate()
            server.process.waitUntilExit()
            #expect(server.process.terminationStatus == 0)
        }
    }

    @Test(.enabled(if: hasOpenSSL, "needs /usr/bin/openssl"))
    func `neither program writes the keys of its connections to the file of the environment`()
        throws
    {
        try makeCertificate()
        let (server, port) = try listening(
            "export SSLKEYLOGFILE=server.keys; exec $SERVER --data data --listen 127.0.0.1:0 "
                + "--tls-cert cert.pem --tls-key key.pem")
        let phone = try Computer()
        phone.environment["SSLKEYLOGFILE"] = folder.file("client.keys")
        let address = "https://127.0.0.1:\(port)"
        // Refused by the client, which does not know the certificate; its keys would be in the file.
        let refused = try phone.run(
            ["auth", "register", "ana@example.org", "--server", address, "--password-stdin"],
            input: "correct horse battery staple\n")
        #expect(refused.status != 0 && refused.errors.contains("certificate"), "\(refused.errors)")
        // One that does know it.
        let known = try ended(
            "openssl s_client -connect 127.0.0.1:\(port) -CAfile cert.pem </dev/null >/dev/null 2>&1"
        )
        #expect(known.status == 0)
        phone.environment["SSL_CERT_FILE"] = folder.file("cert.pem")
        phone.environment["CURL_CA_BUNDLE"] = folder.file("cert.pem")
        _ = try phone.run(
            ["auth", "register", "ana@example.org", "--server", address, "--password-stdin"],
            input: "correct horse battery staple\n")
        server.terminate()
        server.waitUntilExit()
        #expect(!FileManager.default.fileExists(atPath: folder.file("client.keys")))
        #expect(!FileManager.default.fileExists(atPath: folder.file("server.keys")))
    }

    #if os(Linux)
        @Test func `connections are as many as descriptors suffice for, and the rest wait`() throws
        {
            let (server, port) = try listening(
                "ulimit -n 200; exec $SERVER --data data --listen 127.0.0.1:0")
            defer {
                server.terminate()
                server.waitUntilExit()
            }
            let number = server.processIdentifier
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/fd").count
            }
            let before = try descriptors()
            var sockets = (0..<150).map { _ in Loopback.connected(to: Int(port)) ?? -1 }
            #expect(sockets.allSatisfy { $0 >= 0 })
            // Until it takes no more of them.
            var counts = [before]
            var used = 0
            let isSettled = try eventually(every: 20) {
                counts.append(try descriptors())
                if counts.last != counts.dropLast().last { used = try cpuTicks(of: number) }
                return counts.count > 20 && Set(counts.suffix(20)).count == 1
            }
            #expect(isSettled, "\(counts)")
            let connections = (counts.last ?? 0) - before
            #expect((1...68).contains(connections), "\(connections) connections")
            #expect(
                try cpuTicks(of: number) - used < 10, "it waits, and does not try again and again")
            for socket in sockets { close(socket) }
            sockets = []
            #expect(try health(port).hasPrefix("HTTP/1.1 200 "))
        }

        @Test func `without descriptors for a connection the server says so and does not start`()
            throws
        {
            let refused = try ended("ulimit -n 60; exec $SERVER --data data --listen 127.0.0.1:0")
            #expect(refused.status == 69, "\(refused)")
            #expect(refused.errors.contains("ulimit -n"), "\(refused.errors)")
        }

        /// What a process has used of the processors, in hundredths of a second.
        private func cpuTicks(of number: Int32) throws -> Int {
            let line = try String(contentsOfFile: "/proc/\(number)/stat", encoding: .utf8)
            let fields = line.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.dropFirst(11).prefix(2).compactMap { Int($0) }.reduce(0, +)
        }
    #endif

    @Test(arguments: [("--registration open", 0), ("--registration closed", 77), ("", 77)])
    func `beyond loopback new accounts need an invitation, unless the operator says otherwise`(
        words: String, code: Int
    ) throws {
        let (server, port) = try listening(
            "exec $SERVER --data data --listen 0.0.0.0:0 --insecure-http \(words)")
        let result = try Computer().run(
            [
                "auth", "register", "ana@example.org", "--password-stdin", "--server",
                "http://127.0.0.1:\(port)",
            ], input: EngineTests.password)
        #expect(result.status == Int32(code), "\(result.errors)")
        if words.isEmpty { #expect(result.errors.contains("by invitation"), "\(result.errors)") }
        server.terminate()
        server.waitUntilExit()
    }

    private func health(_ port: UInt16) throws -> String {
        guard let socket = Loopback.connected(to: Int(port)) else { return "" }
        defer { close(socket) }
        let request = Array("GET /health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".utf8)
        guard send(socket, request, request.count, 0) == request.count else { return "" }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(socket, &buffer, buffer.count, 0)
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}
