/// The scripts for servers.
enum ServerWorkloads {
    static let all: [Workload<ServerSubject>] = [
        Workload(
            "creation of a server", prepare: { _ in }, [logIn, push(1)]),
        Workload(
            "admission",
            [logIn] + [1, 5, 1, 20].map { push($0) }),
        Workload(
            "group commit",
            [
                logIn,
                Step("push together", isWhole: false) { try $0.pushTogether(6, &$1) },
                Step("push together", isWhole: false) { try $0.pushTogether(9, &$1) },
            ]),
        Workload(
            "sessions",
            [
                Step("register") { subject, _ in try subject.register() },
                logIn,
                Step("rotate") { subject, _ in try subject.rotate() },
                Step("rotate") { subject, _ in try subject.rotate() },
                Step("log out") { subject, _ in try subject.logOut() },
                logIn,
            ]),
        Workload(
            "server's backup",
            [
                logIn,
                push(6),
                Step("back up", isWhole: false) { subject, _ in try subject.backUp() },
                push(2),
            ]),
        Workload(
            "renewal",
            [
                logIn,
                push(6),
                Step("renew", isWhole: false, forgets: true) { subject, _ in try subject.renew() },
                Step("push", isWhole: false) { try $0.push(2, &$1) },
            ]),
        Workload(
            "receipts",
            [
                logIn, push(3), later, pull, later, push(2), pull, push(1), later, push(1), pull,
                later, push(1),
            ]),
        Workload(
            "blobs",
            [
                logIn, upload(1), name(1), upload(2, through: 600), upload(2), upload(3), name(3),
                push(1), upload(2), name(2),
            ]),
        collection,
    ]

    /// Collecting waits for the writer, which an error ends together with the process; here it
    /// would wait for ever.
    private static var collection: Workload<ServerSubject> {
        var workload = Workload(
            "collection", after: [logIn, upload(1), name(1), upload(2), upload(3)],
            [
                Step("31 days") { subject, _ in subject.wait(days: 31) },
                logIn, collect, push(1), upload(2), name(2),
            ])
        workload.endsWithErrors = true
        return workload
    }

    /// A server's file from every released version.
    static func golden(_ folder: String?) throws -> [Workload<ServerSubject>] {
        try GoldenFile.versions(in: folder).map { version in
            Workload(
                "a server's file of \(version.name)",
                prepare: { try version.write("server", to: "\($0)/server.db") },
                [logIn, push(2), pull])
        }
    }

    private static var logIn: Step<ServerSubject> {
        Step("log in", isWhole: false) { subject, _ in try subject.logIn() }
    }

    private static func push(_ count: Int) -> Step<ServerSubject> {
        Step("push \(count)") { try $0.push(count, &$1) }
    }

    private static var later: Step<ServerSubject> {
        Step("a minute") { subject, _ in subject.wait(seconds: 61) }
    }

    private static var pull: Step<ServerSubject> {
        Step("pull") { subject, _ in try subject.pull() }
    }

    private static func upload(_ number: UInt64, through end: Int = .max) -> Step<ServerSubject> {
        Step("upload") { subject, _ in try subject.upload(number, through: end) }
    }

    private static func name(_ number: UInt64) -> Step<ServerSubject> {
        Step("name a photo") { try $0.name(number, &$1) }
    }

    private static var collect: Step<ServerSubject> {
        Step("collect", isWhole: false, forgets: true) { subject, _ in try subject.collect() }
    }
}
