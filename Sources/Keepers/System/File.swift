import MacrologPlatform

/// An open file, closed when its owner releases it.
public struct File: ~Copyable, Sendable {
    /// What C libraries call it.
    package let descriptor: CInt

    private init(_ descriptor: CInt) throws(SystemError) {
        guard descriptor >= 0 else { throw .last }
        self.descriptor = descriptor
    }

    deinit { systemClose(descriptor) }

    /// Opens a file for reading.
    ///
    /// - Parameter followsLinks: Whether the path may end in a symbolic link, or be a pipe, a device or
    ///   a folder: true for a path that a person typed.
    public static func open(
        _ path: String, followsLinks: Bool = false
    ) throws(SystemError) -> File {
        guard !followsLinks else { return try File(systemOpen(path, O_RDONLY)) }
        // A pipe is not waited for, but refused.
        let file = try File(systemOpen(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
        guard try file.status.isRegular else { throw SystemError(number: ENODEV) }
        return file
    }

    /// Creates a file for its owner only. The path must not exist, not even as a link.
    package static func create(_ path: String) throws(SystemError) -> File {
        try File(systemOpen(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW))
    }

    /// Opens or creates a file for its owner only, to append after its first `count` bytes.
    package static func resume(_ path: String, keeping count: Int64) throws(SystemError) -> File {
        let file = try File(systemOpen(path, O_WRONLY | O_CREAT | O_NOFOLLOW))
        try file.cut(to: count)
        return file
    }

    /// A file without a name, which disappears when it is closed.
    public static func temporary() throws(SystemError) -> File {
        guard let stream = tmpfile() else { throw .last }
        defer { fclose(stream) }
        return try File(fcntl(fileno(stream), F_DUPFD_CLOEXEC, 0))
    }

    /// Standard input.
    public static func input() throws(SystemError) -> File {
        try File(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0))
    }

    /// A new socket for connections on this machine.
    static func socket() throws(SystemError) -> File {
        try closedOnExec(File(newSocket()))
    }

    /// The next connection of a listening socket.
    static func accepted(from descriptor: CInt) throws(SystemError) -> File {
        try closedOnExec(File(accept(descriptor, nil, nil)))
    }

    private static func closedOnExec(_ file: consuming File) throws(SystemError) -> File {
        guard fcntl(file.descriptor, F_SETFD, FD_CLOEXEC) == 0 else { throw .last }
        return file
    }

    /// Leaves the descriptor to a C library, which closes it.
    package consuming func release() { discard self }
}

// MARK: Reading

extension File {
    /// Its size, kind, owner and time.
    public var status: FileStatus {
        get throws(SystemError) {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { throw .last }
            return FileStatus(status)
        }
    }

    /// Reads the next bytes; 0 at the end.
    public func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int {
        while true {
            let count = systemRead(descriptor, buffer)
            if count >= 0 { return count }
            guard errno == EINTR else { throw .last }
        }
    }

    /// Reads what is there, and waits if nothing is; empty at the end.
    func readSome() throws(SystemError) -> [UInt8] {
        var piece = [UInt8](repeating: 0, count: 65_536)
        let result = piece.withUnsafeMutableBytes { buffer -> Result<Int, SystemError> in
            do throws(SystemError) { return .success(try read(into: buffer)) } catch {
                return .failure(error)
            }
        }
        return Array(piece[..<(try result.get())])
    }

    /// Reads bytes at a place; 0 at the end.
    package func read(
        into buffer: UnsafeMutableRawBufferPointer, at offset: Int64
    ) throws(SystemError) -> Int {
        while true {
            let count = pread(descriptor, buffer.baseAddress, buffer.count, off_t(offset))
            if count >= 0 { return count }
            guard errno == EINTR else { throw .last }
        }
    }

    /// Reads to the end, but at most `bytesMax` bytes.
    public func read(atMost bytesMax: Int) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: min(bytesMax, 65_536))
        while bytes.count < bytesMax {
            let room = min(piece.count, bytesMax - bytes.count)
            let result = piece.withUnsafeMutableBytes { buffer -> Result<Int, SystemError> in
                do throws(SystemError) {
                    let part = UnsafeMutableRawBufferPointer(rebasing: buffer[..<room])
                    return .success(try read(into: part))
                } catch {
                    return .failure(error)
                }
            }
            let count = try result.get()
            guard count > 0 else { break }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Goes back to the first byte.
    public func rewind() { lseek(descriptor, 0, SEEK_SET) }
}

// MARK: Writing

extension File {
    /// Writes all bytes. A nearly full disk accepts a part first, and then reports the error.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        try writeAll(bytes, to: descriptor)
    }

    /// Writes all bytes.
    public func write(_ bytes: [UInt8]) throws(SystemError) {
        try writeAll(bytes, to: descriptor)
    }

    /// The number of bytes before the next one.
    package var offset: Int64 { Int64(lseek(descriptor, 0, SEEK_CUR)) }

    /// Cuts the file after its first `count` bytes; writing continues there.
    package func cut(to count: Int64) throws(SystemError) {
        guard ftruncate(descriptor, off_t(count)) == 0,
            lseek(descriptor, 0, SEEK_END) == off_t(count)
        else { throw .last }
    }

    /// Makes the bytes durable.
    package func flush() throws(SystemError) {
        guard fsync(descriptor) == 0 else { throw SystemError(number: errno, isFlush: true) }
    }
}

/// Writes all bytes, repeating short writes.
func writeAll(_ bytes: UnsafeRawBufferPointer, to descriptor: CInt) throws(SystemError) {
    var rest = bytes
    while !rest.isEmpty {
        let count = systemWrite(descriptor, rest)
        if count < 0, errno == EINTR { continue }
        guard count >= 0 else { throw .last }
        // A device that accepts nothing, and reports no error, would be asked for ever.
        guard count > 0 else { throw SystemError(number: EIO) }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
}

/// Writes all bytes of an array.
func writeAll(_ bytes: [UInt8], to descriptor: CInt) throws(SystemError) {
    // Arrays lend their bytes only to closures that throw any error, or none.
    let result = bytes.withUnsafeBytes { bytes -> Result<Void, SystemError> in
        do throws(SystemError) { return .success(try writeAll(bytes, to: descriptor)) } catch {
            return .failure(error)
        }
    }
    try result.get()
}

// The C functions, where a method has the same name.
private func systemOpen(_ path: String, _ flags: CInt) -> CInt {
    open(path, flags | O_CLOEXEC, 0o600)
}

private func systemRead(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
    read(descriptor, buffer.baseAddress, buffer.count)
}

private func systemWrite(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
    write(descriptor, bytes.baseAddress, bytes.count)
}

private func newSocket() -> CInt { socket(AF_UNIX, number(SOCK_STREAM), 0) }

private func systemClose(_ descriptor: CInt) { close(descriptor) }
