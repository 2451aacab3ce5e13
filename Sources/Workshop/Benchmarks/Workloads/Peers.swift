import MacrologEvents
import MacrologWire
import MacrologZstd

/// Yjs and Loro, by their Python packages, beside our own rows of workloads A1, A2, B and C: five rounds,
/// in turn, each of theirs in a process of its own (`Peers/peers.py`).
enum Peers {
    private static let script = "Sources/Workshop/Benchmarks/Peers/peers.py"

    /// One round of an engine: the seconds that count, and those inside its library.
    private struct Round {
        let seconds: Double
        let inside: Double
    }

    private struct Engine {
        let name: String
        let word: String
        let workload: String
        /// What it does.
        let does: String
    }

    private struct Runner {
        let python: String
        let folder: Folder

        func output(_ words: [String]) throws -> String {
            let file = folder.file("peers-output")
            let child = try Child.run(python, [script] + words, output: file)
            guard child.status == 0 else {
                throw BenchmarkError(description: "\(python) \(script) ended with an error")
            }
            return String(decoding: try Files.read(file), as: UTF8.self)
        }

        func round(_ engine: Engine, _ count: Int) throws -> Round {
            let text = try output([engine.word, engine.workload, String(count), folder.path])
            let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
            guard numbers.count == 2 else {
                throw BenchmarkError(description: "\(script) printed: \(text)")
            }
            return Round(seconds: numbers[0], inside: numbers[1])
        }

        /// Runs ours and the engines in turn, and adds a row for each engine.
        func compare(
            _ workload: String, _ count: Int, _ engines: [Engine], _ report: inout Report,
            ours: () throws -> Double
        ) throws {
            var rounds = engines.map { _ in [Round]() }
            let times = try turns(5, sides: 1 + engines.count) { side, _ in
                guard side > 0 else { return try ours() }
                let round = try round(engines[side - 1], count)
                rounds[side - 1].append(round)
                return round.seconds
            }
            let figure = Figures.rate(count, in: median(times.map { $0[0] }))
            for (index, engine) in engines.enumerated() {
                let (whole, inside) = (
                    median(times.map { $0[index + 1] }), median(rounds[index].map(\.inside))
                )
                report.add(
                    "\(workload), beside \(engine.name)", figure,
                    limit: "\(Figures.rate(count, in: whole)) \(engine.does)"
                        + (inside < whole
                            ? "; \(Figures.rate(count, in: inside)) inside the library" : ""),
                    ratio: median(times.map { $0[index + 1] / $0[0] }))
            }
        }
    }

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let runner = Runner(python: options.peers ?? "", folder: folder)
        try checkMeals(runner)
        let (one, many, few) = options.isQuick ? (200, 10_000, 2_000) : (1_000, 100_000, 10_000)
        try record(runner, one, many, &report)
        try bootstrap(runner, many, &report)
        try concurrent(runner, few, &report)
    }

    /// Both programs make the same meals.
    private static func checkMeals(_ runner: Runner) throws {
        let count = 1_000
        var bytes: [UInt8] = []
        for meal in (0..<count).map({ SampleMeal($0) }) {
            bytes += meal.id.bytes
            bytes += "\(meal.day) \(meal.name) \(meal.energy) \(meal.protein) \(meal.carbs) ".utf8
            bytes += "\(meal.fat)".utf8
        }
        let theirs = try runner.output(["-", "meals", String(count)])
        guard
            theirs.split(whereSeparator: \.isWhitespace).first.map(String.init)
                == hexadecimal(SHA256.hash(bytes))
        else { throw Wrong(description: "\(script) makes other meals") }
    }

    private static func both(_ workload: String, _ does: String) -> [Engine] {
        [
            Engine(name: "Yjs", word: "yjs", workload: workload, does: "\(does)"),
            Engine(name: "Loro", word: "loro", workload: workload, does: "\(does)"),
        ]
    }

    private static func record(
        _ runner: Runner, _ one: Int, _ many: Int, _ report: inout Report
    ) throws {
        let (folder, meals) = (runner.folder, (0..<many).map { SampleMeal($0) })
        for (workload, count, each) in [("A1", one, 1), ("A2", many, 1_000)] {
            try runner.compare(
                workload == "A1" ? "A1 record" : "A2 batches", count,
                both(workload, "in memory + log"), &report
            ) {
                defer { folder.removeDatabase("peers-ours") }
                let device = try Device(folder.file("peers-ours"))
                return try Recording.record(meals.prefix(count), each: each, into: device)
            }
        }
    }

    private static func bootstrap(
        _ runner: Runner, _ count: Int, _ report: inout Report
    ) throws {
        let folder = runner.folder
        let answers = Pages.all(of: Recording.encoded((0..<count).map { SampleMeal($0) })).map {
            $0.encoded()
        }
        let snapshot = Engine(
            name: "Loro's snapshot", word: "loro", workload: "B-snapshot",
            does: "in memory, read once")
        try runner.compare(
            "B bootstrap", count, both("B", "in memory") + [snapshot], &report
        ) {
            defer { folder.removeDatabase("peers-ours") }
            return try Bootstrap.take(
                answers, by: try Device(folder.file("peers-ours"), device: 2))
        }
        for (name, file) in [
            ("Yjs", "peers-Yjs"), ("Loro", "peers-Loro"),
            ("Loro's snapshot", "peers-Loro-snapshot"),
        ] {
            let bytes = try Files.read(folder.file(file))
            var encoder = ZstdEncoder(level: 3)
            let (plain, zstd) = (bytes.count, encoder.encode(bytes).count)
            report.count(
                "B",
                "\(name): \(Figures.decimal(Double(plain) / Double(count))) bytes an event, all in one; "
                    + "in zstd-3 \(Figures.decimal(Double(zstd) / Double(count)))")
        }
    }

    private static func concurrent(
        _ runner: Runner, _ count: Int, _ report: inout Report
    ) throws {
        let folder = runner.folder
        defer { for name in ["c-a", "c-b"] { folder.removeDatabase(name) } }
        let server = try Concurrent.prepare((0..<count).map { SampleMeal($0) }, folder)
        try runner.compare(
            "C concurrent", 2 * count, both("C", "in memory, no list of conflicts"), &report
        ) {
            try Concurrent.meet(count, server, folder, "peers", isKept: false) { try Device($0) }
        }
    }
}
