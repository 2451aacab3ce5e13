import Commands
import Macrolog

/// What `init` asks in a terminal. Answers become words of the command line and are read as such.
enum Questions {
    private static let questions: [(option: String, question: String)] = [
        ("name", "What shall I call you?"),
        ("weight-unit", "In which unit do you weigh yourself? (kg, lb, st)"),
        ("energy-unit", "In which unit do you count energy? (kcal, kj)"),
        ("weight", "What do you weigh today?"),
        ("target-weight", "Which weight do you aim at?"),
        ("height", "How tall are you? (178, 1.78m, 5ft10)"),
        ("birth", "When were you born? (1990-05-17)"),
        ("sex", "For the estimate of resting energy: male, female or unspecified?"),
        ("kcal", "How many kcal a day do you aim at?"),
        ("p", "And how many grams of protein?"),
    ]

    /// The words as if the answers had been typed behind `init`.
    static func ask(of words: Words, _ home: inout Home) throws -> Words {
        home.output.write("An empty answer leaves a thing open.\n")
        var typed = ["init"]
        var result = words
        for (option, question) in questions {
            while true {
                home.output.write("\(question) ")
                try home.output.flush()
                guard let answer = readLine(), !answer.isEmpty else { break }
                do throws(UsageError) {
                    let more = typed + ["--\(option)=\(answer)"]
                    guard case .run(_, let read) = try program.read(more) else { break }
                    (typed, result) = (more, read)
                    break
                } catch {
                    Terminal.complain(error.problem + (error.instead.map { ". \($0)." } ?? ""))
                }
            }
        }
        return result
    }
}
