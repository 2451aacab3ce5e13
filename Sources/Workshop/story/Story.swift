import MacrologSimulation
import MacrologPlatform
import Synchronization

/// Whether a stop was requested: worlds that have begun are played to their end, and remove their
/// files.
private let isAskedToStop = Atomic(false)

private func askToStop(_: CInt) { isAskedToStop.store(true, ordering: .relaxed) }

/// `swift run story --seed=42`: what happens in one simulated world, line by line; with `--seeds`,
/// the figures of many.
@main enum Story {
    static let usage = """
        Usage: story --seed=42 [--model]
               story --seeds=1..100000 [--model]

        The first tells one simulated world: people, devices, one server, and what goes wrong. `a3` is the
        third event of device a; `a3.b1` is what its device had seen. Equal seeds tell
        equal stories. The second plays many worlds on all cores and prints what they did; it ends with
        status 1, and the command that tells the story, when a promise was broken.

          --model   the rules of the protocol alone, without files: thousands of worlds a second
        """

    static func main() {
        var (isModel, seeds): (Bool, Range<UInt64>?) = (false, nil)
        var isOne = false
        for word in CommandLine.arguments.dropFirst() {
            if word == "--model" {
                isModel = true
            } else if word == "--help" {
                return print(usage)
            } else if word.hasPrefix("--seed="), let seed = UInt64(word.dropFirst(7)), seed < .max {
                (seeds, isOne) = (seed..<seed + 1, true)
            } else if word.hasPrefix("--seeds="), let range = range(String(word.dropFirst(8))) {
                seeds = range
            } else {
                refuse("\"\(word)\" is no word of story.")
            }
        }
        guard let seeds else { refuse("A seed is missing.") }
        do {
            let test: Regressions.Test = isModel ? .model : .world
            if isOne {
                let play = try Played(test, seed: seeds.lowerBound)
                print(play.story.joined(separator: "\n"))
                print(play.problems.isEmpty ? "Everything is in order." : "")
                for problem in play.problems { print("Wrong: \(problem)") }
                exit(play.problems.isEmpty ? 0 : 1)
            }
            signal(SIGINT, askToStop)
            signal(SIGTERM, askToStop)
            let report = Report(test, seeds) { isAskedToStop.load(ordering: .relaxed) }
            print(report.page)
            exit(report.isInOrder ? 0 : 1)
        } catch {
            refuse("The world could not be played: \(error)")
        }
    }

    private static func range(_ text: String) -> Range<UInt64>? {
        let ends = text.split(separator: ".", omittingEmptySubsequences: true)
        guard ends.count == 2, let first = UInt64(ends[0]), let last = UInt64(ends[1]),
            first <= last, last < .max
        else { return nil }
        return first..<last + 1
    }

    private static func refuse(_ sentence: String) -> Never {
        let text = Array("\(sentence)\n\n\(usage)\n".utf8)
        _ = write(STDERR_FILENO, text, text.count)
        exit(64)
    }
}
