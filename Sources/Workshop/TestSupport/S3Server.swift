import Foundation

/// A server that speaks S3 and checks signatures, on loopback: moto, a program that others wrote, which
/// `.ci/python` installs below `.build`. It has one bucket, and one key for it.
package final class S3Server: Sendable {
    /// The bucket.
    package let bucket = "blobs"
    package let port: Int
    package let accessKey: String
    package let secretKey: String
    private let folder: ScratchFolder
    private let process: UnpackedProcess

    private static let program = UnpackedTools.checkout + ".build/python/bin/moto_server"

    /// Whether the program is there.
    package static var isThere: Bool { FileManager.default.isExecutableFile(atPath: program) }

    /// Why tests are skipped without it.
    package static let missing = "no moto (.ci/python installs it below .build)"

    /// It did not do what a test needs before it begins.
    package struct NotReady: Error { package let text: String }

    /// One that all tests of a process share; each has a prefix of its own.
    package static func shared() throws -> S3Server { try sharedServer.get() }

    private static let sharedServer = Result {
        let server = try S3Server()
        AtExit.add {
            server.process.end()
            server.folder.remove()
        }
        return server
    }

    /// - Throws: ``NotReady``
    package init() throws {
        folder = ScratchFolder()
        let port = Loopback.freePort()
        self.port = port
        // The first four requests need no signature; they make what the others are signed with. Lists have short
        // pages, so that there are several.
        process = try UnpackedProcess(
            Self.program, ["-H", "127.0.0.1", "-p", "\(port)"], of: UnpackedTools("python"),
            log: folder.file("log"), lastSignal: SIGKILL, keepsUser: true,
            variables: ["INITIAL_NO_AUTH_ACTION_COUNT": "4", "MOTO_S3_DEFAULT_MAX_KEYS": "3"])
        eventually { [process] in Loopback.isOpen(port) || !process.isRunning }
        _ = try Self.send("PUT", "/\(bucket)", "", to: port)
        for action in [
            "Action=CreateUser",
            "Action=PutUserPolicy&PolicyName=all&PolicyDocument=%7B%22Version%22%3A%222012-10-17%22%2C"
                + "%22Statement%22%3A%7B%22Effect%22%3A%22Allow%22%2C%22Action%22%3A%22s3%3A%2A%22%2C"
                + "%22Resource%22%3A%22%2A%22%7D%7D",
        ] {
            _ = try Self.send("POST", "/", "\(action)&Version=2010-05-08&UserName=u", to: port)
        }
        let answer = try Self.send(
            "POST", "/", "Action=CreateAccessKey&Version=2010-05-08&UserName=u", to: port)
        guard let access = answer.firstMatch(of: /<AccessKeyId>(.*)<\/AccessKeyId>/)?.1,
            let secret = answer.firstMatch(of: /<SecretAccessKey>(.*)<\/SecretAccessKey>/)?.1
        else { throw NotReady(text: answer) }
        (accessKey, secretKey) = (String(access), String(secret))
    }

    private static func send(
        _ method: String, _ path: String, _ body: String, to port: Int
    ) throws -> String {
        guard let line = Loopback.connected(to: port) else {
            throw NotReady(text: "moto does not listen")
        }
        defer { close(line) }
        // It says which service is meant: S3 without it.
        let service =
            method == "PUT"
            ? ""
            : "Authorization: AWS4-HMAC-SHA256 Credential=x/20130524/us-east-1/iam/aws4_request\r\n"
        let request = """
            \(method) \(path) HTTP/1.1\r
            Host: 127.0.0.1:\(port)\r
            \(service)\
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: \(body.utf8.count)\r
            Connection: close\r
            \r
            \(body)
            """
        guard Loopback.send(Array(request.utf8), to: line) else { throw NotReady(text: "cut off") }
        var (answer, buffer): ([UInt8], [UInt8]) = ([], Array(repeating: 0, count: 65_536))
        while case let count = recv(line, &buffer, buffer.count, 0), count > 0 {
            answer += buffer[..<count]
        }
        let text = String(decoding: answer, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200") else { throw NotReady(text: text) }
        return text
    }
}
