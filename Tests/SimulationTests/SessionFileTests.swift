import MacrologTestSupport

#if os(Linux)
    import Glibc
    import Macrolog
    import MacrologSimulation
    import Testing

    /// Goal: a session is replaced whole and durably: an older refresh token, presented once more, would
    /// end the session.
    /// Method: a disk that forgets what was not flushed, at each operation of a save.
    @Suite struct SessionFileTests {
        private static func session(_ number: Int) -> Session {
            Session(
                server: "https://sync.example.org", email: "ana@example.org", account: "a",
                accessToken: "access \(number)", refreshToken: "refresh \(number)")
        }

        /// - Parameter body: Is given the disk and the file on it, which holds session 1.
        private func withFile(_ body: (FaultDisk, SessionFile) throws -> Void) throws {
            try ScratchFolder.lend { folder in
                let path = "\(folder)/log.session"
                let disk = FaultDisk([], trees: [path])
                let file = SessionFile(path: path)
                try file.save(Self.session(1))
                try body(disk, file)
            }
        }

        @Test(arguments: Damage.allCases)
        func `a session that was saved is there when the power comes back`(damage: Damage) throws {
            try withFile { disk, file in
                try file.save(Self.session(2))
                disk.restore(damage, seed: 1)
                chmod(file.path, 0o600)
                #expect(try file.load() == Self.session(2))
                try file.save(nil)
                disk.restore(damage, seed: 2)
                #expect(try file.load() == nil)
            }
        }

        @Test(arguments: Damage.allCases)
        func `a session that was being saved is the old one or the new one`(damage: Damage) throws {
            var saved = 0
            for operation in 0..<12 as Range<UInt64> {
                try withFile { disk, file in
                    disk.cut(after: operation)
                    let isSaved = (try? file.save(Self.session(2))) != nil
                    disk.restore(damage, seed: operation)
                    // The disk gives back bytes, not modes.
                    chmod(file.path, 0o600)
                    let found = try file.load()
                    #expect(found == Self.session(2) || !isSaved && found == Self.session(1))
                    if isSaved { saved += 1 }
                }
            }
            #expect((1..<12).contains(saved))
        }

        @Test(arguments: [DiskError.write, .full, .shortWrite, .sync])
        func `a session that could not be saved leaves the one before`(error: DiskError) throws {
            try withFile { disk, file in
                disk.fail(error, after: 0, times: 1)
                #expect(throws: SessionError.self) { try file.save(Self.session(2)) }
                disk.repair()
                #expect(try file.load() == Self.session(1))
                try file.save(Self.session(3))
                #expect(try file.load() == Self.session(3))
            }
        }
    }
#endif
