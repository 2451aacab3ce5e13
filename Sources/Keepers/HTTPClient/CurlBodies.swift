#if !canImport(Darwin)

    import CMacrologCurl
    import MacrologHTTP
    import MacrologSystem

    /// The part of the answer received so far.
    struct Answer {
        var status = 0
        var fields: [HTTPField] = []
        var body: [UInt8] = []
        var bodyBytesMax = 0
        var headBytes = 0
        /// Whether the head is complete; lines that come later are trailers.
        var isHeadDone = false
        var isTooLarge = false
        /// Receives the body if the answer is the expected one.
        var receiver: BodyReceiver?
        /// Whether it is; `nil` before the first piece.
        var isReceived: Bool?
        var isGivenUp = false
        /// Whether an address was not connected to because it is no public one.
        var isPrivate = false

        init(bodyBytesMax: Int = 0) {
            self.bodyBytesMax = bodyBytesMax
        }

        /// Receives one line of the head.
        mutating func take(line: UnsafeRawBufferPointer) -> Bool {
            headBytes += line.count
            guard headBytes <= ExchangeLimits.headBytesMax else {
                isTooLarge = true
                return false
            }
            let text = line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") }
            if text.isEmpty {
                isHeadDone = true
            } else if text.starts(with: "HTTP/".utf8) {
                // After an informational status such as "100 Continue" comes another head; the last
                // one is used.
                status = Self.status(text)
                fields = []
                isHeadDone = false
            } else if !isHeadDone, let colon = text.firstIndex(of: UInt8(ascii: ":")) {
                let value = text[(colon + 1)...].drop(while: Self.isBlank)
                let end = value.lastIndex { !Self.isBlank($0) }.map { $0 + 1 } ?? value.startIndex
                fields.append(
                    HTTPField(
                        String(decoding: text[..<colon], as: UTF8.self),
                        String(decoding: value[..<end], as: UTF8.self)))
            }
            return true
        }

        /// Receives one piece of the body.
        mutating func take(body piece: UnsafeRawBufferPointer) -> Bool {
            if let receiver {
                let isReceived =
                    isReceived ?? receiver.accepts(HTTPResponse(status: status, fields: fields))
                self.isReceived = isReceived
                if isReceived {
                    isGivenUp = !receiver.take(piece)
                    return !isGivenUp
                }
            }
            guard piece.count <= bodyBytesMax - body.count else {
                isTooLarge = true
                return false
            }
            body.append(contentsOf: piece)
            return true
        }

        /// The number after the first space of `HTTP/1.1 200 OK`.
        private static func status(_ line: Slice<UnsafeRawBufferPointer>) -> Int {
            let digits = line.drop { $0 != UInt8(ascii: " ") }.dropFirst().prefix(3)
            return Int(String(decoding: digits, as: UTF8.self)) ?? 0
        }

        private static func isBlank(_ byte: UInt8) -> Bool {
            byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t")
        }
    }

    /// libcurl's header callback: one line of a head. Returning any other number than that of its
    /// bytes aborts the transfer.
    func takeHead(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ answer: UnsafeMutableRawPointer?
    ) -> Int {
        let line = UnsafeRawBufferPointer(start: start, count: size * count)
        let took = answer?.assumingMemoryBound(to: Answer.self).pointee.take(line: line) ?? false
        return took ? line.count : -1
    }

    /// libcurl's write callback: one piece of a body, decompressed.
    func takeBody(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ answer: UnsafeMutableRawPointer?
    ) -> Int {
        let piece = UnsafeRawBufferPointer(start: start, count: size * count)
        let took = answer?.assumingMemoryBound(to: Answer.self).pointee.take(body: piece) ?? false
        return took ? piece.count : -1
    }

    /// libcurl's callback for the socket of a connection, after the name was resolved: none for an address
    /// that only this computer or its network can reach.
    func openPublicSocket(
        _ answer: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
        _ address: UnsafeMutablePointer<curl_sockaddr>?
    ) -> curl_socket_t {
        guard let address else { return -1 }
        var count = 0
        let start = macrolog_curl_address(address, &count)
        guard IPAddress.isPublic(Array(UnsafeRawBufferPointer(start: start, count: count))) else {
            answer?.assumingMemoryBound(to: Answer.self).pointee.isPrivate = true
            return -1
        }
        return macrolog_curl_socket(address)
    }

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
