#if canImport(Darwin)

    import Dispatch
    import Foundation
    package import MacrologHTTP
    import Synchronization

    /// Sends one request at a time to a server and returns its answer, over a connection that the
    /// system keeps for the next request.
    ///
    /// It follows no redirects, keeps no cookies and no cache, checks certificates against the
    /// system's trust store, and uses TLS 1.2 or later. Several threads may share it; their
    /// requests are serialized. ``send(_:to:limits:)`` blocks its thread: never call it from an
    /// actor.
    package final class HTTPTransport: Sendable {
        private let session: URLSession
        private let userAgent: String
        private let onlyPublic: Bool
        private let turn = Mutex(())
        private let current = Mutex(Current())

        /// The exchange in progress, and whether later ones are refused.
        private struct Current {
            var task: URLSessionTask?
            var isCancelled = false
        }

        /// - Parameters:
        ///   - userAgent: The value of the `User-Agent` field.
        ///   - certificates: Not used: on Apple's systems the keychain says what is trusted.
        ///   - onlyPublic: Refuses every request: these systems do not say which address they connect to.
        package init(
            userAgent: String = "macrolog", certificates: String? = nil, onlyPublic: Bool = false
        ) {
            self.onlyPublic = onlyPublic
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
        ///   - request: Its path is appended to the origin's prefix. The transport itself sets
        ///     `Host`, `Content-Length`, `Accept-Encoding`, `User-Agent` and similar fields.
        ///   - origin: The server.
        ///   - limits: The limits of the exchange. The system has no separate limit for connecting;
        ///     the stall limit covers it.
        /// - Returns: The answer with its body decompressed.
        /// - Throws: ``TransportError`` if there is no complete answer within the limits.
        package func send(
            _ request: HTTPRequest, to origin: Origin, limits: ExchangeLimits = ExchangeLimits()
        ) throws(TransportError) -> HTTPResponse {
            let outgoing = try Outgoing(request, to: origin)
            guard !onlyPublic else {
                throw TransportError(
                    code: .unreachable(detail: "this system cannot check its address"),
                    operation: outgoing.operation)
            }
            guard let url = URL(string: outgoing.url) else {
                throw TransportError(
                    code: .malformed(detail: "the path is not encoded"),
                    operation: outgoing.operation)
            }
            var message = URLRequest(url: url)
            message.httpMethod = request.method
            message.timeoutInterval = Double(limits.stallSeconds)
            message.httpBody = request.body.isEmpty ? nil : Data(request.body)
            for field in outgoing.fields {
                message.addValue(field.value, forHTTPHeaderField: field.name)
            }
            if let file = request.file {
                // Without a length the system would use chunked encoding.
                message.setValue("\(file.count)", forHTTPHeaderField: "Content-Length")
                message.httpBodyStream = Self.stream(file)
            }
            message.setValue(userAgent, forHTTPHeaderField: "User-Agent")

            return try turn.withLock { _ throws(TransportError) in
                switch exchange(message, request, limits) {
                case .success(let response): return response
                case .failure(let code):
                    throw TransportError(code: code, operation: outgoing.operation)
                }
            }
        }

        /// Cancels the exchange in progress, if any, and refuses all later ones: each throws
        /// ``TransportError`` with code `cancelled`. May be called from any thread.
        package func cancel() {
            let task = current.withLock { current in
                current.isCancelled = true
                return current.task
            }
            task?.cancel()
        }

        /// The file from an offset. A part must extend to the end of its file here, as all parts
        /// that are sent do.
        fileprivate static func stream(_ file: FilePart) -> InputStream? {
            let stream = InputStream(fileAtPath: file.path)
            stream?.setProperty(NSNumber(value: file.offset), forKey: .fileCurrentOffsetKey)
            return stream
        }

        private func exchange(
            _ message: URLRequest, _ request: HTTPRequest, _ limits: ExchangeLimits
        ) -> Result<HTTPResponse, TransportError.Code> {
            let task = session.dataTask(with: message)
            let collector = Collector(
                bodyBytesMax: limits.bodyBytesMax, file: request.file, receiver: request.receiver)
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

    extension TransportError.Code: Error {}

    /// Collects one answer.
    private final class Collector: NSObject, URLSessionDataDelegate, Sendable {
        /// Signalled once, when ``result`` is final.
        let done = DispatchSemaphore(value: 0)
        private let bodyBytesMax: Int
        private let file: FilePart?
        private let receiver: BodyReceiver?
        private let state = Mutex(State())

        private struct State {
            var body: [UInt8] = []
            var isTooLarge = false
            /// Whether the body goes to the receiver; `nil` before the first piece.
            var isReceived: Bool?
            var result: Result<HTTPResponse, TransportError.Code> = .failure(.cancelled)
        }

        init(bodyBytesMax: Int, file: FilePart?, receiver: BodyReceiver?) {
            self.bodyBytesMax = bodyBytesMax
            self.file = file
            self.receiver = receiver
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(file.flatMap { HTTPTransport.stream($0) })
        }

        var result: Result<HTTPResponse, TransportError.Code> { state.withLock { $0.result } }

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
            if let receiver, receives(dataTask, receiver) {
                let isTaken = data.regions.allSatisfy { region in
                    region.withUnsafeBytes { receiver.take($0) }
                }
                if !isTaken { dataTask.cancel() }
                return
            }
            let isTooLarge = state.withLock { state in
                state.isTooLarge = state.isTooLarge || data.count > bodyBytesMax - state.body.count
                if !state.isTooLarge { state.body.append(contentsOf: data) }
                return state.isTooLarge
            }
            if isTooLarge { dataTask.cancel() }
        }

        /// Whether the body is the expected one. The system calls this on one thread at a time.
        private func receives(_ task: URLSessionDataTask, _ receiver: BodyReceiver) -> Bool {
            if let known = state.withLock({ $0.isReceived }) { return known }
            guard let answer = task.response as? HTTPURLResponse else { return false }
            let isReceived = receiver.accepts(
                HTTPResponse(
                    status: answer.statusCode,
                    fields: answer.allHeaderFields.map { HTTPField("\($0)", "\($1)") }))
            state.withLock { $0.isReceived = isReceived }
            return isReceived
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
        ) {
            let answer = task.response as? HTTPURLResponse
            state.withLock { state in
                if state.isTooLarge {
                    state.result = .failure(.tooLarge)
                } else if let error {
                    state.result = .failure(TransportError.Code(error))
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

    extension TransportError.Code {
        /// Maps an error of the system.
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
