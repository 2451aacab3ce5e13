import MacrologEvents
import MacrologHTTP
package import MacrologReadModels

/// Uploads and downloads photos. The log determines which: a photo is uploaded when an entry names
/// it, it is on this device, and the server has not confirmed that it has it.
package struct PhotoQueue: Sendable {
    /// How long, in milliseconds, the server's confirmation of a photo is believed. Shorter than
    /// the time after which the server may delete a photo that was removed and named again.
    package static let believed: Int64 = 1_728_000_000

    let folder: BlobFolder
    let transport: any Transport

    /// A queue for a folder and a network.
    package init(folder: BlobFolder, transport: any Transport) {
        self.folder = folder
        self.transport = transport
    }

    /// The photos to offer to the server, in the order of their names.
    package func waiting(in store: inout Store, now: Int64) throws -> [[UInt8]] {
        try store.forgetUnnamedBlobs()
        return try store.blobsToOffer(now: now, believed: Self.believed).filter {
            folder.bytes(of: $0) != nil
        }
    }

    /// Uploads a photo from the byte up to which the server has it, and returns when the server has
    /// all.
    ///
    /// - Throws: ``SyncError``; the server keeps what has arrived.
    package func send(_ name: [UInt8], accessToken: String) throws(SyncError) {
        guard let bytes = folder.bytes(of: name) else { return }
        var held = try BlobExchange.held(
            name, answer(BlobExchange.ask(name, accessToken: accessToken)))
        // Another device may be uploading the same photo: each attempt continues where both have
        // come to.
        for _ in 0..<4 {
            let first: Int64
            switch held {
            case .whole: return
            case .bytes(let count): first = count < bytes ? count : 0
            case .spoiled:
                // The file on this device may be the damaged one.
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

    /// Downloads a photo, from the byte up to which it has arrived before.
    ///
    /// - Returns: Whether it is here now; `false` when the server does not have it.
    /// - Throws: ``SyncError``; what has arrived is kept.
    package func fetch(_ name: [UInt8], accessToken: String) throws(SyncError) -> Bool {
        // If the partial download is of no use, starts once more from the beginning.
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
        // The transport only knows that its answer was refused.
        do { try partial.close() } catch { throw SyncError(.storage(detail: "\(error)")) }
        guard !partial.isTooLarge else {
            folder.removePartial(of: name)
            throw SyncError(.malformed(detail: "a photo is larger than a photo can be"))
        }
        return try BlobExchange.fetched(name, result)
    }

    private func answer(_ request: HTTPRequest) -> Result<HTTPResponse, TransportError> {
        Account.send(request, transport)
    }
}
