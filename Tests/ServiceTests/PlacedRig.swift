import MacrologEvents
import MacrologPostgreSQL
import MacrologService
import MacrologSystem
import MacrologTestSupport
import Testing

/// A service on the stores a, which has the directory, and b.
final class PlacedRig: Sendable {
    let nodes: [TestServer]
    let clock = ManualClock()
    /// Between the nodes and b.
    let proxy: FaultProxy
    private let addresses: [String: PostgreSQLAddress]

    /// - Parameters:
    ///   - newIn: The store for new accounts, at each node.
    ///   - hasThreads: Whether stores do anything but what they are asked for.
    init(newIn: [String] = ["a", "a"], hasThreads: Bool = true) throws {
        let server = try ScratchDatabases.shared.get().server
        var (addresses, databases): ([String: PostgreSQLAddress], [String: String]) = ([:], [:])
        for name in ["a", "b"] {
            let database = try server.newDatabase()
            databases[name] = database
            // Joining waits for no server to be connected, and one that was closed may be for a moment.
            addresses[name] = try PostgreSQLAddress(
                server.address(of: database) + "&application_name=test")
        }
        self.addresses = addresses
        proxy = FaultProxy(to: .socket(server.socket), content: .postgreSQL)
        let b = try PostgreSQLAddress(
            "postgresql://postgres@127.0.0.1:\(proxy.port)/\(databases["b"] ?? "")?sslmode=disable"
        )
        let (files, clock) = (ScratchFolder(), clock)
        func open(_ name: String, _ address: PostgreSQLAddress, _ node: String) throws
            -> (name: String, store: PostgreSQLServerStore)
        {
            let store = try PostgreSQLServerStore.open(
                address, beside: files.file("server.db"), node: node,
                secrets: TestServer.secrets, newEpoch: name == "a" ? 7 : 8, connections: 8,
                hasThreads: hasThreads, fatal: { fatalError($0) })
            return (name, store)
        }
        for (name, address) in addresses { try open(name, address, "first").store.close() }
        _ = try JoinedStores(addresses.sorted { $0.key < $1.key }.map { ($0.key, $0.value) })
            .join()
        nodes = try newIn.enumerated().map { number, newIn in
            let stores = [
                try open("b", b, "\(number)"),
                try open("a", try #require(addresses["a"]), "\(number)"),
            ]
            let store = try PlacedStore(stores, newIn: newIn, hasThreads: hasThreads && number == 0)
            return try TestServer(folder: files, clock: clock, store: store) {
                $0.rates = .none
            }
        }
    }

    func placed(_ node: Int) throws -> PlacedStore {
        try #require(nodes[node].store as? PlacedStore)
    }

    @discardableResult
    func move(_ space: Space, to store: String) throws -> AccountMove.Outcome {
        try AccountMove(space, among: addresses, directory: "a", keys: []).run(to: store)
    }

    func open(_ store: String) throws -> PostgreSQLConnection {
        try PostgreSQLConnection.open(try #require(addresses[store]))
    }

    /// The number that a query finds in a store.
    func count(_ query: StaticString, in store: String) throws -> Int64 {
        var db = try open(store)
        return try db.first(query) { $0.int(0) } ?? 0
    }

    /// Has the nodes lose b, or find it again, and returns when they have noticed.
    func setDown(_ isDown: Bool) throws {
        proxy.refuse(isDown)
        if isDown { proxy.cutAll() }
        let isSeen = try eventually {
            for node in nodes.indices { try placed(node).look() }
            return try placed(1).answering.map(\.isUp) == [true, !isDown]
        }
        #expect(isSeen)
    }
}
