import MacrologEvents
import MacrologWire

/// The messages of `POST /v1/heal` as golden vectors.
enum RecoverVectors {
    private static let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty

    static var requests: [(name: String, request: HealRequest)] {
        let t: Int64 = 1_790_000_000_000 << 16
        return [
            (
                "two events given back",
                HealRequest(
                    after: 36_500,
                    rows: [
                        .init(t: t + 5, body: VectorExamples.events[0].event.encoded()),
                        .init(t: t + 2, body: VectorExamples.events[1].event.encoded()),
                    ], digest: digest)
            ),
            (
                "a skeleton given back",
                HealRequest(
                    after: 0, rows: [.init(t: t + 5, body: VectorExamples.skeleton)],
                    digest: digest)
            ),
        ]
    }

    static var answers: [(name: String, answer: HealAnswer)] {
        [
            (
                "a log that has them",
                HealAnswer(epoch: 70_000, head: LogNumber(36_502), digest: digest)
            )
        ]
    }
}

/// The messages of `POST /v1/digest` as golden vectors.
enum DigestVectors {
    static var requests: [(name: String, request: DigestRequest)] {
        [
            (
                "a whole log in sixteen parts",
                DigestRequest(
                    ranges: [.init(after: 0, through: 100_000, parts: 16)])
            ),
            (
                "two ranges, one of them event by event",
                DigestRequest(
                    ranges: [
                        .init(after: 6_250, through: 6_641, parts: 16),
                        .init(after: 6_641, through: 6_666, parts: 25),
                    ])
            ),
        ]
    }

    static var answers: [(name: String, answer: DigestAnswer)] {
        let digest = PrefixDigest(bytes: (1...16).map { UInt8($0) }) ?? .empty
        return [
            (
                "two parts",
                DigestAnswer(epoch: 70_000, head: LogNumber(100_017), digests: [digest, .empty])
            )
        ]
    }
}

extension JSON {
    init(_ request: DigestRequest) {
        self = .object([
            ("version", JSON(request.version)),
            (
                "ranges",
                .array(
                    request.ranges.map {
                        .array([JSON($0.after), JSON($0.through), JSON(Int64($0.parts))])
                    })
            ),
            ("ends", .array(request.ranges.map { .array($0.ends.map { JSON($0) }) })),
        ])
    }

    init(_ answer: DigestAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))), ("head", JSON(answer.head)),
            ("digests", .array(answer.digests.map { JSON(hex: $0.bytes) })),
        ])
    }

    init(_ request: HealRequest) {
        self = .object([
            ("version", JSON(request.version)),
            ("after", JSON(request.after)),
            ("rows", .array(request.rows.map { .array([JSON($0.t), JSON(hex: $0.body)]) })),
            ("digest", JSON(hex: request.digest.bytes)),
        ])
    }

    init(_ answer: HealAnswer) {
        self = .object([
            ("epoch", JSON(Int64(answer.epoch))), ("head", JSON(answer.head)),
            ("digest", JSON(hex: answer.digest.bytes)),
        ])
    }
}
