import Macrolog
import MacrologArgumentParsing
import Testing

import macrolog_cli

/// Goal: a unit whose size depends on the country is asked about, wherever a measure is typed, and no
/// message names a unit in which values are only stored.
/// Method: `8floz` is given to every parameter of every verb that understands `8us_floz` as a measure.
@Suite struct AmbiguousUnitTests {
    /// Whether the preferences of the log decide it, so that only the running program can tell.
    private static func isOpen(_ name: String) -> Bool {
        name.hasPrefix("water ") || name.hasSuffix(" --water")
    }

    /// The parameters that understand volumes, and no portions of a food, as `water add AMOUNT`.
    private static var measures: [(name: String, specification: Specification)] {
        program.commands.flatMap { command in
            command.parameters.map {
                ("\(command.path.joined(separator: " ")) \($0.label)", $0)
            }
        }.filter { _, specification in
            guard specification.kind != .flag, (try? specification.check("8us_floz")) != nil
            else { return false }
            return (try? specification.check("8slices")) == nil
        }
    }

    @Test func `every measure asks which fluid ounce is meant`() throws {
        let measures = Self.measures
        #expect(measures.count >= 10, "\(measures.map(\.name))")
        for (name, specification) in measures where !Self.isOpen(name) {
            let error = #expect(throws: BadValue.self, "\(name)") {
                try specification.check("8floz")
            }
            #expect(error?.problem == "is ambiguous", "\(name)")
            #expect(error?.instead == "8us_floz or 8imp_floz", "\(name)")
        }
    }

    @Test(arguments: [
        "water add 8floz", "goal set --water 8floz", "init --water 8floz", "add Oats --grams 8floz",
    ])
    func `the program says it in full`(words: String) throws {
        let result = try Computer().run(words.split(separator: " ").map(String.init))
        #expect(result.status == 64)
        #expect(result.errors.contains("\"8floz\" is ambiguous"), "\(result.errors)")
        #expect(result.errors.contains("8us_floz or 8imp_floz"), "\(result.errors)")
    }

    @Test func `no message of a parameter names a unit that is only stored`() {
        for command in program.commands {
            for parameter in command.parameters where parameter.kind != .flag {
                for word in ["8floz", "8cups", "8kcal", "8kg", "8m", "8%", "8parsecs", "8"] {
                    guard let error = mistake(word, parameter) else { continue }
                    let text = "\(error.problem) \(error.instead)"
                    #expect(!text.contains(/µl|mkcal|\bbp\b/), "\(command.path) \(text)")
                }
            }
        }
    }

    private func mistake(_ word: String, _ parameter: Specification) -> BadValue? {
        do throws(BadValue) { try parameter.check(word) } catch { return error }
        return nil
    }
}
