#if !canImport(Darwin)

    import CMacrologCurl
    import MacrologHTTP
    import MacrologSystem

    /// One libcurl handle: its options, and the result of its transfer.
    struct CurlHandle {
        private let library: macrolog_curl
        let curl: UnsafeMutableRawPointer
        private let answer: UnsafeMutablePointer<Answer>
        private let source: UnsafeMutablePointer<FileSource>
        private let words: UnsafeMutablePointer<CChar>
        private let onlyPublic: Bool

        init(
            _ library: macrolog_curl, _ curl: UnsafeMutableRawPointer, userAgent: String,
            certificates: String?, onlyPublic: Bool
        ) {
            self.library = library
            self.curl = curl
            self.onlyPublic = onlyPublic
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
            set(CURLOPT_PROTOCOLS_STR, "http,https")
            set(CURLOPT_USERAGENT, userAgent)
            // The system's folder of certificates stays in use.
            if let certificates { set(CURLOPT_CAINFO, certificates) }
            // The empty string requests every encoding that this libcurl can decode.
            set(CURLOPT_ACCEPT_ENCODING, "")
            set(CURLOPT_ERRORBUFFER, words)
            macrolog_curl_set_sinks(library.easy_setopt, curl, takeHead, takeBody, answer)
            macrolog_curl_set_source(library.easy_setopt, curl, givePiece, beginAgain, source)
            if onlyPublic {
                macrolog_curl_set_opener(library.easy_setopt, curl, openPublicSocket, answer)
            }
        }

        func close() {
            library.easy_cleanup(curl)
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
            set(CURLOPT_URL, outgoing.url)
            set(CURLOPT_CONNECTTIMEOUT_MS, limits.connectMilliseconds)
            set(CURLOPT_TIMEOUT_MS, limits.exchangeMilliseconds)
            set(CURLOPT_LOW_SPEED_TIME, limits.stallSeconds)
            // An empty string disables the proxy; a null pointer leaves the choice to the
            // environment.
            set(CURLOPT_PROXY, origin.isLoopback || onlyPublic ? "" : nil)

            // A name followed by a bare colon suppresses a field that libcurl would add.
            var lines = ["Expect:"]
            if request.field("content-type") == nil { lines.append("Content-Type:") }
            // A semicolon instead of the colon sends a field with an empty value.
            lines += outgoing.fields.map {
                $0.value.isEmpty ? "\($0.name);" : "\($0.name): \($0.value)"
            }
            var list: UnsafeMutablePointer<curl_slist>?
            for line in lines { list = library.slist_append(list, line) }
            set(CURLOPT_HTTPHEADER, list)
            return list
        }

        /// Sets the method and opens the file with the body, until ``closeFile()``.
        ///
        /// - Returns: Whether the part exists.
        func setBody(_ file: FilePart, method: String) -> Bool {
            guard source.pointee.open(file) else { return false }
            set(CURLOPT_NOBODY, 0)
            set(CURLOPT_UPLOAD, 1)
            setSize(CURLOPT_INFILESIZE_LARGE, file.count)
            set(CURLOPT_CUSTOMREQUEST, method)
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
                setSize(CURLOPT_POSTFIELDSIZE_LARGE, Int64(body.count))
                // Never read if the size is 0, and never written.
                let start = body.baseAddress ?? UnsafeRawPointer(words)
                set(CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: start))
            } else {
                set(CURLOPT_POSTFIELDS, UnsafeMutableRawPointer?.none)
                set(CURLOPT_HTTPGET, 1)
                set(CURLOPT_NOBODY, method == "HEAD" ? 1 : 0)
            }
            set(CURLOPT_CUSTOMREQUEST, method == "HEAD" ? nil : method)
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
            let said = String(cString: words)
            let standard = library.easy_strerror(code).map { String(cString: $0) }
            let detail = said.isEmpty ? standard ?? "error \(code.rawValue)" : said
            if code != CURLE_OK, answer.isPrivate {
                return .unreachable(detail: "its address is not one of the public Internet")
            }
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
            macrolog_curl_set_number(library.easy_setopt, curl, option, value)
        }

        private func set(_ option: CURLoption, _ value: String?) {
            macrolog_curl_set_text(library.easy_setopt, curl, option, value)
        }

        private func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer?) {
            macrolog_curl_set_pointer(library.easy_setopt, curl, option, value)
        }

        private func setSize(_ option: CURLoption, _ value: Int64) {
            macrolog_curl_set_size(library.easy_setopt, curl, option, curl_off_t(value))
        }
    }

    /// libcurl, opened by the first request.
    ///
    /// Loading it with the program would take five times as long as everything that a command does
    /// before it reads its log.
    enum CurlLibrary {
        /// The functions, or why there are none.
        nonisolated(unsafe) static let functions: Result<macrolog_curl, LibraryError> = Result {
            () throws(LibraryError) in try load()
        }

        private static func load() throws(LibraryError) -> macrolog_curl {
            let library = try Library.open("libcurl.so.4", package: "libcurl4")
            var curl = macrolog_curl()
            curl.global_init = try library.function("curl_global_init")
            curl.easy_init = try library.function("curl_easy_init")
            curl.easy_cleanup = try library.function("curl_easy_cleanup")
            curl.easy_strerror = try library.function("curl_easy_strerror")
            curl.easy_setopt = try library.function("curl_easy_setopt")
            curl.slist_append = try library.function("curl_slist_append")
            curl.slist_free_all = try library.function("curl_slist_free_all")
            curl.multi_init = try library.function("curl_multi_init")
            curl.multi_cleanup = try library.function("curl_multi_cleanup")
            curl.multi_add_handle = try library.function("curl_multi_add_handle")
            curl.multi_remove_handle = try library.function("curl_multi_remove_handle")
            curl.multi_perform = try library.function("curl_multi_perform")
            curl.multi_info_read = try library.function("curl_multi_info_read")
            curl.multi_poll = try library.function("curl_multi_poll")
            curl.multi_wakeup = try library.function("curl_multi_wakeup")
            // libcurl counts these calls; one is enough for the process.
            _ = curl.global_init(Int(CURL_GLOBAL_DEFAULT))
            return curl
        }
    }

#endif
