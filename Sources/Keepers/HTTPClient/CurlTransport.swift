#if !canImport(Darwin)

    import CMacrologCurl
    package import MacrologHTTP
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
        /// Only `curl_multi_wakeup`, used by ``cancel()``, and calls under the mutex are
        /// thread-safe.
        nonisolated(unsafe) private let multi: UnsafeMutableRawPointer
        private let easy: Mutex<CurlHandle>
        private let isCancelled = Atomic(false)

        /// - Parameter userAgent: The value of the `User-Agent` field.
        package init(userAgent: String = "macrolog") {
            // libcurl does this once, however often and from wherever it is called.
            curl_global_init(Int(CURL_GLOBAL_DEFAULT))
            guard let multi = curl_multi_init(), let easy = curl_easy_init() else {
                preconditionFailure("libcurl has no memory")
            }
            self.multi = multi
            self.easy = Mutex(CurlHandle(easy, userAgent: userAgent))
        }

        deinit {
            easy.withLock { $0.close() }
            curl_multi_cleanup(multi)
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
            return try easy.withLock { easy throws(TransportError) in
                let list = easy.prepare(request, outgoing, origin, limits)
                defer { curl_slist_free_all(list) }
                if let file = request.file {
                    defer { easy.closeFile() }
                    guard easy.setBody(file, method: request.method) else {
                        throw TransportError(
                            code: .malformed(detail: "the file to be sent is gone"),
                            operation: outgoing.operation)
                    }
                    return try easy.finish(perform(easy.curl), outgoing.operation)
                }
                // The body must stay at its address until libcurl has finished with it.
                let code = request.body.withUnsafeBytes { body in
                    easy.setBody(body, method: request.method)
                    return perform(easy.curl)
                }
                return try easy.finish(code, outgoing.operation)
            }
        }

        /// Cancels the exchange in progress, if any, and refuses all later ones: each throws
        /// ``TransportError`` with code `cancelled`. May be called from any thread.
        package func cancel() {
            isCancelled.store(true, ordering: .releasing)
            curl_multi_wakeup(multi)
        }

        /// Runs one exchange to its end; `nil` if it was cancelled.
        private func perform(_ curl: UnsafeMutableRawPointer) -> CURLcode? {
            guard curl_multi_add_handle(multi, curl) == CURLM_OK else { return CURLE_FAILED_INIT }
            defer { curl_multi_remove_handle(multi, curl) }
            var running: Int32 = 1
            while !isCancelled.load(ordering: .acquiring) {
                guard curl_multi_perform(multi, &running) == CURLM_OK else {
                    return CURLE_FAILED_INIT
                }
                if running == 0 {
                    var left: Int32 = 0
                    return curl_multi_info_read(multi, &left)?.pointee.data.result
                        ?? CURLE_FAILED_INIT
                }
                // Waits for the network, for libcurl's own timers, or for `cancel`.
                curl_multi_poll(multi, nil, 0, 1_000, nil)
            }
            return nil
        }
    }

#endif
