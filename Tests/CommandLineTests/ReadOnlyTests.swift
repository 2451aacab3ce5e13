import MacrologTestSupport

#if os(Linux)
    import Foundation
    import Macrolog
    import MacrologNutrition
    import Testing

    /// Goal: where nothing can be written a log can be read, and says so where it is to be changed.
    /// Method: a folder mounted once more, to be read only, in a namespace of its own; the real program
    /// in it. Modes alone would not do: root passes them, unless it drops the right to.
    @Suite struct ReadOnlyTests {
        /// Runs commands of the program with the computer's folder mounted to be read.
        ///
        /// - Returns: What each of them said, and its status, a line of its own at the end of each.
        private func run(_ commands: [String], on computer: Computer) throws -> [String] {
            let program = try BuiltProgram.url("macrolog").path
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            let folder = computer.folder.path
            var script = "mount --bind '\(folder)' '\(folder)' && "
            script += "mount -o remount,bind,ro '\(folder)' || exit 99; cd /\n"
            for command in commands {
                script += "'\(program)' \(command) 2>&1; echo \"= $?\"; printf '\\0'\n"
            }
            process.arguments = Self.unshare + ["/bin/sh", "-c", script]
            process.environment = computer.environment
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
            return data.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
        }

        private static let unshare = getuid() == 0 ? ["-m"] : ["-r", "-m"]

        /// Whether this system lets us mount; some containers do not.
        private static let mayMount: Bool = {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/unshare")
            process.arguments = unshare + ["/bin/mount", "--bind", "/tmp", "/tmp"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        private static let reading = [
            "day show", "log", "meal list", "conflicts list", "export json", "export csv", "stats",
            "db check", "home", "sync status",
        ]
        private static let writing = [
            "quick 300kcal", "undo", "water add 200", "config set zone Europe/Zurich",
        ]

        @Test(.enabled(if: mayMount, "mounting is not permitted here"), arguments: [true, false])
        func `a log where nothing can be written is read, and says so when it is to be changed`(
            wasClosed: Bool
        ) throws {
            let computer = try Computer()
            #expect(try computer.run(["quick", "300kcal"]).status == 0)
            #expect(try computer.run(["quick", "200kcal"]).status == 0)
            if !wasClosed { try leaveLog(computer) }
            let before = try contents(computer)
            let writable = try computer.copy()
            let words = Self.reading + Self.writing
            let read = try run(words, on: computer)
            #expect(read.count == words.count)
            #expect(wasClosed || read[0].contains("Soup"))
            for (command, said) in zip(words, read) {
                if Self.writing.contains(command) {
                    #expect(said.hasSuffix("= 77\n"), "\(command): \(said)")
                    #expect(said.contains("the log is read-only here"), "\(command): \(said)")
                } else {
                    let elsewhere = try writable.run(
                        command.split(separator: " ").map(String.init), together: true)
                    #expect(
                        said == elsewhere.output + "= \(elsewhere.status)\n", "\(command): \(said)")
                }
            }
            #expect(try contents(computer) == before)
        }

        /// A folder of another's, as a home directory that was restored for reading: the modes alone.
        enum Modes: CaseIterable {
            /// Nothing can be created beside the log; its lock could be written.
            case folder
            /// The same, without a lock and a record of the device.
            case folderOfLogAlone
            /// The log itself.
            case file
        }

        @Test(.enabled(if: mayDropRights, "root keeps its rights here"), arguments: Modes.allCases)
        func `a log that its modes keep from being written is read, too`(modes: Modes) throws {
            let computer = try Computer()
            #expect(try computer.run(["quick", "300kcal"]).status == 0)
            if modes == .folderOfLogAlone {
                for name in [".lock", ".instance"] {
                    try FileManager.default.removeItem(atPath: computer.log + name)
                }
            }
            chmod(computer.log, modes == .file ? 0o400 : 0o600)
            chmod(computer.folder.path, 0o500)
            defer { chmod(computer.folder.path, 0o700) }
            // A folder for temporary files that cannot be used is no reason to fail.
            computer.environment["TMPDIR"] = computer.folder.path
            for words in ["day show", "export csv", "doctor", "db check", "sync status"] {
                let (status, said) = try runWithoutRights(words, on: computer)
                #expect(status == 0, "\(words): \(said)")
            }
            let (status, said) = try runWithoutRights("quick 200kcal", on: computer)
            #expect(status == 77 && said.contains("the log is read-only here"), "\(said)")
        }

        @Test(.enabled(if: mayDropRights, "root keeps its rights here"))
        func `advice of a model is shown where it can't be recorded, with a warning`() throws {
            let computer = try Computer()
            #expect(try computer.run(["quick", "300kcal"]).status == 0)
            let models = try ModelServer([
                .json(200, PublishedInterface.openAI.answer(MealAnalysisTests.advice))
            ])
            try MealAnalysisTests.configure(models, "openai", on: computer)
            chmod(computer.log, 0o400)
            let (status, said) = try runWithoutRights("coach advise --model", on: computer)
            #expect(status == 0 && said.contains("By a model"), "\(said)")
            #expect(
                said.contains("the log is read-only here: the answer is not recorded"), "\(said)")
            #expect(!said.contains("coach accept"), "\(said)")
        }

        /// Root, too, obeys the modes without these rights.
        private static let withoutRights =
            getuid() == 0 ? ["--bounding-set=-dac_override,-dac_read_search"] : []

        private static let mayDropRights: Bool = {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments = withoutRights + ["/bin/true"]
            process.standardError = FileHandle.nullDevice
            guard (try? process.run()) != nil else { return false }
            process.waitUntilExit()
            return process.terminationStatus == 0
        }()

        /// Runs one command of the program as one whom the modes of files concern.
        private func runWithoutRights(
            _ words: String, on computer: Computer
        ) throws -> (status: Int32, said: String) {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
            process.arguments =
                Self.withoutRights + [try BuiltProgram.url("macrolog").path]
                + words.split(separator: " ").map(String.init)
            process.environment = computer.environment
            process.currentDirectoryURL = URL(fileURLWithPath: "/")
            let output = Pipe()
            process.standardOutput = output
            process.standardError = output
            try process.run()
            let data = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return (process.terminationStatus, String(decoding: data, as: UTF8.self))
        }

        /// Leaves one more meal in a WAL beside the log, as a process does that is killed.
        private func leaveLog(_ computer: Computer) throws {
            let replica = try Replica.open(at: computer.log)
            try replica.add(
                Meal(
                    id: replica.newID(), on: try replica.localDate(), dishName: "Soup",
                    slot: "lunch",
                    nutrients: Nutrients(energy: 400_000)))
            let files = ["log.db", "log.db-wal"].map { computer.folder.appending(path: $0) }
            let held = try files.map { try Data(contentsOf: $0) }
            replica.releaseFile()
            for (file, data) in zip(files, held) { try data.write(to: file) }
        }

        /// What lies in the folder.
        private func contents(_ computer: Computer) throws -> [String: Data] {
            var contents: [String: Data] = [:]
            for name in try FileManager.default.contentsOfDirectory(atPath: computer.folder.path)
            where !name.hasPrefix(".") {
                contents[name] = try Data(contentsOf: computer.folder.appending(path: name))
            }
            return contents
        }
    }
#endif
