import MacrologArgumentParsing
import MacrologTerminal

/// The progress bar of work that takes longer than a second, on standard error if it is a terminal.
struct ProgressLine {
    private let started = ContinuousClock.now
    private let label: String
    private let style: Style
    private let isShown: Bool
    private var lastDrawn: Int64 = 0
    private var hasDrawn = false

    init(_ label: String, _ home: Home) {
        self.label = label
        style = home.style
        isShown = Terminal.showsErrors && !home.isQuiet && !home.isJSON
    }

    /// Draws the progress, ten times a second.
    mutating func show(_ done: Int64, _ total: Int64?) {
        guard isShown else { return }
        let elapsed = (ContinuousClock.now - started) / .milliseconds(1)
        let milliseconds = Int64(elapsed)
        guard milliseconds - lastDrawn >= 100 else { return }
        lastDrawn = milliseconds
        let progress = Progress(label, done: done, total: total)
        let width = min(Terminal.width ?? 80, 100) - 1
        guard
            let line = progress.line(elapsedMilliseconds: milliseconds, width: width, style: style)
        else { return }
        Terminal.replaceLine(line)
        hasDrawn = true
    }

    /// Removes the bar.
    func end() {
        guard hasDrawn else { return }
        let width = min(Terminal.width ?? 80, 100) - 1
        Terminal.replaceLine(String(repeating: " ", count: width))
        Terminal.replaceLine("")
    }
}
