import Foundation
import MacrologTestSupport
import Testing

/// Goal: each incident of `sync-server/README.md` ends as the page says, with its own commands.
/// Method: the real programs are brought into it, and the page is followed.
@Suite struct IncidentTests {
    private let shell = ServerShell()

    private func done(_ line: String) throws -> String {
        let result = try shell.run(line)
        #expect(result.status == 0, "\(line): \(result.errors)")
        return result.output
    }

    private func run(_ phone: Computer, _ words: String, code: Int32 = 0) throws -> String {
        let result = try phone.run(
            words.split(separator: " ").map(String.init), input: "nine purple lanterns hum\n",
            together: true)
        #expect(result.status == code, "\(words): \(result.output)")
        return result.output
    }

    private func logIn(_ phone: Computer, _ port: UInt16, _ more: String = "") throws {
        _ = try run(
            phone,
            "auth login ana@example.org --server http://127.0.0.1:\(port) --password-stdin\(more)")
    }

    @Test(.enabled(if: ServerShell.isRoot, "needs root, to make a small disk"))
    func `a full disk loses nothing, and needs no restart`() throws {
        let made = try shell.run("mkdir -m 700 data && mount -t tmpfs -o size=80m none data")
        try #require(made.status == 0, "\(made.errors)")
        defer { _ = try? shell.run("umount -l data") }
        let server = try shell.listen("--metrics 127.0.0.1:0")
        defer { server.stop() }
        let phone = try shell.person("ana@example.org", at: server.port)
        let login = try shell.ask(
            server.port, "POST /v1/auth/login",
            json:
                #"{"email":"ana@example.org","password":"nine purple lanterns hum","device":"x"}"#)
        let token = try #require(login.firstMatch(of: /"access_token": ?"([^"]+)"/)?.1, "\(login)")
        let fields = ["Authorization: Bearer \(token)"]
        _ = try shell.run("dd if=/dev/zero of=data/filler bs=64k 2>/dev/null")
        for _ in 0..<3 { _ = try run(phone, "quick 100kcal Bread") }
        #expect(try run(phone, "sync", code: 76).contains("no room left"))
        #expect(try shell.ask(server.port, "GET /ready").hasPrefix("HTTP/1.1 503"))
        let inner = try shell.ask(server.metrics, "GET /ready")
        #expect(
            inner.contains("\"ready\":false") && inner.contains("\"has_room\":false"), "\(inner)")
        #expect(try shell.ask(server.port, "GET /health").hasPrefix("HTTP/1.1 200"))
        // The answer to a program says whose disk it is, and that it may try again.
        for (line, json) in [
            ("GET /api/v1/day", nil), ("POST /api/v1/water", #"{"volume_ml":250}"#),
        ] as [(String, String?)] {
            let answer = try shell.ask(server.port, line, fields: fields, json: json)
            #expect(answer.hasPrefix("HTTP/1.1 503"), "\(answer)")
            #expect(answer.contains("its operator has to make some"), "\(answer)")
        }
        _ = try done("rm data/filler")
        #expect(try run(phone, "sync").contains("Up to date"))
        var ready = ""
        let isReady = try eventually(within: 10_000, every: 20) {
            ready = try shell.ask(server.port, "GET /ready")
            return ready.hasPrefix("HTTP/1.1 200")
        }
        #expect(isReady, "\(ready)")
        let day = try shell.ask(server.port, "GET /api/v1/day", fields: fields)
        #expect(day.hasPrefix("HTTP/1.1 200"), "\(day)")
    }

    @Test func `a proxy that is not declared locks people out, until it is declared and reloaded`()
        throws
    {
        try shell.write("s.conf", "log-level = info\n")
        let server = try shell.listen("--config s.conf")
        defer { server.stop() }
        func wrong(_ number: Int) throws -> String {
            try shell.ask(
                server.port, "POST /v1/auth/login",
                fields: ["X-Forwarded-For: 198.51.100.\(number)"],
                json:
                    #"{"email":"p\#(number)@example.org","password":"not the words","device":"x"}"#)
        }
        var statuses: [String] = []
        for number in 1...25 { statuses.append(String(try wrong(number).prefix(12).suffix(3))) }
        #expect(statuses.first == "401" && statuses.last == "429", "\(statuses)")
        try shell.waitForLog("proxy.undeclared")
        try shell.write("s.conf", "log-level = info\ntrusted-proxy = 127.0.0.1\n")
        server.signal(SIGHUP)
        try shell.waitForLog("\"reloaded\"")
        #expect(try wrong(26).hasPrefix("HTTP/1.1 401"))
    }

    @Test func `a second server on the folder says who has it`() throws {
        let server = try shell.listen("")
        defer { server.stop() }
        let second = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(second.status == 75, "\(second)")
        #expect(second.errors.contains("\(server.process.processIdentifier)"), "\(second)")
    }

    @Test func `a removed lock file lets no other program in, and a link in its place is refused`()
        throws
    {
        let server = try shell.listen("")
        _ = try done("$SERVER backup copy.db --data data && rm data/server.db.lock")
        let restore = "exec $SERVER restore copy.db --data data --force"
        for line in ["exec $SERVER --data data --listen 127.0.0.1:0", restore] {
            let beside = try shell.run(line)
            #expect(beside.status == 75, "\(beside)")
            #expect(beside.errors.contains("data is held by another process"), "\(beside)")
        }
        server.stop()
        _ = try done("rm -f data/server.db.lock && ln -s elsewhere data/server.db.lock")
        // Waiting would not help, so it is no temporary failure.
        #expect(try shell.run(restore).status == 73)
    }

    @Test
    func `without its secrets a server does not start; a new one gets everything from devices`()
        throws
    {
        var server = try shell.listen("")
        let phone = try shell.person("ana@example.org", at: server.port)
        let port = server.port
        server.stop()
        _ = try done("mv data/secrets.key kept")
        let refused = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(
            refused.status == 66 && refused.errors.contains("secrets.key is missing"), "\(refused)")
        // The copy put back.
        _ = try done("cp kept data/secrets.key; chmod 600 data/secrets.key")
        try shell.listen("").stop()
        // No copy: an empty folder.
        _ = try done("mv data lost")
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        defer { server.stop() }
        _ = try run(
            phone,
            "auth register ana@example.org --server http://127.0.0.1:\(port) --password-stdin")
        try logIn(phone, port, " --move")
        _ = try run(phone, "sync")
        let laptop = try Computer()
        try logIn(laptop, port)
        _ = try run(laptop, "sync")
        #expect(try run(laptop, "meal list").contains("Marzipanbrot"))
    }

    @Test
    func `without its key at rest a server does not start; a new one gets everything from devices`()
        throws
    {
        _ = try done("exec $SERVER at-rest-key create rest.key")
        var server = try shell.listen("--at-rest-key rest.key")
        let phone = try shell.person("ana@example.org", at: server.port)
        let port = server.port
        server.stop()
        let refused = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(refused.status == 66 && refused.errors.contains("--at-rest-key"), "\(refused)")
        _ = try done("mv data lost; rm rest.key; exec $SERVER at-rest-key create rest.key")
        server = try shell.listen("--at-rest-key rest.key --listen 127.0.0.1:\(port)")
        defer { server.stop() }
        _ = try run(
            phone,
            "auth register ana@example.org --server http://127.0.0.1:\(port) --password-stdin")
        try logIn(phone, port, " --move")
        // Until it has synced, this account has nothing of what the device holds.
        let status = try run(phone, "sync status")
        #expect(status.contains("The server may lack what this device has: 2 events"), "\(status)")
        #expect(status.contains("Never synced with this account: macrolog sync"), "\(status)")
        #expect(try run(phone, "doctor").contains("the server may lack 2 events of this device"))
        #expect(try run(phone, "auth logout", code: 75).contains("2 events have not reached"))
        #expect(try run(phone, "sync").contains("sent 2, received 0"))
        #expect(try run(phone, "sync status").contains("In sync"))
        let laptop = try Computer()
        try logIn(laptop, port)
        #expect(try run(laptop, "sync").contains("sent 0, received 2"))
        #expect(try run(laptop, "meal list").contains("Marzipanbrot"))
    }

    @Test func `a damaged database is found, and restored from the copy that passes`() throws {
        var server = try shell.listen("")
        let phone = try shell.person("ana@example.org", at: server.port)
        _ = try done("exec $SERVER backup add copies --data data --backup-secrets")
        _ = try run(phone, "quick 100kcal Bread")
        _ = try run(phone, "sync")
        let port = server.port
        server.stop()
        let path = shell.folder.file("data/server.db")
        var bytes = try Data(contentsOf: URL(filePath: path))
        let place = try #require(bytes.range(of: Data("Marzipanbrot".utf8))).lowerBound
        bytes[place] ^= 1
        try bytes.write(to: URL(filePath: path))
        let found = try shell.run("exec $SERVER verify --data data")
        #expect(found.status == 65 && found.errors.contains("is damaged"), "\(found)")
        _ = try done("exec $SERVER drill copies")
        let restored = try done("exec $SERVER restore copies --data data --force")
        #expect(restored.contains("data/server.db.old-1"), "\(restored)")
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        try logIn(phone, port)
        _ = try run(phone, "sync")
        server.stop()
        #expect(try done("exec $SERVER verify --data data").contains("3 events of 1 accounts"))
    }

    @Test func `after an interrupted restore no server starts, until it is given again`() throws {
        var server = try shell.listen("")
        let port = server.port
        _ = try shell.person("ana@example.org", at: port)
        server.stop()
        _ = try done("exec $SERVER backup add copies --data data --backup-secrets")
        // As it is between the moves of the old database and of the new one.
        _ = try done("touch data/server.db.restoring; mv data/server.db data/server.db.old-1")
        let refused = try shell.run("exec $SERVER --data data --listen 127.0.0.1:0")
        #expect(
            refused.status == 65 && refused.errors.contains("Give it again, with --force"),
            "\(refused)")
        #expect(!shell.exists("data/server.db"))
        _ = try done("exec $SERVER restore copies --data data --force")
        #expect(!shell.exists("data/server.db.restoring"))
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        server.stop()
        #expect(try done("exec $SERVER verify --data data").contains("2 events of 1 accounts"))
    }

    @Test func `a folder that was put back by hand gets a new epoch, and the devices fill it`()
        throws
    {
        var server = try shell.listen("")
        let port = server.port
        let phone = try shell.person("ana@example.org", at: port)
        server.stop()
        _ = try done("cp -a data snapshot")
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        _ = try run(phone, "quick 100kcal Bread")
        _ = try run(phone, "sync")
        server.stop()
        _ = try done("rm -r data; mv snapshot data")
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        _ = try phone.run(["quick", "200kcal", "Soup"])
        let before = try phone.run(["sync"])
        server.stop()
        #expect(try done("exec $SERVER store restored --data data").contains("new epoch"))
        server = try shell.listen("--listen 127.0.0.1:\(port)")
        _ = try run(phone, "sync")
        server.stop()
        #expect(
            try done("exec $SERVER verify --data data").contains("4 events of 1 accounts"),
            "\(before)")
    }
}
