#if !canImport(Darwin)

    import CMacrologCurl
    import MacrologHTTP
    import MacrologSystem

    /// A part of an open file, read piece by piece.
    struct FileSource: ~Copyable {
        private var file: File?
        private var part = FilePart(path: "", count: 0)
        private var sent: Int64 = 0

        mutating func open(_ part: FilePart) -> Bool {
            file = try? File.open(part.path, followsLinks: true)
            guard let bytes = try? file?.status.bytes, bytes >= part.offset + part.count else {
                return false
            }
            (self.part, sent) = (part, 0)
            return true
        }

        mutating func close() { file = nil }

        /// The next bytes; 0 at the end, −1 on a read error.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let room = UnsafeMutableRawBufferPointer(
                rebasing: buffer.prefix(Int(min(Int64(buffer.count), part.count - sent))))
            guard !room.isEmpty else { return 0 }
            // If the file has become shorter, the server would wait for the rest.
            guard let count = try? file?.read(into: room, at: part.offset + sent), count > 0
            else { return -1 }
            sent += Int64(count)
            return count
        }

        /// The number of bytes that may be sent twice. libcurl restarts a body when a reused
        /// connection breaks; if more was already sent, the caller knows better where to resume.
        private static let sentAgainMax: Int64 = 65_536

        mutating func seek(to offset: Int64) -> Bool {
            guard (0...part.count).contains(offset), sent <= Self.sentAgainMax else { return false }
            sent = offset
            return true
        }
    }

    /// libcurl's read callback: the next piece of a body.
    func givePiece(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ source: UnsafeMutableRawPointer?
    ) -> Int {
        let room = UnsafeMutableRawBufferPointer(start: start, count: size * count)
        let given = source?.assumingMemoryBound(to: FileSource.self).pointee.read(into: room) ?? -1
        return given < 0 ? Int(CURL_READFUNC_ABORT) : given
    }

    /// libcurl's seek callback: restarts a body on another connection.
    func beginAgain(
        _ source: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
    ) -> Int32 {
        let isDone =
            origin == SEEK_SET
            && source?.assumingMemoryBound(to: FileSource.self).pointee.seek(to: Int64(offset))
                ?? false
        return isDone ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

#endif
