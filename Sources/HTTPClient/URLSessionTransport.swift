#if canImport(Darwin)

    import Dispatch
    import Foundation
    package import HTTP
    import Synchronization

    /// Carries one request at a time to a server and brings its answer back, over a connection
    /// that the system keeps for the next request.
    ///
    /// It follows no redirects, keeps no cookies and no cache, checks certificates against the
    /// system's trust store, and speaks TLS 1.2 or later. Several threads may share it; they take
    /// turns. ``send(_:to:limits:)`` blocks its thread: never call it from an actor.
    package final class HTTPTransport: Sendable {
        private let session: URLSession
        private let userAgent: String
        private let turn = Mutex(())
        private let current = Mutex(Current())

        /// The exchange in progress, and whether there will be another.
        private struct Current {
            var task: URLSessionTask?
            var isCancelled = false
        }

        /// - Parameter userAgent: What the server is told about this program.
        package init(userAgent: String = "macrolog") {
            let settings = URLSessionConfiguration.ephemeral
            settings.tlsMinimumSupportedProtocolVersion = .TLSv12
            settings.httpCookieStorage = nil
            settings.httpShouldSetCookies = false
            settings.urlCache = nil
            settings.urlCredentialStorage = nil
            settings.requestCachePolicy = .reloadIgnoringLocalCacheData
            settings.waitsForConnectivity = false
            session = URLSession(configuration: settings)
            self.userAgent = userAgent
        }

        deinit {
            session.invalidateAndCancel()
        }

        /// Sends a request and waits for the answer, whatever its status.
        ///
        /// - Parameters:
        ///   - request: Its path goes behind the origin's prefix. `Host`, `Content-Length`,
        ///     `Accept-Encoding`, `User-Agent` and the like are the transport's own.
        ///   - origin: The server.
        ///   - limits: What the exchange may cost. The system has no limit of its own for
        ///     connecting; the stall limit covers it.
        /// - Returns: The answer with its body decompressed.
        /// - Throws: ``TransportError`` where there is no whole answer within the limits.
        package func send(
            _ request: HTTPRequest, to origin: Origin, limits: ExchangeLimits = ExchangeLimits()
        ) throws(TransportError) -> HTTPResponse {
            let outgoing = try Outgoing(request, to: origin)
            guard let url = URL(string: outgoing.url) else {
                throw TransportError(
                    reason: .malformed(detail: "the path is not encoded"),
                    operation: outgoing.operation)
            }
            var message = URLRequest(url: url)
            message.httpMethod = request.method
            message.timeoutInterval = Double(limits.stallSeconds)
            message.httpBody = request.body.isEmpty ? nil : Data(request.body)
            for field in outgoing.fields {
                message.addValue(field.value, forHTTPHeaderField: field.name)
            }
            message.setValue(userAgent, forHTTPHeaderField: "User-Agent")

            return try turn.withLock { _ throws(TransportError) in
                switch exchange(message, limits) {
                case .success(let response): return response
                case .failure(let reason):
                    throw TransportError(reason: reason, operation: outgoing.operation)
                }
            }
        }

        /// Ends the exchange in progress, if there is one, and refuses all later ones: each throws
        /// ``TransportError`` with reason `cancelled`. May be called from any thread.
        package func cancel() {
            let task = current.withLock { current in
                current.isCancelled = true
                return current.task
            }
            task?.cancel()
        }

        private func exchange(
            _ message: URLRequest, _ limits: ExchangeLimits
        ) -> Result<HTTPResponse, TransportError.Reason> {
            let task = session.dataTask(with: message)
            let collector = Collector(bodyBytesMax: limits.bodyBytesMax)
            task.delegate = collector
            let isCancelled = current.withLock { current in
                current.task = task
                return current.isCancelled
            }
            defer { current.withLock { $0.task = nil } }
            guard !isCancelled else { return .failure(.cancelled) }

            task.resume()
            let deadline = DispatchTime.now() + .milliseconds(limits.exchangeMilliseconds)
            if collector.done.wait(timeout: deadline) == .timedOut {
                task.cancel()
                collector.done.wait()
                if !current.withLock({ $0.isCancelled }) { return .failure(.timedOut) }
            }
            return collector.result
        }
    }

    extension TransportError.Reason: Error {}

    /// Gathers one answer.
    private final class Collector: NSObject, URLSessionDataDelegate, Sendable {
        /// Signalled once, when ``result`` is final.
        let done = DispatchSemaphore(value: 0)
        private let bodyBytesMax: Int
        private let state = Mutex(State())

        private struct State {
            var body: [UInt8] = []
            var isTooLarge = false
            var result: Result<HTTPResponse, TransportError.Reason> = .failure(.cancelled)
        }

        init(bodyBytesMax: Int) {
            self.bodyBytesMax = bodyBytesMax
        }

        var result: Result<HTTPResponse, TransportError.Reason> { state.withLock { $0.result } }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            completionHandler(nil)
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
        ) {
            let isTooLarge = state.withLock { state in
                state.isTooLarge = state.isTooLarge || data.count > bodyBytesMax - state.body.count
                if !state.isTooLarge { state.body.append(contentsOf: data) }
                return state.isTooLarge
            }
            if isTooLarge { dataTask.cancel() }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            let answer = task.response as? HTTPURLResponse
            state.withLock { state in
                if state.isTooLarge {
                    state.result = .failure(.tooLarge)
                } else if let error {
                    state.result = .failure(TransportError.Reason(error))
                } else if let answer {
                    let fields = answer.allHeaderFields.map { HTTPField("\($0)", "\($1)") }
                    state.result = .success(
                        HTTPResponse(
                            status: answer.statusCode, fields: withoutTransfer(fields),
                            body: state.body))
                } else {
                    state.result = .failure(.malformed(detail: "an answer without a status"))
                }
            }
            done.signal()
        }
    }

    extension TransportError.Reason {
        /// What an error of the system's means here.
        fileprivate init(_ error: any Error) {
            let detail = error.localizedDescription
            guard let error = error as? URLError else {
                self = .unreachable(detail: detail)
                return
            }
            self =
                switch error.code {
                case .cancelled: .cancelled
                case .timedOut: .timedOut
                case .secureConnectionFailed, .serverCertificateHasBadDate,
                    .serverCertificateUntrusted, .serverCertificateHasUnknownRoot,
                    .serverCertificateNotYetValid, .clientCertificateRejected,
                    .clientCertificateRequired, .appTransportSecurityRequiresSecureConnection:
                    .tls(detail: detail)
                case .badURL, .unsupportedURL, .badServerResponse, .cannotDecodeRawData,
                    .cannotDecodeContentData, .cannotParseResponse:
                    .malformed(detail: detail)
                default: .unreachable(detail: detail)
                }
        }
    }

#endif
