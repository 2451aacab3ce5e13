import MacrologEvents
import MacrologHTTP
package import MacrologReadModels
package import MacrologEngine

/// Carries photos to the server and from it. What has to be carried follows from the log: a photo
/// that a meal names, that lies here, and that the server has not said it has.
package struct PhotoQueue: Sendable {
    /// How long, in milliseconds, the server's word holds that it has a photo. Shorter than the time
    /// after which it may delete one that was taken away, and named again.
    package static let believed: Int64 = 1_728_000_000

    let folder: BlobFolder
    let transport: any Transport

    /// A queue over a folder and a network.
    package init(folder: BlobFolder, transport: any Transport) {
        self.folder = folder
        self.transport = transport
    }

    /// The photos to be offered to the server, in the order of their names.
    package func waiting(in store: inout Store, now: Int64) throws -> [[UInt8]] {
        try store.forgetUnnamedPhotos()
        return try store.photosToOffer(now: now, believed: Self.believed).filter {
            folder.bytes(of: $0) != nil
        }
    }

    /// Sends a photo from the byte on up to which the server has it, and returns when it has all.
    ///
    /// - Throws: ``SyncError``; what has arrived at the server stays there.
    package func send(_ name: [UInt8], accessToken: String) throws(SyncError) {
        guard let bytes = folder.bytes(of: name) else { return }
        var held = try BlobExchange.held(
            name, answer(BlobExchange.ask(name, accessToken: accessToken)))
        // Another device may be sending the same photo: each try begins where both have come to.
        for _ in 0..<4 {
            let first: Int64
            switch held {
            case .whole: return
            case .bytes(let count): first = count < bytes ? count : 0
            case .spoiled:
                // What lies here may be what is spoiled.
                guard (try? folder.read(name)) != nil else {
                    throw SyncError(.storage(detail: "a photo was damaged on this device's disk"))
                }
                first = 0
            }
            held = try BlobExchange.held(
                name,
                answer(
                    BlobExchange.upload(
                        name, file: folder.path(of: name), from: first, of: bytes,
                        accessToken: accessToken)))
        }
        guard held == .whole else {
            throw SyncError(.malformed(detail: "it does not take a photo that it has not"))
        }
    }

    /// Fetches a photo, from the byte on up to which it has arrived before.
    ///
    /// - Returns: Whether it is here now; `false` when the server has it not.
    /// - Throws: ``SyncError``; what has arrived stays here.
    package func fetch(_ name: [UInt8], accessToken: String) throws(SyncError) -> Bool {
        // Where what had arrived before is of no use, once more from the beginning.
        for _ in 0..<2 {
            guard try fetch(name, from: folder.partialBytes(of: name), accessToken) else {
                return false
            }
            do {
                if try folder.finish(name) { return true }
            } catch {
                throw SyncError(.storage(detail: "\(error)"))
            }
        }
        throw SyncError(.malformed(detail: "a photo is not what its name says"))
    }

    private func fetch(
        _ name: [UInt8], from first: Int64, _ accessToken: String
    ) throws(SyncError) -> Bool {
        let partial: BlobFolder.Partial
        do { partial = try BlobFolder.Partial(of: name, keeping: first, in: folder) } catch {
            throw SyncError(.storage(detail: "\(error)"))
        }
        let request = BlobExchange.fetch(
            name, from: first, accessToken: accessToken, begin: { partial.cut(to: $0) },
            take: { partial.append($0) })
        let result = answer(request)
        do { try partial.close() } catch { throw SyncError(.storage(detail: "\(error)")) }
        return try BlobExchange.fetched(name, result)
    }

    private func answer(_ request: HTTPRequest) -> Result<HTTPResponse, TransportError> {
        Account.send(request, transport)
    }
}
