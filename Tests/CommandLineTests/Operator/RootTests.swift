import Foundation
import MacrologTestSupport
import Testing

/// Goal: root writes nothing into the folder of another user, who could lead it elsewhere, and the
/// server of that user still starts.
/// Method: the real program runs as another user, and root types the commands.
@Suite(.enabled(if: ServerShell.isRoot, "needs root, to act for another user"))
struct RootTests {
    private let shell = ServerShell()
    private static let user = "setpriv --reuid=65534 --regid=65534 --clear-groups"

    @Test func `root is refused in another user's folder, and learns how to act as that user`()
        throws
    {
        _ = try shell.done(
            """
            mkdir -m 700 data copies scratch own && chown 65534:65534 data copies scratch
            chmod 711 .
            """)
        // Where the other user cannot reach the program at all, there is nothing to show.
        guard try shell.run("\(Self.user) $SERVER --version").status == 0 else { return }
        var server = try shell.listen("", user: Self.user)
        let phone = try shell.person("ana@example.org", at: server.port)
        let port = server.port
        _ = try shell.done("exec $SERVER user list --data data")
        server.stop()
        let add = "$SERVER backup add copies --data data --backup-secrets"
        _ = try shell.done("exec \(Self.user) \(add)")
        for line in [
            "restore copies --data data --force", "user add ben@example.org --data data",
            "store restored --data data", "backup add copies --data data",
            "backup add copies --data own", "store join --data data",
        ] {
            let refused = try shell.run("exec $SERVER \(line)")
            #expect(refused.status != 0, "\(line): \(refused.output)")
            let roots = try shell.run("find data copies -user 0").output
            #expect(roots.isEmpty, "\(line): \(roots)")
        }
        let refused = try shell.run("exec $SERVER restore copies --data data --force")
        let advice = "setpriv --reuid=65534 --regid=65534 --clear-groups sync-server"
        #expect(refused.status == 77 && refused.errors.contains(advice), "\(refused)")
        _ = try shell.done("exec \(Self.user) $SERVER restore copies --data data --force")
        server = try shell.listen("--listen 127.0.0.1:\(port)", user: Self.user)
        defer { server.stop() }
        let login = try phone.run(
            [
                "auth", "login", "ana@example.org", "--server", "http://127.0.0.1:\(port)",
                "--password-stdin",
            ], input: "nine purple lanterns hum\n")
        #expect(login.status == 0, "\(login.errors)")
        let synced = try phone.run(["sync"])
        #expect(synced.status == 0, "\(synced.errors)")
    }
}
