import MacrologJSON

/// The ratios of an earlier run, in a file: which rows have become slower by more than noise?
///
/// `{"A1 record": {"ratio": 850, "noise": 40}, …}` in thousandths: of the limit's speed, and of the ratio.
struct Baseline {
    private struct Figure {
        let ratio: Double
        let noise: Double
    }

    /// A ratio that shook less than this in five rounds may still differ by as much from run to run.
    private static let noiseMin = 0.05
    private let figures: [String: Figure]

    init(_ path: String) throws {
        let misfit = BenchmarkError(
            description: "\(path) is no baseline; record it again with --record=\(path)")
        guard let rows = try JSON.parse(try Files.read(path)).object else { throw misfit }
        var figures: [String: Figure] = [:]
        for row in rows {
            guard let ratio = row.value["ratio"]?.integer, let noise = row.value["noise"]?.integer
            else { throw misfit }
            figures[row.key] = Figure(ratio: Double(ratio) / 1_000, noise: Double(noise) / 1_000)
        }
        self.figures = figures
    }

    /// A sentence for each row that is slower than before by more than the noise of both runs.
    private func slower(_ lines: [Report.Line]) -> [String] {
        lines.compactMap { line in
            guard let now = line.ratio, let before = figures[line.workload] else { return nil }
            let noise = max(Self.noiseMin, before.noise + line.noise)
            guard now < before.ratio * (1 - noise) else { return nil }
            return "slower than before: \(line.workload): \(Figures.decimal(now)), was "
                + "\(Figures.decimal(before.ratio)); noise \(Figures.whole(noise * 100)) %"
        }
    }

    /// What is to be said of a run: which rows are slower, or that none is.
    func comparison(_ lines: [Report.Line]) -> [String] {
        let slower = slower(lines)
        let compared = lines.count { $0.ratio != nil && figures[$0.workload] != nil }
        return slower.isEmpty
            ? ["None of \(compared) rows is slower than before by more than noise."] : slower
    }

    /// Writes the ratios of a run, and keeps those of rows that it did not measure.
    static func record(_ lines: [Report.Line], in path: String) throws {
        var figures = Folder.size(path) > 0 ? try Baseline(path).figures : [:]
        for line in lines {
            guard let ratio = line.ratio else { continue }
            figures[line.workload] = Figure(ratio: ratio, noise: line.noise)
        }
        let members = figures.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map {
            JSON.Member(
                $0.key,
                [
                    "ratio": .integer(Int64(($0.value.ratio * 1_000).rounded())),
                    "noise": .integer(Int64(($0.value.noise * 1_000).rounded())),
                ])
        }
        try Files.write(Array((JSON.object(members).pretty + "\n").utf8), to: path)
    }
}
