import MacrologTestSupport

#if os(Linux)
    import Foundation
    import Testing

    /// Goal: the system loads few libraries before a program runs, because each one costs a part of
    /// every start; what only some commands need is opened by them.
    /// Method: the programs' own lists (`DT_NEEDED`), read from the files; and programs that find a
    /// file in the place of a library that is none.
    @Suite struct LinkedLibraryTests {
        @Test func `a program is linked to these libraries, and the runtime of Swift`() throws {
            let macrolog = try BuiltProgram.url("macrolog")
            #expect(try Self.needed(by: macrolog) == ["libsqlite3", "libz"])
            #expect(
                try Self.needed(by: BuiltProgram.url("sync-server"))
                    == ["libgnutls", "libmicrohttpd", "libsodium", "libsqlite3", "libz", "libzstd"])
        }

        @Test func `without libcurl a person records, reads, and learns what to install`() throws {
            let computer = try Computer()
            computer.environment["LD_LIBRARY_PATH"] = try Self.emptyLibrary(
                "libcurl.so.4", on: computer)
            #expect(try computer.run(["quick", "100kcal"]).status == 0)
            #expect(try computer.run(["day", "show"]).output.contains("100"))
            let login = try computer.run(
                [
                    "auth", "login", "ana@example.org", "--server", "http://127.0.0.1:1",
                    "--password-stdin",
                ], input: EngineTests.password)
            #expect(login.status == 69)
            #expect(login.errors.contains("libcurl.so.4"), "\(login.errors)")
            #expect(login.errors.contains("sudo apt-get install libcurl4"), "\(login.errors)")
        }

        @Test(arguments: ["png", "pdf"])
        func `without cairo a chart is an SVG file, and no other file is begun`(
            format: String
        ) throws {
            let computer = try Computer()
            computer.environment["LD_LIBRARY_PATH"] = try Self.emptyLibrary(
                "libpangocairo-1.0.so.0", on: computer)
            #expect(try computer.run(["quick", "100kcal"]).status == 0)
            let words = ["chart", "kcal", "--svg", "a.svg"]
            let both = try computer.run(words + ["--\(format)", "a.\(format)"])
            #expect(both.status == 69)
            #expect(both.errors.contains("libpangocairo-1.0.so.0"), "\(both.errors)")
            #expect(
                both.errors.contains("sudo apt-get install libpangocairo-1.0-0, or write an SVG"))
            #expect(try computer.files(of: "a") == [])
            #expect(try computer.run(words).status == 0)
            #expect(try computer.files(of: "a") == ["a.svg"])
        }

        @Test func `without zxcvbn a server does not start, and says what to install`() throws {
            let computer = try Computer()
            let server = Process()
            server.executableURL = try BuiltProgram.url("sync-server")
            server.arguments = ["--data", computer.folder.appending(path: "data").path]
            server.environment = [
                "LD_LIBRARY_PATH": try Self.emptyLibrary("libzxcvbn.so.0", on: computer)
            ]
            let errors = Pipe()
            server.standardError = errors
            try server.run()
            let data = errors.fileHandleForReading.readDataToEndOfFile()
            server.waitUntilExit()
            #expect(server.terminationStatus == 69)
            let text = String(decoding: data, as: UTF8.self)
            #expect(text.contains("sudo apt-get install libzxcvbn0"), "\(text)")
        }

        @Test(arguments: [
            ("scan", "libzbar.so.0", "libzbar0"), ("scan", "liblept.so.5", "liblept5"),
            ("label", "liblept.so.5", "liblept5"), ("label", "libtesseract.so.5", "tesseract-ocr"),
        ])
        func `without a library that reads pictures its package is named, and nothing recorded`(
            verb: String, library: String, package: String
        ) throws {
            let computer = try Computer()
            let picture = computer.folder.appending(path: "oats.png")
            try Data(PixelSample(width: 60, height: 40).png).write(to: picture)
            // A computer that has none of them names what it looks for first.
            computer.environment["LD_LIBRARY_PATH"] = try Self.emptyLibrary(library, on: computer)
            let read = try computer.run(["food", verb, "oats.png"])
            #expect(read.status == 69, "\(read)")
            let names = ["sudo apt-get install \(package)\n", "sudo apt-get install liblept5\n"]
            #expect(names.contains { read.errors.contains($0) }, "\(read.errors)")
            #expect(read.errors.contains("oats.png: the library lib"), "\(read.errors)")
            #expect(try computer.run(["food", "search", "oats"]).output.contains("Oats") == false)
            // Everything else works without it.
            #expect(try computer.run(["quick", "100kcal"]).status == 0)
        }

        @Test func `without the letters of English their package is named`() throws {
            let computer = try Computer()
            let picture = computer.folder.appending(path: "oats.png")
            try Data(PixelSample(width: 60, height: 40).png).write(to: picture)
            computer.environment["TESSDATA_PREFIX"] = computer.folder.path
            let read = try computer.run(["food", "label", "oats.png"])
            #expect(read.status == 69, "\(read)")
            let names = ["tesseract-ocr-eng\n", "tesseract-ocr\n", "liblept5\n"]
            #expect(
                names.contains { read.errors.contains("sudo apt-get install \($0)") },
                "\(read.errors)")
            // What the library itself would write is not shown.
            #expect(!read.errors.contains("TESSDATA_PREFIX"), "\(read.errors)")
        }

        /// A folder with a file that has a library's name, and nothing in it.
        private static func emptyLibrary(_ name: String, on computer: Computer) throws -> String {
            let folder = computer.folder.appending(path: "libraries")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data().write(to: folder.appending(path: name))
            return folder.path
        }

        /// The names of the libraries, without their versions, and without the C library and the
        /// runtime of Swift, which may be linked statically.
        private static func needed(by program: URL) throws -> [String] {
            let runtime = /lib(swift|_?Foundation|dispatch|Blocks).*|lib(c|m|gcc_s|stdc\+\+)|ld-.*/
            return try ELF(Data(contentsOf: program)).needed
                .map {
                    String($0.prefix(upTo: $0.firstRange(of: ".so")?.lowerBound ?? $0.endIndex))
                }
                .filter { $0.wholeMatch(of: runtime) == nil }.sorted()
        }
    }

    /// The dynamic section of a program of 64 bits, little-endian (System V ABI, chapter 5).
    private struct ELF {
        private let file: Data

        init(_ file: Data) throws {
            self.file = file
            try #require(file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]))
        }

        /// The names in its entries `DT_NEEDED`.
        var needed: [String] {
            let entries = dynamic
            let text = entries.first { $0.tag == 5 }.map { offset(of: $0.value) } ?? 0
            return entries.filter { $0.tag == 1 }.map { entry in
                String(
                    decoding: file[(text + Int(entry.value))...].prefix { $0 != 0 }, as: UTF8.self)
            }
        }

        /// The segments: kind, place in the file, address in memory, size.
        private var segments: [(kind: UInt64, offset: UInt64, address: UInt64, size: UInt64)] {
            (0..<Int(number(at: 56, bytes: 2))).map { index in
                let start = Int(number(at: 32)) + index * Int(number(at: 54, bytes: 2))
                return (
                    number(at: start, bytes: 4), number(at: start + 8), number(at: start + 16),
                    number(at: start + 32)
                )
            }
        }

        private var dynamic: [(tag: UInt64, value: UInt64)] {
            guard let segment = segments.first(where: { $0.kind == 2 }) else { return [] }
            return stride(from: segment.offset, to: segment.offset + segment.size, by: 16)
                .map { (number(at: Int($0)), number(at: Int($0) + 8)) }
        }

        /// Where in the file an address of memory is.
        private func offset(of address: UInt64) -> Int {
            let segment = segments.first {
                $0.kind == 1 && $0.address <= address && address - $0.address < $0.size
            }
            return segment.map { Int($0.offset + address - $0.address) } ?? 0
        }

        private func number(at start: Int, bytes: Int = 8) -> UInt64 {
            file[start..<(start + bytes)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
#endif
