import Foundation
import Macrolog
import MacrologArgumentParsing
import MacrologEvents
import MacrologLog
import MacrologReadModels
import MacrologSQLite
import MacrologTerminal
import MacrologTestSupport
import MacrologWire
import Runtime
import Synchronization
import Testing
import macrolog_cli

// What is counted here is counted only in a build for debugging, and costs nothing in others.
#if DEBUG
    /// Goal: what is eaten, drunk or weighed takes a short way from the words to the disk and back.
    /// Method: the command as it is declared runs in this process, on a real file; what it took is
    /// counted from outside.
    @Suite struct WalkTests {
        private let folder = ScratchFolder()

        /// What one command took.
        private struct Walk {
            /// How often words became a command.
            var parses = 0
            /// How often the store was lent.
            var borrows = 0
            /// How often SHA-256 ran over the bytes of the events that were recorded.
            var hashes = 0
            /// The rooms between an event's row and the verb that records it, from the row upwards.
            var rooms: [String] = []
            var statements: Int64 = 0
            var events: [LoggedEvent] = []
        }

        private final class Counter: Sendable {
            let lines = Mutex(0)
            let messages = Mutex<[(bytes: [UInt8], stack: Backtrace?)]>([])
        }

        /// Runs a command, and says what it took.
        private func run(_ words: String...) async throws -> Walk { try await run(words) }

        private func run(_ words: [String]) async throws -> Walk {
            let counter = Counter()
            let all = ["--db", folder.file("log.db"), "--quiet"] + words
            let before = try recorded()
            var walk = try await ParsedArguments.$observer.withValue(
                { _ in counter.lines.withLock { $0 += 1 } },
                operation: {
                    try await SHA256.$observer.withValue(
                        { message in
                            // An event is hashed where its row is inserted.
                            let stack = try? Backtrace.capture(limit: 200)
                            counter.messages.withLock { $0.append((message, stack)) }
                        },
                        operation: { try await command(all) })
                })
            walk.events = Array(try recorded().prefix { !before.contains($0) })
            walk.parses = counter.lines.withLock { $0 }
            let bodies = walk.events.map { $0.event.encoded() }
            let hashed = counter.messages.withLock { $0 }.filter { bodies.contains($0.bytes) }
            walk.hashes = hashed.count
            walk.rooms = hashed.first?.stack.map(Self.rooms) ?? []
            return walk
        }

        /// The rooms that a stack crosses from `Log` up to the first function of the command line.
        private static func rooms(_ stack: Backtrace) -> [String] {
            var rooms: [String] = []
            for frame in stack.symbolicated()?.frames ?? [] {
                guard let file = frame.symbol?.sourceLocation?.path else { continue }
                let folders = file.split(separator: "/").map(String.init)
                let room =
                    folders.firstIndex(of: "Device").map { folders[$0 + 1] }
                    ?? folders.first { $0 == "client-cli" }
                guard let room else { continue }
                if !rooms.contains(room) { rooms.append(room) }
                if room == "client-cli" { break }
            }
            return rooms
        }

        private func command(_ words: [String]) async throws -> Walk {
            guard
                case .run(let command, let read) = try program.read(words, style: .plain, width: 80)
            else {
                Issue.record("\(words) is a command")
                return Walk()
            }
            var home = Home(read)
            try await command.run(read, &home)
            let replica = try home.replica
            let borrows = replica.timesLent
            let statements = try replica.withStore { $0.db.counters.statements }
            replica.releaseFile()
            return Walk(borrows: borrows, statements: statements)
        }

        private func recorded() throws -> [LoggedEvent] {
            let replica = try Replica.open(at: folder.file("log.db"))
            defer { replica.releaseFile() }
            return try replica.read { try $0.latestEvents(100) }
        }

        @Test func `a meal is parsed, borrowed and hashed once`() async throws {
            _ = try await run("quick", "300kcal")
            let walk = try await run("quick", "250kcal", "Soup")
            #expect((walk.parses, walk.borrows, walk.hashes) == (1, 1, 1))
            #expect(walk.rooms == ["Log", "ReadModels", "Diary", "client-cli"])
            #expect(walk.statements <= 120, "\(walk.statements) statements")
            let event = try #require(walk.events.first?.event)
            #expect(walk.events.count == 1 && event.group == nil, "one event is no group")
        }

        @Test(arguments: [
            ["add", "Oat porridge", "--kcal", "380", "--p", "13.2", "--nutrient", "x:omega_3=2"],
            ["add", "Oats", "--grams", "60"], ["add", "--food", "Oats", "--amount", "2 servings"],
            ["weight", "log", "80.2kg"], ["water", "add", "250ml"],
        ])
        func `what is recorded is parsed, borrowed and hashed once`(_ words: [String]) async throws
        {
            _ = try await run("food", "add", "Oats", "--kcal", "370", "--serving-size", "40g")
            let walk = try await run(words)
            #expect((walk.parses, walk.borrows, walk.hashes) == (1, 1, 1))
            #expect(walk.rooms == ["Log", "ReadModels", "Diary", "client-cli"])
            #expect(walk.events.count == 1)
        }

        @Test func `a day is read with one borrow`() async throws {
            _ = try await run("quick", "300kcal")
            for words in [["day", "show"], ["day", "show", "yesterday", "--json"], ["home"]] {
                let walk = try await run(words)
                #expect((walk.parses, walk.borrows, walk.hashes) == (1, 1, 0), "\(words)")
                #expect(walk.events.isEmpty)
            }
        }

        @Test func `a meal takes ten forms at most, each a type in the file that is named`() throws
        {
            let page = try text("docs/ARCHITECTURE.md")
            let rows = page.split(separator: "\n").filter {
                $0.wholeMatch(of: /\| \d+ \|.*/) != nil
            }
            #expect((8...10).contains(rows.count))
            for row in rows {
                let words = row.split(separator: "`").enumerated().filter { $0.offset % 2 == 1 }
                let names = words.map { String($0.element) }
                let file = try #require(names.last)
                let folder = file.hasPrefix("client-cli") ? "" : "Sources/"
                let code = try text(folder + file)
                for name in names.dropLast() {
                    #expect(
                        code.contains(try Regex("(struct|enum) \(name)\\b")), "\(name) in \(file)")
                }
            }
        }

        private func text(_ path: String) throws -> String {
            let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
            return try String(contentsOf: root.appending(path: path), encoding: .utf8)
        }

        @Test func `a command that is refused has recorded nothing and said nothing`() async throws
        {
            _ = try await run("quick", "300kcal")
            let before = try recorded()
            await #expect(throws: UsageError.self) {
                try await run("quick", "250kcal", "--slot", "brunsh")
            }
            #expect(try recorded() == before)
        }
    }
#endif
