package import MacrologHTTP

/// Carries a request to the server and brings the answer back. libcurl and URLSession do in
/// programs; a simulated network does in tests.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status. The server may take so
    /// many seconds before it begins to answer, in addition to what is usual.
    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse

    /// Gives up the exchange in progress and refuses later ones. May be called from any thread.
    func cancel()
}

extension Transport {
    /// Sends a request that the server answers at once.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        try send(request, heldSeconds: 0)
    }
}
