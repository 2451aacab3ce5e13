import MacrologEvents
import MacrologPlatform
import MacrologWire

/// M: a million events, taken in page by page by a new process. Does an event cost the same after a
/// million as after ten thousand, and does the process stay small?
enum Intake {
    /// The argument that makes this program take events in.
    static let word = "--intake"

    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let marks = options.isQuick ? [10_000, 100_000] : [10_000, 100_000, 1_000_000]
        let output = folder.file("m-output")
        let child = try Child.run(
            CommandLine.arguments[0], [word, folder.file("m")] + marks.map(String.init),
            output: output)
        let text = String(decoding: try Files.read(output), as: UTF8.self)
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Double($0) }
        guard child.status == 0, numbers.count == 2 + 2 * marks.count else {
            throw Wrong(description: "a process that takes events in failed: \(text)")
        }
        let size = Figures.whole(Double(marks[marks.count - 1]))
        report.count(
            "M",
            "\(size) events in \(Figures.whole(Double(folder.bytes(of: "m")) / 1_048_576)) MiB, taken in "
                + "at \(Figures.rate(marks[marks.count - 1], in: numbers[0]))")
        for (index, mark) in marks.enumerated() {
            let (wall, processor) = (numbers[2 + 2 * index], numbers[3 + 2 * index])
            report.add(
                "M an event, up to \(Figures.whole(Double(mark)))",
                "\(Figures.decimal(wall)) µs, \(Figures.decimal(processor)) of the processor",
                limit: "the first: \(Figures.decimal(wall / numbers[2])), "
                    + Figures.decimal(processor / numbers[3]))
        }
        let memory = numbers[1] / 1_048_576
        report.add(
            "M memory after \(size) events", "\(Figures.decimal(memory)) MiB", budget: "≤ 64 MiB",
            isMet: memory <= 64)
        folder.removeDatabase("m")
    }

    /// The process that takes events in. It prints the seconds of all, the peak of its memory in bytes, and
    /// for each mark the microseconds of an event among the 10,000 before it: that passed, and of the processor.
    static func visit(_ words: [String]) throws {
        let device = try Device(words[1], device: 2)
        let marks = words.dropFirst(2).compactMap { Int($0) }
        var pages = Pages()
        var (all, last, processor) = (0.0, 0.0, 0.0)
        var lines: [String] = []
        for start in stride(from: 0, to: marks.max() ?? 0, by: Limits.pageEventsMax) {
            let bodies = (start..<start + Limits.pageEventsMax).map {
                SampleMeal($0).event(device: Device.id(1), seq: Int64($0 + 1)).encoded()
            }
            let answer = pages.next(bodies).encoded()
            if start % window == 0 { (last, processor) = (0, 0) }
            let before = processorSeconds
            let took = try seconds { try device.take(answer) }
            processor += processorSeconds - before
            last += took
            all += took
            guard marks.contains(start + Limits.pageEventsMax) else { continue }
            lines.append("\(last / Double(window) * 1e6) \(processor / Double(window) * 1e6)")
        }
        print("\(all) \(Visit.memoryPeak)\n" + lines.joined(separator: "\n"))
    }

    private static let window = 10_000

    /// Of this process, for the system too.
    private static var processorSeconds: Double {
        var now = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now)
        return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
    }
}
