import Dispatch
import MacrologHTTP
import MacrologHTTPServer
import Testing

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Goal: a request that has arrived is read, however many arrive at the same moment.
/// Method: a thread of the server is held while requests arrive on its connections, so that it finds them all at once.
@Suite struct ManyAtOnceTests {
    /// libmicrohttpd 0.9.75 takes 128 events at a time. If there were exactly as many, it waits for another one
    /// before it looks at them.
    ///
    /// One number of connections after the other, so that few files are open at once.
    @Test(.serialized, arguments: [127, 128, 129, 256])
    func `requests that one thread finds at once are all read`(count: Int) throws {
        let (isHeld, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let server = try start {
            $0.connectionsPerAddressMax = 2_000
        } handler: { request, reply in
            if request.path == "/hold" {
                isHeld.signal()
                mayGoOn.wait()
            }
            reply.send(HTTPResponse(status: 200, body: Array("thread \(pthread_self())!".utf8)))
        }
        func ask(_ path: String, _ socket: Socket) {
            socket.send("GET \(path) HTTP/1.1\r\nHost: x\r\n\r\n")
        }
        var sockets: [String: [Socket]] = [:]
        var ofThread: [Socket] = []
        while ofThread.count <= count {
            let socket = Socket(port: server.port)
            ask("/", socket)
            let answer = socket.read(until: "!")
            let thread = try #require(answer.split(separator: "\r\n").last)
            sockets["\(thread)", default: []].append(socket)
            ofThread = sockets["\(thread)"] ?? []
        }
        let holder = ofThread.removeLast()
        ask("/hold", holder)
        isHeld.wait()
        for socket in ofThread { ask("/", socket) }
        mayGoOn.signal()
        #expect(status(holder.read(until: "!")) == 200)
        let answered = ofThread.count { status($0.read(until: "!")) == 200 }
        #expect(answered == count)
        server.stop()
    }
}
