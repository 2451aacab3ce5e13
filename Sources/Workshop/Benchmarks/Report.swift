/// The results: counts first, then each figure with its limit and its budget.
struct Report {
    /// One figure, with its limit and its budget.
    struct Line {
        let workload: String
        let figure: String
        let limit: String
        let ratio: Double?
        /// How far the rounds lay apart, as a part of the ratio.
        let noise: Double
        let budget: String
        /// `nil` where there is no budget.
        let isMet: Bool?
    }

    private var counts: [(String, String)] = []
    private(set) var lines: [Line] = []
    private var notes: [String] = []

    mutating func count(_ workload: String, _ text: String) { counts.append((workload, text)) }

    mutating func note(_ text: String) { notes.append(text) }

    mutating func add(
        _ workload: String, _ figure: String, limit: String = "–", ratio: Double? = nil,
        noise: Double = 0, budget: String = "–", isMet: Bool? = nil
    ) {
        lines.append(
            Line(
                workload: workload, figure: figure, limit: limit, ratio: ratio, noise: noise,
                budget: budget, isMet: isMet))
    }

    /// The same figure beside the C engine's, which stands beside the bare library.
    mutating func add(
        peerOf workload: String, _ count: Int, _ rounds: Rounds, atLeast budget: Double,
        moonshot: Double? = nil
    ) {
        add(
            "\(workload), beside C", Figures.rate(count, in: rounds.ours),
            limit: "\(Figures.rate(count, in: rounds.peer)) C engine",
            ratio: rounds.peerRatio, noise: rounds.noise,
            budget: "≥ \(Figures.decimal(budget, digits: 1))"
                + (moonshot.map { " (\(Figures.decimal($0, digits: 1)))" } ?? ""),
            isMet: rounds.peerRatio >= budget)
        self.count(
            String(workload.prefix(1)),
            "the C engine reaches \(Figures.decimal(rounds.limit / rounds.peer)) of the bare library"
        )
    }

    func print() {
        Swift.print("Counts")
        for (workload, text) in counts { Swift.print("  \(Figures.padded(workload, 7))\(text)") }
        Swift.print("\nFigures (medians; the limit is of the same run)")
        let header = ["workload", "ours", "limit", "ratio", "budget", ""]
        let rows = lines.map {
            [
                $0.workload, $0.figure, $0.limit, $0.ratio.map { Figures.decimal($0) } ?? "–",
                $0.budget,
                $0.isMet.map { $0 ? "met" : "NOT MET" } ?? "",
            ]
        }
        let widths = header.indices.map { column in
            ([header] + rows).map { $0[column].count }.max() ?? 0
        }
        for row in [header] + rows {
            let cells = row.enumerated().map { Figures.padded($0.element, widths[$0.offset] + 2) }
            Swift.print("  " + cells.joined())
        }
        for note in notes { Swift.print("\n\(note)") }
        let judged = lines.filter { $0.isMet != nil }
        let missed = judged.filter { $0.isMet == false }
        Swift.print("\n\(judged.count - missed.count) of \(judged.count) budgets are met.")
        for line in missed {
            Swift.print("  not met: \(line.workload): \(line.figure), budget \(line.budget)")
        }
    }
}

/// Numbers as they are printed.
enum Figures {
    /// `12,345`.
    static func whole(_ number: Double) -> String {
        var digits = String(Int64(number.rounded()))
        var position = digits.count - 3
        while position > 0 {
            digits.insert(",", at: digits.index(digits.startIndex, offsetBy: position))
            position -= 3
        }
        return digits
    }

    /// `0.85`.
    static func decimal(_ number: Double, digits: Int = 2) -> String {
        var scale = 1
        for _ in 0..<digits { scale *= 10 }
        let scaled = Int64((number * Double(scale)).rounded())
        let fraction = String(abs(scaled) % Int64(scale))
        return "\(scaled / Int64(scale))."
            + String(repeating: "0", count: digits - fraction.count) + fraction
    }

    /// `12,345/s`.
    static func rate(_ count: Int, in seconds: Double) -> String {
        whole(Double(count) / seconds) + "/s"
    }

    /// `4.2 ms`.
    static func milliseconds(_ seconds: Double) -> String { decimal(seconds * 1_000) + " ms" }

    static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
