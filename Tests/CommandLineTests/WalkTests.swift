import Macrolog
import MacrologArgumentParsing
import MacrologReadModels
import MacrologSQLite
import MacrologTerminal
import MacrologTestSupport
import Testing
import macrolog_cli

// How often a store is lent is counted only in a build for debugging, and costs nothing in others.
#if DEBUG
    /// Goal: a meal takes a short way from the words to the disk and back. Method: the command as it is
    /// declared runs in this process, on a real file; what it took is counted from outside.
    @Suite struct WalkTests {
        private let folder = ScratchFolder()

        /// Runs a command, and says how often it borrowed the store and how many statements it started.
        private func run(_ words: String...) async throws -> (lent: Int, statements: Int64) {
            let all = ["--db", folder.file("log.db"), "--quiet"] + words
            guard case .run(let command, let read) = try program.read(all, style: .plain, width: 80)
            else {
                Issue.record("\(words) is a command")
                return (0, 0)
            }
            var home = Home(read)
            try await command.run(read, &home)
            let replica = try home.replica
            let lent = replica.timesLent
            let statements = try replica.withStore { $0.db.counters.statements }
            replica.releaseFile()
            return (lent, statements)
        }

        @Test func `quick borrows the store four times: open, preferences, record, answer`()
            async throws
        {
            _ = try await run("quick", "300kcal")
            let walk = try await run("quick", "250kcal", "Soup")
            #expect(walk.lent == 4)
            #expect(walk.statements <= 120, "\(walk.statements) statements")
        }
    }
#endif
