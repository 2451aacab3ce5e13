#if !canImport(Darwin)

    import CMacrologCurl
    package import MacrologHTTP
    import MacrologSystem
    import Synchronization

    /// Sends one request at a time to a server and returns its answer, over a connection that it
    /// keeps for the next request.
    ///
    /// It follows no redirects, keeps no cookies, checks certificates against the system's trust
    /// store, uses TLS 1.2 or later, and never uses a proxy for this computer. Several threads may
    /// share it; their requests are serialized.
    ///
    /// libcurl writes the keys of its connections into the file that the environment variable
    /// `SSLKEYLOGFILE` names. Only a program may change the environment, before it starts threads:
    /// `macrolog` removes the variable, an app may do so.
    package final class HTTPTransport: Sendable {
        private let userAgent: String
        private let certificates: String?
        private let onlyPublic: Bool
        /// The connection, opened by the first request and used by one at a time.
        private let connection = Mutex<CurlConnection?>(nil)
        /// What wakes the exchange in progress.
        private let wake = Mutex<(@Sendable () -> Void)?>(nil)
        private let isCancelled = Atomic(false)

        /// - Parameters:
        ///   - userAgent: The value of the `User-Agent` field.
        ///   - certificates: A file of certificates, as PEM, that are trusted besides those of the
        ///     system.
        ///   - onlyPublic: Refuses addresses that only this computer or its network can reach, when a
        ///     connection is opened, whatever name led there. No proxy is used then.
        package init(
            userAgent: String = "macrolog", certificates: String? = nil, onlyPublic: Bool = false
        ) {
            self.userAgent = userAgent
            self.certificates = certificates
            self.onlyPublic = onlyPublic
        }

        /// Sends a request and waits for the answer, whatever its status.
        ///
        /// - Parameters:
        ///   - request: Its path is appended to the origin's prefix. The transport itself sets
        ///     `Host`, `Content-Length`, `Accept-Encoding`, `User-Agent` and similar fields.
        ///   - origin: The server.
        ///   - limits: The limits of the exchange.
        /// - Returns: The answer with its body decompressed.
        /// - Throws: ``TransportError`` if there is no complete answer within the limits.
        package func send(
            _ request: HTTPRequest, to origin: Origin, limits: ExchangeLimits = ExchangeLimits()
        ) throws(TransportError) -> HTTPResponse {
            let outgoing = try Outgoing(request, to: origin)
            return try connection.withLock { connection throws(TransportError) in
                if connection == nil { connection = try connect(outgoing.operation) }
                guard let connection else { preconditionFailure("just connected") }
                return try connection.exchange(request, outgoing, origin, limits) {
                    isCancelled.load(ordering: .acquiring)
                }
            }
        }

        private func connect(_ operation: String) throws(TransportError) -> CurlConnection {
            do throws(LibraryError) {
                let connection = CurlConnection(
                    try CurlLibrary.functions.get(), userAgent: userAgent,
                    certificates: certificates, onlyPublic: onlyPublic)
                wake.withLock { $0 = { connection.wake() } }
                return connection
            } catch {
                throw TransportError(
                    code: .noLibrary(detail: error.explanation, hint: error.hint),
                    operation: operation)
            }
        }

        /// Cancels the exchange in progress, if any, and refuses all later ones: each throws
        /// ``TransportError`` with code `cancelled`. May be called from any thread.
        package func cancel() {
            isCancelled.store(true, ordering: .releasing)
            wake.withLock { $0 }?()
        }
    }

    /// libcurl's handles for one exchange after the other.
    private final class CurlConnection: Sendable {
        private nonisolated(unsafe) let library: macrolog_curl
        private nonisolated(unsafe) let multi: UnsafeMutableRawPointer
        private nonisolated(unsafe) let easy: CurlHandle

        init(
            _ library: macrolog_curl, userAgent: String, certificates: String?, onlyPublic: Bool
        ) {
            guard let multi = library.multi_init(), let easy = library.easy_init() else {
                preconditionFailure("libcurl has no memory")
            }
            self.library = library
            self.multi = multi
            self.easy = CurlHandle(
                library, easy, userAgent: userAgent, certificates: certificates,
                onlyPublic: onlyPublic)
        }

        deinit {
            easy.close()
            _ = library.multi_cleanup(multi)
        }

        /// Ends a wait. The only method that another thread may call meanwhile.
        func wake() { _ = library.multi_wakeup(multi) }

        func exchange(
            _ request: HTTPRequest, _ outgoing: Outgoing, _ origin: Origin,
            _ limits: ExchangeLimits, isCancelled: () -> Bool
        ) throws(TransportError) -> HTTPResponse {
            let list = easy.prepare(request, outgoing, origin, limits)
            defer { library.slist_free_all(list) }
            if let file = request.file {
                defer { easy.closeFile() }
                guard easy.setBody(file, method: request.method) else {
                    throw TransportError(
                        code: .malformed(detail: "the file to be sent is gone"),
                        operation: outgoing.operation)
                }
                return try easy.finish(perform(isCancelled), outgoing.operation)
            }
            // The body must stay at its address until libcurl has finished with it.
            let code = request.body.withUnsafeBytes { body in
                easy.setBody(body, method: request.method)
                return perform(isCancelled)
            }
            return try easy.finish(code, outgoing.operation)
        }

        /// Runs one exchange to its end; `nil` if it was cancelled.
        private func perform(_ isCancelled: () -> Bool) -> CURLcode? {
            guard library.multi_add_handle(multi, easy.curl) == CURLM_OK else {
                return CURLE_FAILED_INIT
            }
            defer { _ = library.multi_remove_handle(multi, easy.curl) }
            var running: Int32 = 1
            while !isCancelled() {
                guard library.multi_perform(multi, &running) == CURLM_OK else {
                    return CURLE_FAILED_INIT
                }
                if running == 0 {
                    var left: Int32 = 0
                    return library.multi_info_read(multi, &left)?.pointee.data.result
                        ?? CURLE_FAILED_INIT
                }
                // Waits for the network, for libcurl's own timers, or for ``wake()``.
                _ = library.multi_poll(multi, nil, 0, 1_000, nil)
            }
            return nil
        }
    }

#endif
