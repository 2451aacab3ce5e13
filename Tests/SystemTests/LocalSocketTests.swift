import Foundation
import MacrologSystem
import MacrologTestSupport
import Testing

/// Goal: a process is asked by processes of its own user alone, answers everyone who asks, and no one who asks
/// badly stops it.
/// Method: sockets in a scratch folder, in order and out of it.
@Suite struct LocalSocketTests {
    private let folder = ScratchFolder(inMemory: true)
    private var path: String { folder.file("s.sock") }

    private func answerer() throws -> LocalAnswerer {
        try LocalAnswerer(at: path) { [UInt8](">".utf8) + $0 }
    }

    @Test func `questions are answered in order, of any length, until it closes`() throws {
        #expect(try LocalSocket.ask(path, [1]) == nil)
        let answerer = try answerer()
        #expect(folder.permissions("s.sock") == 0o600)
        for count in [0, 1, 1_000, 1_000_000] {
            let question = [UInt8](repeating: 65, count: count)
            #expect(try LocalSocket.ask(path, question) == [UInt8](">".utf8) + question)
        }
        answerer.close()
        #expect(try LocalSocket.ask(path, [1]) == nil)
        #expect(folder.names == [])
    }

    @Test func `a socket that a killed process left is in no one's way`() throws {
        // A file that no one listens to.
        try Data().write(to: folder.url.appending(path: "s.sock"))
        #expect(try LocalSocket.ask(path, [1]) == nil)
        let answerer = try answerer()
        #expect(try LocalSocket.ask(path, [65]) == [UInt8](">A".utf8))
        answerer.close()
    }

    @Test func `a path that is too long for a socket is an error that says so`() throws {
        let long = folder.file(String(repeating: "x", count: 200))
        let error = #expect(throws: SystemError.self) { try LocalSocket.ask(long, [1]) }
        #expect(error?.isNameTooLong == true)
        #expect(throws: SystemError.self) { try LocalAnswerer(at: long) { $0 } }
    }

    @Test func `who asks and does not read the answer keeps no one waiting`() throws {
        let answer = [UInt8](repeating: 65, count: 4 << 20)
        let answerer = try LocalAnswerer(at: path, waitingSeconds: 1) { _ in answer }
        #if canImport(Glibc)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        let descriptor = socket(AF_UNIX, stream, 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let status = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        try #require(status == 0)
        try #require(send(descriptor, "A\n", 2, 0) == 2)
        #expect(try LocalSocket.ask(path, [66]) == answer)
        answerer.close()
    }

    @Test func `many who ask at once are all answered`() async throws {
        let answerer = try answerer()
        let path = path
        await withTaskGroup(of: Bool.self) { group in
            for number in UInt8(1)...8 {
                group.addTask {
                    (try? LocalSocket.ask(path, [number + 64]))
                        == [UInt8(ascii: ">"), number + 64]
                }
            }
            for await isAnswered in group { #expect(isAnswered) }
        }
        answerer.close()
    }

    /// Found by an operator who replaced a data folder: the process before never ended.
    @Test(.timeLimit(.minutes(10)))
    func `a process whose socket another has replaced ends, and leaves the other's`() throws {
        let first = try answerer()
        let second = try answerer()
        first.close()
        #expect(try LocalSocket.ask(path, Array("?".utf8)) == Array(">?".utf8))
        second.close()
        #expect(try LocalSocket.ask(path, Array("?".utf8)) == nil)
    }
}
