import Foundation
import MacrologJSON
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: an operator's commands do the same while the server runs and while it does not, and a wrong one
/// says what to do and changes nothing.
/// Method: the real programs, with a server that is started, stopped and killed between commands.
@Suite struct OperatorTests {
    /// Runs a command of the operator on a server's folder.
    @discardableResult
    private func operate(
        _ server: ServerProcess, _ words: String, code: Int32 = 0
    ) throws -> String {
        let (status, text) = try server.run(
            Transcript.words("sync-server " + words) + ["--data", server.data])
        #expect(status == code, "\(words): \(status) \(text)")
        return text
    }

    private func users(_ server: ServerProcess) throws -> [JSON] {
        try JSON.parse(operate(server, "user list --json"))["users"]?.array ?? []
    }

    @Test func `accounts are administered while the server runs, and while it does not`() throws {
        let server = try ServerProcess()
        for isRunning in [true, false] {
            if !isRunning { server.stop() }
            let email = isRunning ? "ana@example.org" : "ben@example.org"
            let added = try operate(server, "user add \(email)")
            #expect(added.contains("macrolog auth reset \(email)"))
            #expect(try operate(server, "user list").contains(email))
            #expect(try operate(server, "user show \(email)").contains("no password yet"))
            #expect(try operate(server, "user usage \(email)").contains("1,000,000 events"))
            #expect(try operate(server, "user disable \(email)").contains("Disabled"))
            #expect(try operate(server, "user list").contains("disabled since"))
            #expect(try operate(server, "user enable \(email)").contains("Enabled"))
            #expect(try operate(server, "user sessions \(email)").contains("No device"))
            #expect(try operate(server, "user reset-code \(email)").contains("works once"))
            #expect(try operate(server, "invite create").contains("auth register"))
            let trail = try operate(server, "user audit \(email)")
            #expect(trail.contains("reset_code_made") && trail.contains("disabled"), "\(trail)")
            let audit = try JSON.parse(operate(server, "user audit \(email) --json"))["audit"]
            #expect(audit?.array?.last?["event"] == "added")
            let number = isRunning ? 1 : 2
            #expect(try operate(server, "invite list").contains("\(number)  "))
            #expect(try operate(server, "invite revoke \(number)").contains("Withdrew"))
            #expect(try operate(server, "invite list").contains("No invitations"))
        }
        let emails = try users(server).compactMap { $0["email"]?.string }
        #expect(emails == ["ana@example.org", "ben@example.org"])
        #expect(try operate(server, "user delete ana@example.org --yes").contains("deletions"))
        #expect(try users(server).count == 1)
    }

    @Test func `the socket is its owner's, and a killed server's is in no one's way`() throws {
        let server = try ServerProcess()
        let socket = server.folder.permissions("data/admin.sock")
        #expect(socket == 0o600)
        try operate(server, "user add ana@example.org")
        server.kill()
        #expect(server.folder.size("data/admin.sock") == 0)
        #expect(try users(server).count == 1)
        try server.start()
        #expect(try users(server).count == 1)
        server.stop()
        #expect(server.folder.size("data/admin.sock") == -1)
    }

    @Test func `a server that does not answer its operator is named, with what to do`() throws {
        let server = try ServerProcess()
        try FileManager.default.removeItem(atPath: server.folder.file("data/admin.sock"))
        let text = try operate(server, "user list", code: 75)
        #expect(text.contains("admin.sock") && text.contains("stop the server first"), "\(text)")
        server.stop()
        try operate(server, "user list")
    }

    @Test func `a running server of another version, or none that makes sense, is named`() throws {
        let server = try ServerProcess()
        server.stop()
        for (answer, code, hint) in [
            (#"{"version":"0.0.9","result":{}}"#, 76, "version 0.0.9"), ("?", 74, "its log"),
        ] {
            let answerer = try LocalAnswerer(at: server.folder.file("data/admin.sock")) { _ in
                Array(answer.utf8)
            }
            let text = try operate(server, "user list", code: Int32(code))
            #expect(text.contains(hint), "\(text)")
            answerer.close()
        }
        try operate(server, "user list")
    }

    private static let changesUser =
        getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    @Test(.enabled(if: changesUser, "needs root and setpriv"))
    func `another user may not administer a server, and learns as whom to`() throws {
        let server = try ServerProcess()
        for isRunning in [true, false] {
            if !isRunning { server.stop() }
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/setpriv")
            process.arguments = [
                "--reuid", "65534", "--clear-groups", try BuiltProgram.url("sync-server").path,
                "user", "list", "--data", server.data,
            ]
            let errors = Pipe()
            process.standardError = errors
            try process.run()
            let text = String(
                decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            // Where others cannot reach the program at all, nothing is said of the server.
            guard ![126, 127].contains(process.terminationStatus) else { return }
            #expect(process.terminationStatus == 77, "\(text)")
            #expect(text.contains("sudo sync-server"), "\(text)")
        }
    }

    @Test func `limits of flags hold`() throws {
        let server = try ServerProcess(
            options: ["--session-quota", "1", "--logins-per-hour", "2", "--password-memory", "13"])
        let (phone, laptop) = (try Computer(), try Computer())
        func run(_ computer: Computer, _ words: String, code: Int32 = 0) throws {
            computer.environment["MACROLOG_SERVER"] = server.address
            let result = try computer.run(
                Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
            #expect(result.status == code, "\(words): \(result.output)")
        }
        let login = "auth login ana@example.org --password-stdin"
        try run(phone, "auth register ana@example.org --password-stdin")
        try run(phone, login)
        try run(phone, "sync")
        try run(laptop, login)
        try run(phone, "sync", code: 77)
        try run(laptop, "sync")
        // The first one was from a network that the account was not known from.
        try run(phone, login)
        try run(phone, login, code: 75)
    }

    @Test func `wrong words, addresses and numbers are refused with their exit codes`() throws {
        let server = try ServerProcess()
        try operate(server, "user add ana@example.org")
        let before = try users(server)
        for (words, code, hint) in [
            ("user add", 64, "EMAIL"), ("user add ana@example.org", 73, "has an account already"),
            ("user add nonsense", 65, "ana@example.org"),
            ("user show ben@example.org", 66, "user list"),
            ("user add b@example.org --bcrypt-hash-stdin", 66, "standard input"),
            ("user add b@example.org --bcrypt-hash-stdin --password-stdin", 64, "exclude"),
            ("user audit ben@example.org", 66, "user list"),
            ("user delete ana@example.org", 64, "--yes"),
            ("user delete ben@example.org --yes", 66, "user list"),
            ("user sessions ana@example.org --end x", 66, "user sessions"),
            ("user sessions ana@example.org --end x --end-all", 64, "exclude"),
            ("user fly", 64, "user"), ("invite create --uses 0", 64, "1 to"),
            ("invite create --days 4000", 64, "3650"), ("invite revoke x", 64, "whole number"),
            ("invite revoke 7", 66, "invite list"),
        ] {
            let text = try operate(server, words, code: Int32(code))
            #expect(text.contains(hint), "\(words): \(text)")
            // The same as JSON, by the convention of the other program.
            let json = try JSON.parse(operate(server, words + " --json", code: Int32(code)))
            #expect(json["error"]?["exit_code"] == .integer(Int64(code)), "\(words): \(json)")
            #expect(json["error"]?["message"]?.string?.contains(hint) == true, "\(json)")
            #expect(json["error"]?["message"]?.string?.hasPrefix("sync-server: ") == false)
            #expect(json["error"]?["retryable"] == false && json["warnings"] == [])
        }
        #expect(try users(server) == before)
        #expect(
            try server.run(["user", "list", "--data", server.folder.file("none")]).status == 66)
    }

    @Test func `flags of limits and of registration are checked before anything is opened`() throws
    {
        let folder = ScratchFolder()
        let data = folder.file("data")
        let server = try ServerProcess(in: folder)
        server.stop()
        for words in [
            "--registration sometimes", "--session-quota 0", "--failed-logins-per-hour x",
            "--logins-per-hour 0", "--pushes-per-minute -1", "--pulls-per-minute 99999999",
            "--photos-per-minute 0", "--password-memory 11",
        ] {
            let (status, text) = try server.run(
                Transcript.words("sync-server " + words) + ["--data", data + "2"])
            #expect(status == 64, "\(words): \(text)")
            #expect(text.contains("--help"), "\(words): \(text)")
        }
        #expect(!folder.names.contains("data2"))
    }

    @Test func `an earlier backup that is restored forgets again who was deleted`() throws {
        let server = try ServerProcess()
        try operate(server, "user add ana@example.org")
        try operate(server, "user add ben@example.org")
        let copy = server.folder.file("copy.db")
        try operate(server, "backup \(copy)")
        let deleted = try operate(server, "user delete ana@example.org --yes")
        #expect(deleted.contains("backups that were made before"))
        server.stop()
        let restored = try operate(server, "restore \(copy) --force")
        #expect(restored.contains("and are again: 1."), "\(restored)")
        #expect(!restored.contains("no list of deleted accounts"), "\(restored)")
        // On a new machine the list is missing, unless it was put there.
        for hasList in [false, true] {
            let data = server.folder.file("new-\(hasList)")
            if hasList {
                try FileManager.default.createDirectory(
                    atPath: data, withIntermediateDirectories: true,
                    attributes: [.posixPermissions: 0o700])
                try FileManager.default.copyItem(
                    atPath: "\(server.data)/server.db.deletions",
                    toPath: "\(data)/server.db.deletions")
            }
            let (status, text) = try server.run(["restore", copy, "--data", data])
            #expect(status == 0, "\(text)")
            let names = text.contains("put it at \(data)/server.db.deletions before you start")
            #expect(names == !hasList, "\(text)")
        }
        let emails = try users(server).compactMap { $0["email"]?.string }
        #expect(emails == ["ben@example.org"])
        // The database that was moved aside is named.
        let next = try operate(server, "user delete ben@example.org --yes")
        #expect(next.contains("server.db.old-1"), "\(next)")
        try server.start()
        #expect(try users(server).isEmpty)
    }
}
