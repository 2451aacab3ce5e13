#if !canImport(Darwin)

    import CMacrologCurl
    import Glibc
    import MacrologHTTP

    /// One libcurl handle: its options, and the result of its transfer.
    struct CurlHandle {
        let curl: UnsafeMutableRawPointer
        private let answer: UnsafeMutablePointer<Answer>
        private let source: UnsafeMutablePointer<FileSource>
        private let words: UnsafeMutablePointer<CChar>

        init(_ curl: UnsafeMutableRawPointer, userAgent: String) {
            self.curl = curl
            answer = .allocate(capacity: 1)
            answer.initialize(to: Answer())
            source = .allocate(capacity: 1)
            source.initialize(to: FileSource())
            words = .allocate(capacity: Int(CURL_ERROR_SIZE))
            words.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))

            set(CURLOPT_NOSIGNAL, 1)
            set(CURLOPT_PATH_AS_IS, 1)
            set(CURLOPT_FOLLOWLOCATION, 0)
            set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
            set(CURLOPT_SSL_VERIFYPEER, 1)
            set(CURLOPT_SSL_VERIFYHOST, 2)
            set(CURLOPT_TCP_KEEPALIVE, 1)
            set(CURLOPT_LOW_SPEED_LIMIT, 1)
            macrolog_curl_set_text(curl, CURLOPT_PROTOCOLS_STR, "http,https")
            macrolog_curl_set_text(curl, CURLOPT_USERAGENT, userAgent)
            // The empty string requests every encoding that this libcurl can decode.
            macrolog_curl_set_text(curl, CURLOPT_ACCEPT_ENCODING, "")
            macrolog_curl_set_pointer(curl, CURLOPT_ERRORBUFFER, words)
            macrolog_curl_set_sinks(curl, takeHead, takeBody, answer)
            macrolog_curl_set_source(curl, givePiece, beginAnew, source)
        }

        func close() {
            curl_easy_cleanup(curl)
            answer.deinitialize(count: 1)
            answer.deallocate()
            source.deinitialize(count: 1)
            source.deallocate()
            words.deallocate()
        }

        /// Sets everything except the body.
        ///
        /// - Returns: The list of fields, to be freed after the exchange.
        func prepare(
            _ request: HTTPRequest, _ outgoing: Outgoing, _ origin: Origin,
            _ limits: ExchangeLimits
        ) -> UnsafeMutablePointer<curl_slist>? {
            answer.pointee = Answer(bodyBytesMax: limits.bodyBytesMax)
            answer.pointee.receiver = request.receiver
            words.pointee = 0
            macrolog_curl_set_text(curl, CURLOPT_URL, outgoing.url)
            set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
            set(CURLOPT_TIMEOUT_MS, limits.exchangeMilliseconds)
            set(CURLOPT_LOW_SPEED_TIME, limits.stallSeconds)
            // An empty string disables the proxy; a null pointer leaves the choice to the
            // environment.
            macrolog_curl_set_text(curl, CURLOPT_PROXY, origin.isLoopback ? "" : nil)

            // A name followed by a bare colon suppresses a field that libcurl would add.
            var lines = ["Expect:"]
            if request.field("content-type") == nil { lines.append("Content-Type:") }
            // A semicolon instead of the colon sends a field with an empty value.
            lines += outgoing.fields.map {
                $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
            }
            var list: UnsafeMutablePointer<curl_slist>?
            for line in lines { list = curl_slist_append(list, line) }
            macrolog_curl_set_pointer(curl, CURLOPT_HTTPHEADER, list)
            return list
        }

        /// Sets the method and opens the file with the body, until ``closeFile()``.
        ///
        /// - Returns: Whether the part exists.
        func setBody(_ file: FilePart, method: String) -> Bool {
            guard source.pointee.open(file) else { return false }
            set(CURLOPT_NOBODY, 0)
            set(CURLOPT_UPLOAD, 1)
            macrolog_curl_set_size(curl, CURLOPT_INFILESIZE_LARGE, curl_off_t(file.count))
            macrolog_curl_set_text(curl, CURLOPT_CUSTOMREQUEST, method)
            return true
        }

        func closeFile() { source.pointee.close() }

        /// Sets the method and lends the body, which must stay valid until the exchange is over.
        func setBody(_ body: UnsafeRawBufferPointer, method: String) {
            set(CURLOPT_UPLOAD, 0)
            let hasBody = !body.isEmpty || ["POST", "PUT", "PATCH"].contains(method)
            if hasBody {
                set(CURLOPT_NOBODY, 0)
                set(CURLOPT_POST, 1)
                macrolog_curl_set_size(
                    curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
                // Never read if the size is 0, and never written.
                let start = body.baseAddress ?? UnsafeRawPointer(words)
                macrolog_curl_set_pointer(
                    curl, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: start))
            } else {
                macrolog_curl_set_pointer(curl, CURLOPT_POSTFIELDS, nil)
                set(CURLOPT_HTTPGET, 1)
                set(CURLOPT_NOBODY, method == "HEAD" ? 1 : 0)
            }
            macrolog_curl_set_text(curl, CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nil : method)
        }

        /// The answer, or the error. A code of `nil` means cancelled.
        func finish(
            _ code: CURLcode?, _ operation: String
        ) throws(TransportError) -> HTTPResponse {
            let answer = answer.move()
            self.answer.initialize(to: Answer())
            if let error = error(code, answer) {
                throw TransportError(code: error, operation: operation)
            }
            return HTTPResponse(
                status: answer.status, fields: withoutTransfer(answer.fields), body: answer.body)
        }

        private func error(_ code: CURLcode?, _ answer: Answer) -> TransportError.Code? {
            guard let code else { return .cancelled }
            if answer.isTooLarge { return .tooLarge }
            if answer.isGivenUp { return .cancelled }
            let library = String(cString: words)
            let detail = library.isEmpty ? String(cString: curl_easy_strerror(code)) : library
            switch code {
            case CURLE_OK:
                return answer.status >= 200 ? nil : .malformed(detail: "an answer without a status")
            case CURLE_OPERATION_TIMEDOUT:
                return .timedOut
            case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
                CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
                CURLE_SSL_INVALIDCERTSTATUS, CURLE_USE_SSL_FAILED:
                return .tls(detail: detail)
            case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_CONTENT_ENCODING,
                CURLE_URL_MALFORMAT, CURLE_WRITE_ERROR, CURLE_HTTP2:
                return .malformed(detail: detail)
            default:
                return .unreachable(detail: detail)
            }
        }

        private func set(_ option: CURLoption, _ value: Int) {
            macrolog_curl_set_number(curl, option, value)
        }
    }

    /// The part of the answer received so far.
    private struct Answer {
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

    /// A part of an open file, read piece by piece.
    private struct FileSource {
        private var file: Int32 = -1
        private var part = FilePart(path: "", count: 0)
        private var sent: Int64 = 0

        mutating func open(_ part: FilePart) -> Bool {
            close()
            var status = stat()
            file = Glibc.open(part.path, O_RDONLY | O_CLOEXEC)
            guard file >= 0, fstat(file, &status) == 0,
                Int64(status.st_size) >= part.offset + part.count
            else { return false }
            (self.part, sent) = (part, 0)
            return true
        }

        mutating func close() {
            if file >= 0 { _ = Glibc.close(file) }
            file = -1
        }

        /// The next bytes; 0 at the end, −1 on a read error.
        mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
            let room = Int(min(Int64(buffer.count), part.count - sent))
            guard room > 0 else { return 0 }
            let count = pread(file, buffer.baseAddress, room, off_t(part.offset + sent))
            // If the file has become shorter, the server would wait for the rest.
            guard count > 0 else { return -1 }
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
    private func givePiece(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ source: UnsafeMutableRawPointer?
    ) -> Int {
        let room = UnsafeMutableRawBufferPointer(start: start, count: size * count)
        let given = source?.assumingMemoryBound(to: FileSource.self).pointee.read(into: room) ?? -1
        return given < 0 ? Int(CURL_READFUNC_ABORT) : given
    }

    /// libcurl's seek callback: restarts a body on another connection.
    private func beginAnew(
        _ source: UnsafeMutableRawPointer?, _ offset: curl_off_t, _ origin: Int32
    ) -> Int32 {
        let isDone =
            origin == SEEK_SET
            && source?.assumingMemoryBound(to: FileSource.self).pointee.seek(to: Int64(offset))
                ?? false
        return isDone ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }

    /// libcurl's header callback: one line of a head. Returning any other number than that of its
    /// bytes aborts the transfer.
    private func takeHead(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ answer: UnsafeMutableRawPointer?
    ) -> Int {
        let line = UnsafeRawBufferPointer(start: start, count: size * count)
        let took = answer?.assumingMemoryBound(to: Answer.self).pointee.take(line: line) ?? false
        return took ? line.count : -1
    }

    /// libcurl's write callback: one piece of a body, decompressed.
    private func takeBody(
        _ start: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
        _ answer: UnsafeMutableRawPointer?
    ) -> Int {
        let piece = UnsafeRawBufferPointer(start: start, count: size * count)
        let took = answer?.assumingMemoryBound(to: Answer.self).pointee.take(body: piece) ?? false
        return took ? piece.count : -1
    }

#endif
