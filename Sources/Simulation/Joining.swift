import Events
import HTTP
import Log
import Projections
import Sync

/// New devices of people with a past, and hubs that tell them something else than the log.
extension World {
    /// One more device of a person signs in.
    func join(_ person: Int) throws {
        guard devices.count < 7 else { return }
        try addDevice(of: person)
        let index = devices.count - 1
        strike("joined late", "\(devices[index].name) signs in")
        begin(index)
    }

    /// Notes how far a device has come with a snapshot.
    func notice(_ device: SimulatedDevice, _ before: Preview?) {
        let after = device.store.log.preview
        if before?.stage ?? .announced < .usable, let after, after.stage >= .usable {
            strike("snapshot usable", "\(device.name) can be used at \(after.n)")
        }
        if let before, let after, before.stage == .usable, after.n > before.n {
            strike("snapshot renewed", "\(device.name) goes on with a newer snapshot")
        }
        if let before, let after, after.stage == .usable, after.partCount < before.partCount {
            strike("snapshot given up", "\(device.name) goes on without the rest of it")
        }
        if let before, let after, after.seen > before.seen {
            strike("snapshot followed", "\(device.name) sees up to \(after.seen)")
        }
    }

    /// The hub's answer, or a lie in its place.
    func told(_ response: HTTPResponse, to request: HTTPRequest) -> HTTPResponse {
        if let lie = lies[request.path] { return HTTPResponse.cbor(lie) }
        guard request.path == "/v1/snapshot", response.status == 200,
            dice.percent(faults.snapshotLies),
            let manifest = try? SnapshotManifest.decoded(response.body)
        else { return response }
        return HTTPResponse.cbor(lie(about: manifest, request).encoded())
    }

    private func lie(
        about manifest: SnapshotManifest, _ request: HTTPRequest
    ) -> SnapshotManifest {
        var manifest = manifest
        let kind = dice.roll(0...5)
        switch kind {
        case 0:
            manifest.n += 1
            strike("snapshot lies about its log", "the snapshot counts one event too many")
            return manifest
        case 1:
            manifest.digest = PrefixDigest(bytes: [UInt8](repeating: 1, count: 16)) ?? .empty
            strike("snapshot lies about its log", "the snapshot has another digest")
            return manifest
        default: break
        }
        let place = Int(dice.roll(0...Int64(manifest.parts.count - 1)))
        let token = String((request.field("authorization") ?? "").dropFirst(7))
        let original = hub.answer(
            SnapshotExchange.partRequest(manifest.parts[place].hash, accessToken: token), at: now)
        guard var part = try? SnapshotPart.decoded(original.body), !part.items.isEmpty else {
            return manifest
        }
        let item = Int(dice.roll(0...Int64(part.items.count - 1)))
        switch kind {
        case 2:
            part.items.remove(at: item)
            strike("snapshot lies about entities", "the snapshot withholds an entity")
        case 3:
            let other = part.items[Int(dice.roll(0...Int64(part.items.count - 1)))]
            part.items[item] = SnapshotPart.Item(
                entity: part.items[item].entity, state: other.state)
            strike("snapshot lies about entities", "the snapshot takes one entity for another")
        case 4:
            let invented = Identifier.v7(milliseconds: now, random: &dice)
            part.items.append(
                SnapshotPart.Item(
                    entity: EntityKey(part.items[item].entity.kind, invented),
                    state: part.items[item].state))
            strike("snapshot lies about entities", "the snapshot invents an entity")
        default:
            part.items[item] = SnapshotPart.Item(
                entity: part.items[item].entity, state: [0xFF])
            strike("snapshot lies about entities", "the snapshot holds what nobody can read")
        }
        let bytes = part.encoded()
        let hash = SHA256.hash(bytes)
        manifest.parts[place] = SnapshotManifest.Part(
            hash: hash, byteCount: Int64(bytes.count), entityCount: Int64(part.items.count))
        lies[SnapshotExchange.partRequest(hash, accessToken: "").path] = bytes
        return manifest
    }
}

extension HTTPResponse {
    fileprivate static func cbor(_ body: [UInt8]) -> HTTPResponse {
        HTTPResponse(
            status: 200, fields: [HTTPField("content-type", "application/cbor")], body: body)
    }
}
