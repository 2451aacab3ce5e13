import MacrologTestSupport
import Foundation
import Testing

/// Goal: a new computer of an account with a long past takes all of it, shows how far it has come, and
/// ends with everything.
/// Method: the programs as they are built; a diary of more events than a few pages hold.
@Suite struct DeviceIDRotationTests {
    @Test func `a new computer ends with the state of the old one`() throws {
        let server = try ServerProcess()
        let (old, new) = (try Computer(), try Computer())
        for computer in [old, new] { computer.environment["MACROLOG_SERVER"] = server.address }
        func run(_ computer: Computer, _ words: String, input: String = EngineTests.password) throws
            -> Computer.Result
        {
            let result = try computer.run(Transcript.words("macrolog " + words), input: input)
            try #require(result.status == 0, "\(words): \(result.errors)")
            return result
        }
        _ = try run(old, "auth register ana@example.org --password-stdin")
        for computer in [old, new] {
            _ = try run(computer, "auth login ana@example.org --password-stdin")
        }
        let rows = (0..<2_100).map { row in
            let (year, day) = (2018 + row / 336, row % 336)
            return "\(year)-\(two(day / 28 + 1))-\(two(day % 28 + 1)),Dish \(row),\(200 + row % 90)"
        }
        let diary = (["date,food,kcal"] + rows).joined(separator: "\n") + "\n"
        let fields = "--map date=date,name=food,energy=kcal"
        _ = try run(old, "import csv - \(fields)", input: diary)
        #expect(try run(old, "sync").errors.isEmpty)

        let first = try run(new, "sync")
        #expect(first.errors.isEmpty)
        // The meals, and where the import of this many rows begins and ends.
        #expect(first.output == "Up to date: sent 0, received 2102.\n")
        #expect(try run(new, "sync").errors.isEmpty)
        let hash = /State [0-9a-f]{64}/
        let states = try [old, new].map { try run($0, "db rebuild").output.firstMatch(of: hash)?.0 }
        #expect(states[0] != nil && states[0] == states[1])
        // The same rows mean the same meals: nothing is new on either.
        #expect(try run(new, "import csv - \(fields)", input: diary).output.contains("2,100"))
        #expect(try run(new, "sync status").output.contains("In sync"))
    }

    private func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
