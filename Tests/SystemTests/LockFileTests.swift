import MacrologPlatform
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: one user at a time, and the others learn who.
/// Method: `flock` belongs to the opened file, so one process can play both.
@Suite struct LockFileTests {
    @Test func `a held lock names its holder, and a released one can be taken`() throws {
        let folder = ScratchFolder()
        do {
            let lock = try LockFile.take(for: folder.file("a.db"), waitingSeconds: 0)
            let error = #expect(throws: LockError.self) {
                _ = try LockFile.take(for: folder.file("a.db"), waitingSeconds: 0)
            }
            guard case .held(let holder) = error?.code else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(holder.hasPrefix("process \(getpid()) "))
            // Waiting for oneself would be in vain.
            #expect(holder.hasSuffix(", which is this one"))
            #expect(error?.hint == "use what is open already, or let it go first")
            #expect(error?.isRetryable == true)
            #expect(folder.size("a.db.lock") > 0, "a failed attempt leaves the holder's name")
            _ = lock
        }
        #expect(folder.size("a.db.lock") == 0)
        // A process that another test starts holds the descriptor, too, until it executes its program.
        _ = try LockFile.take(for: folder.file("a.db"))
    }

    @Test func `a waiting process gets the lock once it is released`() async throws {
        let folder = ScratchFolder()
        let path = folder.file("a.db")
        let waiting: Task<Void, any Error>
        do {
            let lock = try LockFile.take(for: path)
            waiting = Task.detached { _ = try LockFile.take(for: path, waitingSeconds: 60) }
            _ = lock
        }
        try await waiting.value
    }

    @Test(arguments: [false, true])
    func `a link in the place of the lock is refused, and what it leads to stays`(
        isSymbolic: Bool
    ) throws {
        let folder = ScratchFolder()
        let precious = folder.file("precious")
        let file = fopen(precious, "w")
        fputs("do not empty", file)
        fclose(file)
        let lock = folder.file("a.db.lock")
        #expect((isSymbolic ? symlink(precious, lock) : link(precious, lock)) == 0)
        let error = #expect(throws: LockError.self) {
            _ = try LockFile.take(for: folder.file("a.db"), waitingSeconds: 0)
        }
        #expect(error?.isRetryable == false)
        #expect(folder.size("precious") == 12)
    }

    @Test func `a pipe in the place of the lock is refused, and waited for by no one`() throws {
        let folder = ScratchFolder()
        #expect(mkfifo(folder.file("a.db.lock"), 0o600) == 0)
        #expect(throws: LockError.self) {
            _ = try LockFile.take(for: folder.file("a.db"), waitingSeconds: 0)
        }
    }

    @Test func `a lock with its folder is held even if someone removes the file`() throws {
        let folder = ScratchFolder()
        let path = folder.file("a.db")
        func take(withFolder: Bool) throws -> LockFile {
            try LockFile.take(for: path, waitingSeconds: 0, withFolder: withFolder)
        }
        do {
            let lock = try take(withFolder: true)
            unlink(path + ".lock")
            let error = #expect(throws: LockError.self) { _ = try take(withFolder: true) }
            #expect(error?.path == folder.path && error?.isRetryable == true)
            _ = lock
        }
        _ = try take(withFolder: true)
    }

    @Test func `a missing folder is not a held lock`() throws {
        let folder = ScratchFolder()
        let error = #expect(throws: LockError.self) {
            _ = try LockFile.take(for: folder.file("no/a.db"), waitingSeconds: 0)
        }
        #expect(error?.isRetryable == false)
    }
}
