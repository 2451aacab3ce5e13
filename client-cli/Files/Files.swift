import MacrologArgumentParsing
import MacrologTerminal
import MacrologGzip

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Reads a file named on the command line; `-` is standard input.
enum InputFile {
    /// - Parameter bytesMax: The maximum size in bytes.
    static func read(
        _ path: String, _ arguments: ParsedArguments, bytesMax: Int = .max
    ) throws -> [UInt8] {
        let pieces = try InputPieces(path, arguments)
        var bytes: [UInt8] = []
        while let piece = try pieces.next() {
            bytes += piece
            guard bytes.count <= bytesMax else {
                throw CommandError(
                    .dataErr,
                    "\(arguments.command): \(printable(path)) has more than \(bytesMax) bytes")
            }
        }
        return bytes
    }
}

/// A file that is read piece by piece; `-` is standard input. Gzip is decompressed on the way. It
/// closes when it is released.
final class InputPieces {
    private let path: String
    private let arguments: ParsedArguments
    private let file: CInt
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// Bytes that were already read to detect the file's format.
    private var first: [UInt8]?
    private var gzip: GzipReader?

    init(_ path: String, _ arguments: ParsedArguments) throws {
        (self.path, self.arguments) = (path, arguments)
        let isInput = path.utf8.elementsEqual("-".utf8)
        file = isInput ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.error(path, arguments) }
        first = try read()
        if first?.starts(with: [0x1F, 0x8B]) == true { gzip = GzipReader() }
    }

    deinit { if file >= 0 { close(file) } }

    /// The size in bytes; `nil` if unknown.
    var count: Int64? {
        var status = stat()
        guard gzip == nil, fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return nil
        }
        return Int64(status.st_size)
    }

    /// Up to 64 KiB; `nil` at the end.
    func next() throws -> [UInt8]? {
        do {
            return gzip == nil ? try packed() : try gzip?.next(packed)
        } catch let error as GzipError {
            throw CommandError(
                .dataErr,
                "\(arguments.command): \(printable(path)) cannot be unpacked: \(error)\n"
                    + "Fetch the file again, or unpack it yourself: gunzip")
        }
    }

    /// The bytes as stored in the file.
    private func packed() throws -> [UInt8]? {
        guard let first else { return try read() }
        self.first = nil
        return first
    }

    private func read() throws -> [UInt8]? {
        while true {
            let count = Self.systemRead(file, &buffer)
            if count == 0 { return nil }
            if count > 0 { return Array(buffer[..<count]) }
            guard errno == EINTR else { throw Self.error(path, arguments) }
        }
    }

    private static func error(_ path: String, _ arguments: ParsedArguments) -> CommandError {
        CommandError(
            .noInput,
            "\(arguments.command): \(printable(path)) cannot be read: \(String(cString: strerror(errno)))"
        )
    }

    private static func systemRead(_ file: CInt, _ buffer: inout [UInt8]) -> Int {
        buffer.withUnsafeMutableBytes { readBytes(file, $0.baseAddress, $0.count) }
    }
}

private func readBytes(_ file: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(file, bytes, count)
}

/// A file that is written atomically and readable by its owner only.
struct OutputFile: ~Copyable {
    private let path: String
    private let partial: String
    private let file: CInt
    private let command: String
    private var isComplete = false

    private init(path: String, file: CInt, command: String) {
        self.path = path
        partial = Self.partial(path)
        self.file = file
        self.command = command
    }

    private static func partial(_ path: String) -> String { path + ".partial" }

    /// Begins a file.
    ///
    /// - Parameter mayReplace: Whether an existing file of that name may be replaced.
    static func create(_ path: String, mayReplace: Bool, _ arguments: ParsedArguments) throws
        -> OutputFile
    {
        guard mayReplace || access(path, F_OK) != 0 else {
            throw CommandError(
                .cantCreate,
                "\(arguments.command): \(printable(path)) exists already: type another name, or --force"
            )
        }
        unlink(partial(path))
        let file = open(partial(path), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw CommandError(
                .cantCreate,
                "\(arguments.command): \(printable(path)) cannot be written: "
                    + String(cString: strerror(errno)))
        }
        return OutputFile(path: path, file: file, command: arguments.command)
    }

    mutating func write(_ text: String) throws { try write(Array(text.utf8)) }

    mutating func write(_ bytes: [UInt8]) throws {
        guard let error = Terminal.write(bytes, to: file) else { return }
        throw self.error(error)
    }

    /// Makes the file durable under its name.
    mutating func complete() throws {
        guard fsync(file) == 0, rename(partial, path) == 0 else { throw error(errno) }
        isComplete = true
    }

    private func error(_ error: CInt) -> CommandError {
        CommandError(
            .ioErr,
            "\(command): \(printable(path)) cannot be written: \(String(cString: strerror(error)))")
    }

    deinit {
        close(file)
        if !isComplete { unlink(partial) }
    }
}
