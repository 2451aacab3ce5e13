import MacrologArgumentParsing
import MacrologTerminal
import MacrologGzip
import MacrologSystem

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
    private let file: File
    private var buffer = [UInt8](repeating: 0, count: 1 << 16)
    /// Bytes that were already read to detect the file's format.
    private var first: [UInt8]?
    private var gzip: GzipReader?

    init(_ path: String, _ arguments: ParsedArguments) throws {
        (self.path, self.arguments) = (path, arguments)
        let isInput = path.utf8.elementsEqual("-".utf8)
        do throws(SystemError) {
            file = try isInput ? .input() : .open(path, followsLinks: true)
        } catch {
            throw Self.failure(path, error, arguments)
        }
        first = try read()
        if first?.starts(with: [0x1F, 0x8B]) == true { gzip = GzipReader() }
    }

    /// The size in bytes; `nil` if unknown.
    var count: Int64? {
        guard gzip == nil, let status = try? file.status, status.isRegular else { return nil }
        return status.bytes
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
        let result = buffer.withUnsafeMutableBytes { buffer in
            Result { () throws(SystemError) in try file.read(into: buffer) }
        }
        do throws(SystemError) {
            let count = try result.get()
            return count == 0 ? nil : Array(buffer[..<count])
        } catch {
            throw Self.failure(path, error, arguments)
        }
    }

    private static func failure(
        _ path: String, _ error: SystemError, _ arguments: ParsedArguments
    ) -> CommandError {
        CommandError(
            .noInput, "\(arguments.command): \(printable(path)) cannot be read: \(error)")
    }
}

/// A file that is written whole and readable by its owner only.
struct OutputFile: ~Copyable {
    private let command: String
    /// As it was typed.
    private let path: String
    private var file: WholeFile

    /// Begins a file. Where the name is a link, the file that it leads to is replaced.
    ///
    /// - Parameter mayReplace: Whether an existing file of that name may be replaced.
    static func create(
        _ path: String, mayReplace: Bool, _ arguments: ParsedArguments
    ) throws -> OutputFile {
        try check(path, mayReplace: mayReplace, arguments)
        do throws(SystemError) {
            // What is there is a file, as is what a link leads to.
            let isLink = FileStatus(of: path, followsLinks: false)?.isRegular == false
            let file = try WholeFile(isLink ? Files.wholePath(path) : path)
            return OutputFile(command: arguments.command, path: path, file: file)
        } catch {
            throw refusal(.cantCreate, arguments.command, path, error)
        }
    }

    /// Refuses the name of a file that exists, and of what is no file: a pipe, a device, a folder.
    static func check(
        _ path: String, mayReplace: Bool, _ arguments: ParsedArguments
    ) throws {
        let found = FileStatus(of: path)
        if found == nil && FileStatus(of: path, followsLinks: false) == nil { return }
        let problem: String? =
            switch found?.isRegular {
            case nil: "is a link that leads to no file: type another name"
            case false?: "is a folder, a pipe or a device, and is not replaced: type another name"
            case true?: mayReplace ? nil : "exists already: type another name, or --force"
            }
        guard let problem else { return }
        throw CommandError(
            .cantCreate, "\(arguments.command): \(printable(path)) \(problem)")
    }

    mutating func write(_ text: String) throws { try write(Array(text.utf8)) }

    mutating func write(_ bytes: [UInt8]) throws {
        do throws(SystemError) { try file.write(bytes) } catch {
            throw Self.refusal(.ioErr, command, path, error)
        }
    }

    /// Makes the file durable under its name.
    mutating func complete() throws {
        do throws(SystemError) { try file.complete() } catch {
            throw Self.refusal(.ioErr, command, path, error)
        }
    }

    private static func refusal(
        _ code: ExitCode, _ command: String, _ path: String, _ error: SystemError
    ) -> CommandError {
        CommandError(code, "\(command): \(printable(path)) cannot be written: \(error)")
    }
}
