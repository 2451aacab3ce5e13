package import HTTP

/// Carries a request to the server and brings the answer back. libcurl and URLSession do in
/// programs; a simulated network does in tests.
package protocol Transport: Sendable {
    /// Sends a request and waits for the whole answer, whatever its status.
    func send(_ request: HTTPRequest) throws(TransportError) -> HTTPResponse

    /// Gives up the exchange in progress and refuses later ones. May be called from any thread.
    func cancel()
}
