import MacrologPlatform

/// `make bench`: runs the workloads, each beside the limit of the bare library measured in the same
/// run, and says which budgets are met. Counts come first, because they do not shake as times do.
@main
enum Benchmarks {
    static func main() {
        var words = Array(CommandLine.arguments.dropFirst())
        if words.first == Visit.nothing { return }
        // A server that closes a connection is an error of `send`.
        signal(SIGPIPE, SIG_IGN)
        do {
            if words.first == BareHTTP.word { return try BareHTTP.run() }
            if words.first == BareSync.word { return try BareSync.run(Array(words.dropFirst())) }
            if words.first == Visit.word {
                words.removeFirst()
                return try Visit.run(words)
            }
            if words.first == Intake.word { return try Intake.visit(words) }
            if words.first == Instructions.word { return try Instructions.run() }
            try run(try Options(words))
        } catch {
            say("benchmarks: \(error)")
            exit(1)
        }
    }

    private static func run(_ options: Options) throws {
        let folder = try Folder.create()
        defer { folder.remove() }
        var (report, failures) = (Report(), [String]())
        print(options.isQuick ? "Quick run: small N, rough figures.\n" : "Full run.\n")
        for workload in options.peers == nil ? all : [("peers", Peers.run)]
        where options.wants(workload.name) {
            say("running \(workload.name) …")
            // What the others measured is worth having.
            do { try workload.run(options, folder, &report) } catch {
                failures.append("workload \(workload.name): \(error)")
            }
        }
        if let path = options.baseline {
            for line in try Baseline(path).comparison(report.lines) { report.note(line) }
        } else if !options.isQuick, options.peers == nil {
            report.note(
                "Not compared with an earlier run: there is no baseline. --record=FILE keeps one.")
        }
        report.print()
        if let path = options.record { try Baseline.record(report.lines, in: path) }
        guard failures.isEmpty else { throw Wrong(description: failures.joined(separator: "\n")) }
    }

    private static var all: [(name: String, run: (Options, Folder, inout Report) throws -> Void)] {
        [
            ("A1", Recording.one), ("A2", Recording.batches), ("B", Bootstrap.run),
            ("C", Concurrent.run), ("D", Large.run), ("E", Rebuild.run), ("F", Serving.run),
            ("G", Live.run), ("H", Life.run), ("L", Loads.run), ("M", Intake.run),
            ("N", Arrival.run),
            ("P", SharedDatabase.run), ("Q", Fairness.run),
            ("W", Web.run),
            ("wire", Wire.run),
            ("T", Timing.run), ("stages", Stages.run),
        ]
    }

    /// Progress and errors go past the report, which may be kept in a file.
    private static func say(_ line: String) {
        let bytes = Array("\(line)\n".utf8)
        _ = write(2, bytes, bytes.count)
    }
}

/// The command line options.
struct Options {
    /// Small N, for a first look.
    var isQuick = false
    /// The file with the ratios of an earlier run.
    private(set) var baseline: String?
    /// The file in which this run's ratios are kept.
    private(set) var record: String?
    /// The Python that has the packages of other engines, which then are measured instead.
    private(set) var peers: String?
    /// How long row L's load of 2,000 events a second lasts, which is then the only one of that row; `nil` for 20 s and
    /// the other loads.
    private(set) var minutes: Double?
    private var only: [String] = []

    /// Why the words are refused.
    struct Misuse: Error, CustomStringConvertible {
        let description: String
    }

    init(_ words: [String]) throws {
        for word in words {
            if word == "--quick" {
                isQuick = true
            } else if word.hasPrefix("--only=") {
                only = word.dropFirst(7).split(separator: ",").map(String.init)
            } else if word.hasPrefix("--baseline=") {
                baseline = String(word.dropFirst(11))
            } else if word.hasPrefix("--record=") {
                record = String(word.dropFirst(9))
            } else if word.hasPrefix("--peers=") {
                peers = String(word.dropFirst(8))
            } else if word.hasPrefix("--minutes="), let count = Double(word.dropFirst(10)),
                count > 0
            {
                minutes = count
            } else {
                throw Misuse(
                    description: "\(word) is unknown; use --quick, --baseline=FILE to compare, "
                        + "--record=FILE to keep, --peers=PYTHON to measure Yjs and Loro, "
                        + "--minutes=10 for only row L's load of 2,000 events a second, and "
                        + "--only=A1,B to choose among A1 A2 B C D E F G H L M N P Q T W wire stages"
                )
            }
        }
        try checkIsFull()
    }

    /// Small N has other ratios.
    private func checkIsFull() throws {
        guard isQuick, baseline != nil || record != nil else { return }
        throw Misuse(description: "ratios are compared and kept of full runs; leave out --quick")
    }

    func wants(_ name: String) -> Bool { only.isEmpty || only.contains(name) }
}
