import MacrologEvents
import MacrologWire
import MacrologTestSupport
import MacrologZstd

/// Bytes sent besides the facts themselves: an exchange with nothing new, and causality.
enum Wire {
    static func run(_ options: Options, _ folder: Folder, _ report: inout Report) throws {
        let digest = PrefixDigest(bytes: (0..<16).map { UInt8($0 * 13 + 5) }) ?? .empty
        let request = SyncRequest(
            device: Device.id(1), epoch: 7, cursor: 100_000, digest: digest, pushed: [])
        let answer = SyncAnswer(
            epoch: 7, head: 100_000, admitted: 35_000, now: 1_800_000_000_000, rows: [],
            digest: digest)
        let bytes = max(request.encoded().count, answer.encoded().count)
        report.add(
            "wire: idle sync, the larger body", "\(bytes) B", budget: "≤ 300 B",
            isMet: bytes <= 300)

        let pages = 20
        var encoder = ZstdEncoder(level: 3)
        var (with, without) = (0, 0)
        for page in 0..<pages {
            with += encoder.encode(self.page(page, isCausal: true)).count
            without += encoder.encode(self.page(page, isCausal: false)).count
        }
        let each = Double(with - without) / Double(pages * Limits.pageEventsMax)
        report.add(
            "wire: causality of an event, 20 devices", "\(Figures.decimal(each)) B",
            budget: "≤ 5 B", isMet: each <= 5)
    }

    /// A page of events by 20 devices; or the same events at the same times, as if one device had
    /// recorded each of them first and knowing nothing.
    private static func page(_ page: Int, isCausal: Bool) -> [UInt8] {
        var names = Dice(seed: 20)
        let devices = (0..<20).map {
            Identifier.v7(milliseconds: 1_700_000_000_000 + $0 * 86_400_000, random: &names)
        }
        var random = Dice(seed: UInt64(page))
        var seqs = (0..<20).map { Int64($0 * 200 + page * 25) }
        var bases = [Int64](repeating: Int64(page * 500), count: 20)
        var t: Int64 = 1_800_000_000_000 << 16
        let rows = (0..<Limits.pageEventsMax).map { index in
            let meal = SampleMeal(page * Limits.pageEventsMax + index)
            let device = Int(random.next() % 20)
            seqs[device] += 1
            let n = Int64(page * 500 + index)
            // Devices sync now and then, so vector clocks grow in steps.
            if random.next() % 4 == 0 { bases[device] = n }
            t += Int64(random.next() % 3_600_000) << 16
            let event = Event(
                dot: Dot(
                    device: devices[isCausal ? device : 0],
                    seq: isCausal ? seqs[device] : 1),
                base: isCausal ? Base(epoch: 7, n: bases[device]) : .none,
                wall: 1_800_000_000_000, type: "meal.added", changes: [meal.change])
            return SyncAnswer.Row(t: t, content: .event(event.encoded()))
        }
        return SyncAnswer(
            epoch: 7, head: 100_000, admitted: 0, now: 1_900_000_000_000, rows: rows,
            digest: .empty
        ).encoded()
    }
}
