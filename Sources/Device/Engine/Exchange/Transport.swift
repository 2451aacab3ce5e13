package import MacrologHTTP

/// Sends a request to the server and returns the answer. Programs use libcurl or URLSession; tests
/// use a simulated network.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status. The server may wait
    /// this many seconds before it begins to answer, in addition to the usual time.
    func send(
        _ request: HTTPRequest, heldSeconds: Int64
    ) throws(TransportError) -> HTTPResponse

    /// Cancels the exchange in progress and refuses later ones. May be called from any thread.
    func cancel()
}

extension Transport {
    /// Sends a request that the server answers at once.
    package func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse {
        try send(request, heldSeconds: 0)
    }
}
