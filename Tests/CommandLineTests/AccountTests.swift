import Foundation
import MacrologJSON
import MacrologCryptography
import MacrologTestSupport
import Testing

/// Goal: a person invites, enters, protects, recovers, takes away and deletes an account in the words of
/// the real programs, and a wrong code or file says what to do.
/// Method: two computers, a server, and its operator; codes as an app computes them.
@Suite struct AccountTests {
    private static let password = "nine purple lanterns hum"
    private static let other = "four green bicycles sing"

    private let server: ServerProcess
    private let phone: Computer
    private let laptop: Computer

    init() throws {
        server = try ServerProcess(options: ["--registration", "invite"])
        phone = try Computer()
        laptop = try Computer()
        for computer in [phone, laptop] { computer.environment["MACROLOG_SERVER"] = server.address }
    }

    @discardableResult
    private func run(
        _ computer: Computer, _ words: String, input: String = password, code: Int32 = 0
    ) throws -> String {
        let result = try computer.run(
            Transcript.words("macrolog " + words), input: input + "\n", together: true)
        #expect(result.status == code, "\(words): \(result.status) \(result.output)")
        return result.output
    }

    private func json(_ computer: Computer, _ words: String, input: String = password) throws
        -> JSON
    {
        try JSON.parse(run(computer, words + " --json", input: input))
    }

    private func operate(_ words: String) throws -> JSON {
        let (status, text) = try server.run(
            Transcript.words("sync-server " + words) + ["--json", "--data", server.data])
        #expect(status == 0, "\(words): \(text)")
        return try JSON.parse(text)
    }

    /// Logs both computers in.
    private func enter() throws {
        let code = try #require(try operate("invite create")["invitation"]?["code"]?.string)
        let register = "auth register ana@example.org --password-stdin"
        #expect(try run(phone, register, code: 77).contains("by invitation"))
        #expect(try run(phone, register + " --invite nonsense", code: 77).contains("is wrong"))
        try run(phone, register + " --invite \(code)")
        let again = "auth register ben@example.org --password-stdin --invite \(code)"
        #expect(try run(phone, again, code: 77).contains("used up"))
        for (computer, name) in [(phone, "phone"), (laptop, "laptop")] {
            try run(computer, "auth login ana@example.org --password-stdin --device \(name)")
        }
    }

    @Test func `a changed password logs the other device out, which loses nothing`() throws {
        try enter()
        try run(laptop, "add Soup --kcal 300")
        let wrong = try run(
            phone, "auth password --password-stdin", input: "wrong words\n\(Self.other)", code: 77)
        #expect(wrong.contains("password is wrong"), "\(wrong)")
        let weak = try run(
            phone, "auth password --password-stdin", input: "\(Self.password)\npassword1", code: 65)
        #expect(weak.contains("too easily guessed"), "\(weak)")
        try run(
            phone, "auth password --password-stdin", input: "\(Self.password)\n\(Self.other)")
        try run(phone, "sync")
        #expect(try run(laptop, "sync", code: 77).contains("macrolog auth login"))
        try run(laptop, "auth login ana@example.org --password-stdin", code: 77)
        try run(laptop, "auth login ana@example.org --password-stdin", input: Self.other)
        try run(laptop, "sync")
        try run(phone, "sync")
        #expect(try run(phone, "day show").contains("Soup"))
    }

    @Test func `the operator's code sets a forgotten password, once`() throws {
        try enter()
        let code = try #require(try operate("user reset-code ana@example.org")["code"]?.string)
        let reset = "auth reset ana@example.org --password-stdin"
        #expect(try run(phone, reset, code: 64).contains("--code-stdin"))
        // Not as an argument, which everyone on the machine can read.
        try run(phone, reset + " --code \(code)", code: 64)
        let typed = reset + " --code-stdin"
        let wrong = try run(
            phone, typed, input: "ABCD-EFGH-IJKL-MNOP\n\(Self.other)", code: 77)
        #expect(wrong.contains("The code is wrong"), "\(wrong)")
        try run(phone, typed, input: "\(code)\n\(Self.other)")
        #expect(try run(phone, "sync", code: 77).contains("macrolog auth login"))
        try run(phone, typed, input: "\(code)\n\(Self.other)", code: 77)
        try run(phone, "auth login ana@example.org --password-stdin", input: Self.other)
        let audit = try json(phone, "auth audit")["audit"]?.array ?? []
        let events = audit.compactMap { $0["event"]?.string }
        #expect(events.prefix(4) == ["login", "reset_failed", "password_reset", "reset_failed"])
        #expect(events.contains("reset_code_made") && events.last == "registered")
        #expect(audit.first?["network"] == "127.0.0.0/24")
        #expect(try run(phone, "auth audit").contains("the operator"))
    }

    @Test func `a second factor is asked for, and recovery codes work once`() throws {
        try enter()
        let begun = try json(phone, "auth totp enable --password-stdin")
        let secret = try #require(begun["secret"]?.string.flatMap { Base32.decode($0) })
        #expect(begun["uri"]?.string?.hasPrefix("otpauth://totp/") == true)
        try run(phone, "auth totp confirm 1", code: 77)
        func code() -> String {
            let now = Int64(Date().timeIntervalSince1970 * 1_000)
            return TimedCode.code(secret, step: TimedCode.step(at: now))
        }
        let used = code()
        let recovery = try #require(
            try json(phone, "auth totp confirm \(used)")["recovery_codes"]?.array?
                .compactMap(\.string))
        #expect(recovery.count == 10)
        let login = "auth login ana@example.org --password-stdin"
        #expect(try run(laptop, login, code: 77).contains("--code"))
        let json = try laptop.run(
            Transcript.words("macrolog " + login + " --json"), input: Self.password + "\n")
        #expect(json.errors.contains("\"code_required\""))
        #expect(try run(laptop, login + " --code \(used)", code: 77).contains("used already"))
        try run(laptop, login + " --code \(recovery[0])")
        try run(laptop, login + " --code \(recovery[0])", code: 77)
        try run(phone, "auth totp disable --password-stdin", code: 77)
        try run(phone, "auth totp disable --password-stdin --code \(recovery[1])")
        try run(laptop, login)
    }

    @Test func `sessions are listed and ended`() throws {
        try enter()
        // The same server with another end of its address: the session before ends.
        try run(
            phone,
            "auth login ana@example.org --password-stdin --device phone --server \(server.address)/"
        )
        let sessions = try json(phone, "auth sessions")["sessions"]?.array ?? []
        #expect(sessions.compactMap { $0["name"]?.string }.sorted() == ["laptop", "phone"])
        #expect(try run(phone, "auth sessions end phone --yes", code: 64).contains("auth logout"))
        #expect(try run(phone, "auth sessions end tablet --yes", code: 66).contains("tablet"))
        try run(phone, "auth sessions end laptop --yes")
        try run(laptop, "sync", code: 77)
        #expect(try json(phone, "auth sessions")["sessions"]?.array?.count == 1)
    }

    @Test func `a disabled account says so, and the device keeps recording`() throws {
        try enter()
        _ = try operate("user disable ana@example.org")
        try run(phone, "add Soup --kcal 300")
        #expect(try run(phone, "sync", code: 77).contains("account is disabled"))
        let login = "auth login ana@example.org --password-stdin"
        #expect(try run(laptop, login, code: 77).contains("account is disabled"))
        _ = try operate("user enable ana@example.org")
        try run(phone, login)
        try run(phone, "sync")
        #expect(try operate("user show ana@example.org")["user"]?["event_count"] != 0)
    }

    /// What `sync status` and `doctor` say of a device.
    private func told(_ computer: Computer, code: Int32 = 0) throws -> [String] {
        [try run(computer, "sync status"), try run(computer, "doctor", code: code)]
    }

    private func enterAndSync() throws {
        try enter()
        try run(phone, "add Soup --kcal 300")
        for computer in [phone, laptop, phone] { try run(computer, "sync") }
        for text in try told(phone) { #expect(text.contains("On all 2 devices."), "\(text)") }
    }

    @Test func `after logging out a device says so, how to log in, and nothing of the others`()
        throws
    {
        try enterAndSync()
        try run(phone, "auth logout")
        for text in try told(phone) {
            #expect(text.contains("macrolog auth login EMAIL"), "\(text)")
            #expect(!text.contains("On all") && !text.contains("In sync"), "\(text)")
        }
        let status = try run(phone, "sync status")
        #expect(status.contains("was on the server when it was last asked"), "\(status)")
        #expect(status.contains("\nNot logged in: macrolog auth login EMAIL\n"), "\(status)")
        #expect(status.contains("\nLast synced "), "\(status)")
        try run(phone, "auth login ana@example.org --password-stdin")
        #expect(try run(phone, "sync status").contains("In sync"))
    }

    @Test func `a session that was ended elsewhere is reported, although nothing waits`() throws {
        try enterAndSync()
        try run(laptop, "auth sessions end phone --yes")
        try run(phone, "sync", code: 77)
        let login = "macrolog auth login ana@example.org --server \(server.address)\n"
        for text in try told(phone, code: 65) + [run(phone, "sync", code: 77)] {
            #expect(text.contains("the session has ended"), "\(text)")
            #expect(text.contains(login), "\(text)")
            #expect(!text.contains("On all") && !text.contains("In sync"), "\(text)")
        }
        #expect(
            try run(phone, "auth status")
                == "Not logged in: the session of ana@example.org has ended. " + login)
        for status in ["auth status", "sync status"] {
            #expect(try json(phone, status)["logged_in"] == false, "\(status)")
        }
        try run(phone, "auth login ana@example.org --password-stdin")
        for text in try told(phone) { #expect(!text.contains("has ended"), "\(text)") }
        for status in ["auth status", "sync status"] {
            #expect(try json(phone, status)["logged_in"] == true, "\(status)")
        }
    }

    @Test func `after the account was deleted nothing is said to be on the server`() throws {
        try enterAndSync()
        try run(phone, "auth delete --yes --password-stdin")
        for text in try told(phone) {
            #expect(text.contains("macrolog auth login EMAIL"), "\(text)")
            #expect(text.contains(/[Nn]o server is known to have/), "\(text)")
            for claim in ["On all", "In sync", "the server", "Last synced", "Never synced"] {
                #expect(!text.contains(claim), "\(claim): \(text)")
            }
        }
        #expect(try json(phone, "sync status")["on_all_devices"] == JSON.null)
        #expect(try json(phone, "sync status")["logged_in"] == false)
        // All of it goes to the next account.
        let code = try #require(try operate("invite create")["invitation"]?["code"]?.string)
        try run(phone, "auth register ben@example.org --password-stdin --invite \(code)")
        try run(phone, "auth login ben@example.org --password-stdin --move")
        try run(phone, "sync")
        #expect(try run(phone, "sync status").contains("In sync"))
    }

    // MARK: Taking away

    /// The names in a zip file and their bytes, read from its directory (APPNOTE 6.3.10).
    private func unzipped(_ zip: Data) throws -> [String: Data] {
        func number(_ offset: Int, _ count: Int) -> Int {
            (0..<count).reversed().reduce(0) { $0 << 8 | Int(zip[offset + $1]) }
        }
        let end = zip.count - 22
        #expect(number(end, 4) == 0x0605_4B50)
        var (offset, files) = (number(end + 16, 4), [String: Data]())
        for _ in 0..<number(end + 10, 2) {
            #expect(number(offset, 4) == 0x0201_4B50)
            let (count, nameCount) = (number(offset + 24, 4), number(offset + 28, 2))
            let header = number(offset + 42, 4)
            let name = String(
                decoding: zip[(offset + 46)..<(offset + 46 + nameCount)], as: UTF8.self)
            #expect(number(header, 4) == 0x0403_4B50 && number(header + 18, 4) == count)
            let start = header + 30 + nameCount
            files[name] = zip.subdata(in: start..<(start + count))
            offset += 46 + nameCount
        }
        #expect(offset == end)
        return files
    }

    @Test func `everything of the account comes in one zip file`() throws {
        try enter()
        try run(phone, "add Soup --kcal 300")
        let meal = try json(phone, "meal list").array?.first?["id"]?.string
        try TinyPhoto.write(7, to: phone, as: "7.jpg")
        try run(phone, "meal photo add \(try #require(meal)) 7.jpg")
        try run(phone, "sync")
        try run(laptop, "weight log 80.2kg")
        // What is not here yet is fetched.
        let said = try run(laptop, "auth export ana.zip")
        #expect(said.contains("1 photo"), "\(said)")
        let zip = laptop.folder.appending(path: "ana.zip")
        let files = try unzipped(Data(contentsOf: zip))
        let photos = files.keys.filter { $0.hasPrefix("photos/") }
        #expect(
            files.keys.filter { !$0.hasPrefix("photos/") }.sorted() == [
                "account.json", "log.json", "meals.csv", "water.csv", "weights.csv",
            ])
        #expect(photos.count == 1)
        let account = try JSON.parse(Array(try #require(files["account.json"])))
        #expect(account["account"]?["email"] == "ana@example.org")
        #expect(account["sessions"]?.array?.count == 2)
        #expect(account["account"]?["events"]?.integer ?? 0 > 2)
        #expect(photos.allSatisfy { $0.hasSuffix(".jpg") })
        let photo = try #require(files[photos[0]])
        #expect(Int64(photo.count) == account["blobs"]?.array?.first?["bytes"]?.integer)
        let meals = String(decoding: try #require(files["meals.csv"]), as: UTF8.self)
        #expect(meals.contains("Soup"))
        #expect(
            String(decoding: try #require(files["weights.csv"]), as: UTF8.self).contains("80.2"))
        if FileManager.default.isExecutableFile(atPath: "/usr/bin/unzip") {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/unzip")
            process.arguments = ["-tq", zip.path]
            process.standardOutput = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(try run(laptop, "auth export ana.zip", code: 73).contains("--force"))
        // A photo that neither the server nor this device has is missed.
        try TinyPhoto.write(8, to: phone, as: "8.jpg")
        try run(phone, "meal photo add \(try #require(meal)) 8.jpg")
        let kept = phone.log + ".blobs"
        try FileManager.default.moveItem(atPath: kept, toPath: kept + ".away")
        try run(phone, "sync")
        let missed = try run(laptop, "auth export again.zip")
        #expect(missed.contains("1 photo of your meals is not in the file"), "\(missed)")
        #expect(try json(phone, "auth audit")["audit"]?.array?[0]["event"] == "exported")
    }

    @Test func `a deleted account is gone from the server, and the logs stay`() throws {
        try enter()
        try run(phone, "add Soup --kcal 300")
        try run(phone, "sync")
        #expect(try run(phone, "auth delete --password-stdin", code: 64).contains("--yes"))
        try run(phone, "auth delete --yes --password-stdin", input: "wrong words", code: 77)
        try run(phone, "auth delete --yes --password-stdin")
        #expect(try operate("user list")["users"] == [])
        #expect(try run(phone, "auth status").contains("Not logged in"))
        #expect(try run(phone, "day show").contains("Soup"))
        #expect(try run(laptop, "sync", code: 77).contains("macrolog auth login"))
        try run(phone, "auth delete --yes --password-stdin", code: 77)
    }
}

/// Goal: a server with a certificate of its own is trusted by who has the file, and by no one else.
/// Method: a real server with a certificate made for the test.
@Suite struct CertificateTests {
    private static let hasOpenSSL = FileManager.default.isExecutableFile(atPath: "/usr/bin/openssl")

    private func shell(_ line: String, in folder: ScratchFolder) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.arguments = ["-c", line]
        process.currentDirectoryURL = folder.url
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }

    @Test(.enabled(if: hasOpenSSL, "needs /usr/bin/openssl"))
    func `a file of certificates is trusted, kept with the session, and checked at once`() throws {
        let folder = ScratchFolder()
        let made = try shell(
            "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 "
                + "-subj /CN=localhost -addext subjectAltName=IP:127.0.0.1; chmod 600 key.pem",
            in: folder)
        try #require(made == 0, "no certificate: is openssl installed?")
        let server = try ServerProcess(
            in: folder, options: ["--tls-cert", "cert.pem", "--tls-key", "key.pem"])
        let phone = try Computer()
        phone.environment["MACROLOG_SERVER"] = "https://127.0.0.1:\(server.port)"
        let (file, wrong) = (folder.file("cert.pem"), folder.file("key.pem"))
        func run(_ words: String, code: Int32 = 0) throws -> String {
            let result = try phone.run(
                Transcript.words("macrolog " + words), input: EngineTests.password, together: true)
            #expect(result.status == code, "\(words): \(result.status) \(result.output)")
            return result.output
        }
        let register = "auth register ana@example.org --password-stdin"
        #expect(try run(register, code: 69).contains("certificate"))
        #expect(try run(register + " --ca \(wrong)", code: 65).contains("holds no certificate"))
        #expect(try run(register + " --ca none.pem", code: 66).contains("none.pem cannot be read"))
        _ = try run(register + " --ca \(file)")
        _ = try run("auth login ana@example.org --password-stdin --ca \(file)")
        // The session knows it from here on.
        _ = try run("add Soup --kcal 300")
        _ = try run("sync")
        _ = try run("auth sessions")
        phone.environment["MACROLOG_CA"] = wrong
        #expect(try run("sync", code: 65).contains("MACROLOG_CA"))
        phone.environment["MACROLOG_CA"] = file
        _ = try run("auth logout")
        _ = try run("auth login ana@example.org --password-stdin")
        _ = try run("sync")
        withExtendedLifetime(server) {}
    }
}
