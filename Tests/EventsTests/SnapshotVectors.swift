import Events

/// The messages of snapshots as golden vectors.
enum SnapshotVectors {
    private static let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty
    private static let meal = EntityKey(
        "meal", Identifier(high: 0x0190_163D_8694_739B, low: 0xAEA5_0000_0000_0000))

    static var manifests: [(name: String, manifest: SnapshotManifest)] {
        [
            (
                "a snapshot in two parts",
                SnapshotManifest(
                    epoch: 70_000, n: 36_500, digest: digest,
                    parts: [
                        .init(hash: SHA256.hash([1]), byteCount: 524_288, entityCount: 1_200),
                        .init(hash: SHA256.hash([2]), byteCount: 17, entityCount: 1),
                    ])
            )
        ]
    }

    static var parts: [(name: String, part: SnapshotPart)] {
        var elsewhere = IdentifierFilter(capacity: 3)
        for number in 1...3 { elsewhere.insert(Identifier(high: UInt64(number), low: 7)) }
        return [
            (
                "a first part: a filter of three ids, and an entity with two concurrent writes",
                SnapshotPart(
                    elsewhere: elsewhere,
                    items: [SnapshotPart.Item(entity: meal, state: state.encoded())])
            ),
            (
                "a part of the past",
                SnapshotPart(elsewhere: IdentifierFilter(capacity: 0), items: [])
            ),
        ]
    }

    private static var state: EntityState {
        var state = EntityState()
        for (device, number) in [(UInt64(1), Int64(4)), (2, 5)] {
            let stamp = Stamp(
                dot: Dot(device: Identifier(high: 0, low: device), seq: 1),
                base: Base(epoch: 70_000, n: 3),
                seal: Seal(n: number, t: 1_790_000_000_000 << 16 | number))
            let change = Change(meal, [.set(["name": .text("Oats"), "weight_g": .int(number)])])
            state.fold(change, stamp: stamp)
        }
        return state
    }
}

extension JSON {
    init(_ manifest: SnapshotManifest) {
        self = .object([
            ("epoch", JSON(Int64(manifest.epoch))), ("n", JSON(manifest.n)),
            ("digest", JSON(hex: manifest.digest.bytes)),
            (
                "parts",
                .array(
                    manifest.parts.map {
                        .array([JSON(hex: $0.hash), JSON($0.byteCount), JSON($0.entityCount)])
                    })
            ),
        ])
    }

    init(_ part: SnapshotPart) {
        self = .object([
            ("elsewhere", JSON(hex: part.elsewhere.bytes)),
            (
                "items",
                .array(
                    part.items.map {
                        .array([
                            .string($0.entity.kind.string), JSON(hex: $0.entity.id.bytes),
                            JSON(hex: $0.state),
                        ])
                    })
            ),
        ])
    }
}
