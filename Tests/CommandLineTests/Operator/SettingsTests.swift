import Foundation
import MacrologTestSupport
import Testing

/// Goal: one declaration of a setting works as an option, a variable and a line of a file, in this
/// order; every mistake is named with its place, and nothing starts.
/// Method: the real program, asked to check its settings.
@Suite struct SettingsTests {
    private let shell = ServerShell()

    @Test func `an option counts before the environment, and that before the file`() throws {
        try shell.write(
            "s.conf",
            """
            # a comment
            listen = 127.0.0.1:1
            log-level = error
              keep=7\r
            insecure-http = yes
            trusted-proxy = 10.0.0.1
            trusted-proxy = 10.0.0.2
            """)
        shell.environment = [
            "SYNC_SERVER_CONFIG": "s.conf", "SYNC_SERVER_LOG_LEVEL": "debug",
            "SYNC_SERVER_LISTEN": "127.0.0.1:2", "SYNC_SERVER_INSECURE_HTTP": "no",
            "SYNC_SERVER_PORT_80_TCP": "tcp://10.0.0.9:80",
        ]
        let result = try shell.run("exec $SERVER --listen 127.0.0.1:3 --check-config")
        #expect(result.status == 0, "\(result)")
        #expect(
            result.output == """
                listen = 127.0.0.1:3  (--listen)
                insecure-http = no  (SYNC_SERVER_INSECURE_HTTP)
                trusted-proxy = 10.0.0.1  (s.conf:6)
                trusted-proxy = 10.0.0.2  (s.conf:6)
                log-level = debug  (SYNC_SERVER_LOG_LEVEL)
                keep = 7  (s.conf:4)
                SYNC_SERVER_PORT_80_TCP is not a setting; ignored.
                No mistakes found.

                """)
        #expect(!shell.exists("sync-data"))
        // A variable replaces a whole list, and several words in it are several values.
        shell.environment["SYNC_SERVER_TRUSTED_PROXY"] = "10.0.0.3 10.0.0.4"
        let replaced = try shell.run("exec $SERVER --check-config")
        #expect(replaced.output.contains("10.0.0.4  (SYNC_SERVER_TRUSTED_PROXY)"))
        #expect(!replaced.output.contains("10.0.0.1"))
    }

    @Test func `the example is valid, and still is with every default written out`() throws {
        let example = try shell.run("exec $SERVER config example").output
        let settings = example.split(separator: "\n").filter {
            $0.hasPrefix("#") && $0.contains(" = ")
        }
        #expect(settings.count >= 20, "\(example)")
        let set = example.replacing(/(?m)^#([a-z-]+ = (?![A-Z])[^|\n]*)$/) { "\($0.1)" }
        #expect(set.contains("\nkeep = 24\n") && set.contains("\nbackup-secrets = no\n"))
        for text in [example, set] {
            try shell.write("example.conf", text)
            let result = try shell.run("exec $SERVER --config example.conf --check-config")
            #expect(result.status == 0, "\(result.errors)")
        }
    }

    @Test func `every mistake is named with its place, and nothing starts`() throws {
        try shell.write(
            "bad.conf",
            """
            listen = 8080
            listne = 127.0.0.1:1
            a line
            data = "/var/lib/macrolog"
            insecure-http = maybe
            keep = 1
            keep = 2
            every = 3 weeks
            backup-key = abc
            """)
        shell.environment = ["SYNC_SERVER_LOG": "xml"]
        for check in ["--check-config", ""] {
            let result = try shell.run("exec $SERVER --config bad.conf \(check)")
            #expect(result.status == 78, "\(result)")
            for line in [
                "bad.conf:1: listen: \"8080\" is not a numeric address and a port. Write an address",
                "bad.conf:2: there is no setting \"listne\". Did you mean listen?",
                "bad.conf:3: \"a line\" is not a setting. Write: name = value.",
                "bad.conf:4: write the value of data without quotes.",
                "bad.conf:5: insecure-http is \"maybe\". Write yes or no.",
                "bad.conf:7: keep is set on line 6 already.",
                "bad.conf:8: every: \"3 weeks\" is not a duration. Write one such as 30m, 1h or 1d.",
                "bad.conf:9: backup-key: \"abc\" is not a public key.",
                "SYNC_SERVER_LOG: log: \"xml\" is not one of the choices.",
            ] {
                #expect(result.errors.contains(line), "\(line) is not in:\n\(result.errors)")
            }
            #expect(result.output.isEmpty)
        }
        #expect(!shell.exists("sync-data") && !shell.exists("data"))
    }

    @Test(arguments: [
        ("--listen 0.0.0.0:0", "nothing would be encrypted"),
        ("--tls-cert c.pem", "--tls-cert and --tls-key go together"),
        ("--metrics 0.0.0.0:0", "asks for no password"),
        ("--tls-cert c.pem --tls-key k.pem", "cannot read c.pem"),
        ("--at-rest-key nowhere", "cannot read nowhere"),
        ("--config nowhere.conf", "nowhere.conf: cannot be read"),
        ("--store mysql://127.0.0.1/log", "is no address of a database"),
        ("--store postgres://ana:secret@127.0.0.1/log", "it holds a password"),
        ("--store postgres://127.0.0.1/log?colour=red", "colour"),
        ("--store postgres://127.0.0.1/log --store-passwords nowhere", "cannot read nowhere"),
        ("--store postgres://127.0.0.1/log --backup copies", "--backup copies the file"),
        ("--store-pooler", "--store-pooler goes with --store"),
        ("--minimum-client two", "--minimum-client must be a version"),
        ("--analysis nowhere", "--analysis nowhere"),
        ("--cors-origin https://app.example.org/", "no browser sends that"),
        ("--cors-origin https://App.example.org", "no browser sends that"),
        ("--cors-origin https://app.example.org:443", "no browser sends that"),
        ("--cors-origin '*'", "no browser sends that"),
    ])
    func `settings that do not go together are found before anything is made`(
        words: String, says: String
    ) throws {
        let checked = try shell.run("exec $SERVER \(words) --check-config")
        #expect(checked.status == 78 && checked.errors.contains(says), "\(checked)")
        let refused = try shell.run("exec $SERVER \(words)")
        #expect(refused.status != 0 && refused.errors.contains(says), "\(refused)")
        #expect(!shell.exists("sync-data"))
    }

    @Test func `origins that browsers send are no mistakes`() throws {
        for origin in ["https://app.example.org", "http://localhost:3000", "app://localhost"] {
            let checked = try shell.run("exec $SERVER --cors-origin \(origin) --check-config")
            #expect(checked.status == 0, "\(checked)")
        }
    }

    @Test func `bytes that are no text, and a file without an end, are mistakes with a line`()
        throws
    {
        try Data([0x6C, 0xFF, 0x0A, 0x6B, 0x00, 0x3D, 0x31]).write(
            to: URL(filePath: shell.folder.file("b.conf")))
        let result = try shell.run("exec $SERVER --config b.conf --check-config")
        #expect(result.status == 78)
        #expect(result.errors.contains("b.conf:1: this line is not UTF-8 text"))
        #expect(result.errors.contains("b.conf:2: this line is not UTF-8 text"))
    }
}
