import MacrologPlatform
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: a file is old or new, its owner's alone, and reached by no link.
/// Method: real files in a folder of their own. What a power failure leaves is in `CrashTests`.
@Suite struct WholeFileTests {
    @Test func `a file is replaced whole, for its owner only`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a"), with: [1, 2, 3])
        try WholeFile.replace(folder.file("a"), with: [4])
        #expect(try WholeFile.read(folder.file("a"), atMost: 10, isPrivate: true) == [4])
        #expect(folder.permissions("a") == 0o600)
        #expect(folder.names == ["a"], "nothing is left beside it")
    }

    @Test func `a file that is not completed leaves the old one, and nothing beside it`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a"), with: [1])
        do {
            let file = try WholeFile(own: folder.file("a"))
            try file.write([2])
            #expect(folder.names == ["a", "a.partial"])
        }
        #expect(try WholeFile.read(folder.file("a"), atMost: 10) == [1])
        #expect(folder.names == ["a"])
    }

    @Test func `a file among others touches none of them, nor another attempt at the same name`()
        throws
    {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a.partial"), with: [7])
        var one = try WholeFile(folder.file("a"))
        var other = try WholeFile(folder.file("a"))
        try one.write([1])
        try other.write([2])
        #expect(folder.names.count == 3)
        try one.complete()
        #expect(try WholeFile.read(folder.file("a"), atMost: 10) == [1])
        try other.complete()
        #expect(try WholeFile.read(folder.file("a"), atMost: 10) == [2])
        #expect(try WholeFile.read(folder.file("a.partial"), atMost: 10) == [7])
        #expect(folder.names == ["a", "a.partial"])
    }

    @Test func `a link is neither read nor written through`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("precious"), with: [7])
        for name in ["a", "a.partial"] {
            #expect(symlink(folder.file("precious"), folder.file(name)) == 0)
        }
        #expect(throws: WholeFile.ReadError.self) {
            try WholeFile.read(folder.file("a"), atMost: 10)
        }
        try WholeFile.replace(folder.file("a"), with: [1])
        #expect(try WholeFile.read(folder.file("a"), atMost: 10) == [1])
        #expect(try WholeFile.read(folder.file("precious"), atMost: 10) == [7])
    }

    @Test func `a pipe, which has no end, is refused and not waited for`() throws {
        let folder = ScratchFolder()
        #expect(mkfifo(folder.file("a"), 0o600) == 0)
        #expect(throws: WholeFile.ReadError.self) {
            try WholeFile.read(folder.file("a"), atMost: 10)
        }
    }

    @Test func `a link is removed with its folder, and what it leads to stays`() throws {
        let folder = ScratchFolder()
        for name in ["gone", "gone/inner", "kept"] { try Files.makeFolder(folder.file(name)) }
        try WholeFile.replace(folder.file("kept/precious"), with: [7])
        for name in ["gone/link", "gone/inner/link", "link"] {
            #expect(symlink(folder.file("kept"), folder.file(name)) == 0)
        }
        Files.removeAll(folder.file("gone"))
        Files.removeAll(folder.file("link"))
        #expect(folder.names == ["kept"])
        #expect(Files.exists(folder.file("kept/precious")))
    }

    @Test func `a file that others may read is refused where it must be private`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a"), with: [1])
        chmod(folder.file("a"), 0o640)
        #expect(throws: WholeFile.ReadError.exposed) {
            try WholeFile.read(folder.file("a"), atMost: 10, isPrivate: true)
        }
        #expect(try WholeFile.read(folder.file("a"), atMost: 10) == [1])
    }

    @Test func `no more is read than asked for, and a missing file is nil`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a"), with: Array(repeating: 1, count: 200_000))
        #expect(try WholeFile.read(folder.file("a"), atMost: 100_000)?.count == 100_000)
        #expect(try WholeFile.read(folder.file("a"), atMost: 300_000)?.count == 200_000)
        #expect(try WholeFile.read(folder.file("b"), atMost: 10) == nil)
    }

    @Test func `removing is repeatable, and a folder that is missing is an error`() throws {
        let folder = ScratchFolder()
        try WholeFile.replace(folder.file("a"), with: [1])
        try WholeFile.remove(folder.file("a"))
        try WholeFile.remove(folder.file("a"))
        #expect(folder.names == [])
        let error = #expect(throws: SystemError.self) {
            try WholeFile.replace(folder.file("no/a"), with: [1])
        }
        #expect(error?.isMissing == true)
    }
}
