/// One page of a list that is sorted by day, time and id: what comes after the last entry of the page before,
/// whatever was added or deleted meanwhile.
import MacrologDiary
import MacrologEvents
import MacrologHTTP
import MacrologJSON
import MacrologLog
import MacrologNutrition
import MacrologWire

/// The place of an entry in a list.
struct PageKey: Comparable, Sendable {
    let day: Int64
    /// Those of which only the day is known come first.
    let time: Int64
    let id: Identifier

    init(_ day: Day, _ time: Int64?, _ id: Identifier) {
        self.day = day.number
        self.time = time ?? .min
        self.id = id
    }

    /// As it is written in a cursor.
    var text: String { "\(day &- Self.first)_\(time == .min ? 0 : time &+ Self.shift)_\(id)" }

    /// What makes days and times positive.
    private static let first = Day.earliest.number
    private static let shift: Int64 = 2_300_000_000_000

    /// Reads ``text``; `nil` for anything else.
    init?(_ text: String) {
        let parts = text.split(separator: "_")
        guard parts.count == 3, let day = Int64(parts[0]), let time = Int64(parts[1]),
            (0...1_000_000).contains(day), (0...99_999_999_999_999).contains(time),
            let id = Identifier(String(parts[2]))
        else { return nil }
        self.day = day + Self.first
        self.time = time == 0 ? .min : time - Self.shift
        self.id = id
    }

    static func < (left: PageKey, right: PageKey) -> Bool {
        (left.day, left.time, left.id) < (right.day, right.time, right.id)
    }
}

struct Page<Element> {
    private let elements: ArraySlice<Element>
    /// The cursor that continues after an element, which has an index in the whole list.
    private let key: (Int, Element) -> PageKey
    /// Whether others come after ``elements``.
    private let hasMore: Bool
    private let call: APICall

    /// After how many bytes a page ends, whatever its limit.
    private let bytesMax = 1 << 20

    /// - Parameter key: The place of an element.
    init(
        _ call: APICall, of all: [Element], key: @escaping (Element) -> PageKey
    ) throws(APIProblem) {
        let sorted = all.sorted { key($0) < key($1) }
        try self.init(call, of: sorted) {
            key($1)
        } rest: { last in
            sorted.drop { key($0) <= last }
        }
    }

    private init(
        _ call: APICall, of all: [Element], key: @escaping (Int, Element) -> PageKey,
        rest: (PageKey) -> ArraySlice<Element>
    ) throws(APIProblem) {
        self.call = call
        self.key = key
        var left = all[...]
        if let text = call.text("cursor") {
            guard let cut = text.lastIndex(of: "_"), let last = PageKey(String(text[..<cut])),
                text[text.index(after: cut)...] == call.listTag
            else {
                throw .parameter("cursor", "cursor must come from the Link of the page before.")
            }
            left = rest(last)
        }
        let count = Int(call.integer("limit") ?? 50)
        elements = left.prefix(count)
        hasMore = left.count > count
    }

    /// - Parameter content: The list as another content than ``APIAnswer/entity(_:)``.
    func answer(
        as content: ((JSON) -> APIAnswer.Content)? = nil, _ json: (Element) throws -> JSON
    ) rethrows -> APIAnswer {
        var (shown, bytes): ([JSON], Int) = ([], 0)
        for element in elements where bytes < bytesMax {
            shown.append(try json(element))
            bytes += shown.last?.weight ?? 0
        }
        var answer = APIAnswer.entity(.array(shown))
        if let content { answer.content = content(.array(shown)) }
        if hasMore || shown.count < elements.count,
            let last = elements.indices.prefix(shown.count).last
        {
            let next = key(last, elements[last])
            let others = call.request.query.split(separator: "&").filter {
                !$0.hasPrefix("cursor=")
            }
            let query = (others.map(String.init) + ["cursor=\(next.text)_\(call.listTag)"])
                .joined(separator: "&")
            answer.fields.append(
                HTTPField("link", "<\(call.request.path)?\(query)>; rel=\"next\""))
        }
        return answer
    }
}

extension APICall {
    /// Eight digits that name the list and what chooses its entries, whatever the page: the end of its cursors.
    fileprivate var listTag: String {
        let chosen = parameters.filter { $0.key != "cursor" && $0.key != "limit" }
            .map { "\($0.key)=\($0.value.text)" }.sorted()
        let name = ([route.name] + chosen).joined(separator: "&")
        return hexadecimal(Array(SHA256.hash(Array(name.utf8)).prefix(4)))
    }
}

extension Page where Element: Entity {
    /// A page of a list that has an order of its own, such as best first. It continues after the last entry of
    /// the page before, or, if that is gone, where it was.
    init(_ call: APICall, ranked all: [Element]) throws(APIProblem) {
        try self.init(call, of: all) {
            PageKey(.earliest, Int64($0), $1.id)
        } rest: { last in
            let place = all.firstIndex { $0.id == last.id }.map { $0 + 1 }
            return all.dropFirst(place ?? Int(max(0, last.time)))
        }
    }
}

extension Page where Element == LogEntry {
    /// A page of events in the order of the log. It continues after the last event of the page before.
    init(_ call: APICall, events all: [LogEntry]) throws(APIProblem) {
        try self.init(call, of: all) {
            PageKey(.earliest, $1.event.dot.seq.rawValue, $1.event.dot.device)
        } rest: { last in
            let place = all.firstIndex { entry in
                entry.event.dot.device == last.id && entry.event.dot.seq.rawValue == last.time
            }
            return all.dropFirst(place.map { $0 + 1 } ?? all.count)
        }
    }
}

extension Diary {
    /// The days of `from` and `to`: by default the thirty days up to today.
    ///
    /// - Parameter latest: Up to which day it is by default, where that is not today.
    func span(of call: APICall, upTo latest: Day? = nil) throws -> ClosedRange<Day> {
        let end = if let to = call.day("to") { to } else { try today() }
        let last = call.day("to") ?? latest ?? end
        let first =
            call.day("from") ?? max(end.advanced(by: -29), min(end, call.firstDay ?? .earliest))
        try call.require(first)
        guard first <= last else {
            throw APIProblem.parameter("from", "from must not be after to.")
        }
        guard first.distance(to: end) < Self.spanDaysMax else {
            throw APIProblem.parameter("from", "Ask for at most \(Self.spanDaysMax) days at once.")
        }
        return first...last
    }

    /// The longest span of one answer: ten years.
    private static var spanDaysMax: Int { 3_660 }
}

extension JSON {
    /// About how many bytes it has when it is written.
    fileprivate var weight: Int {
        switch self {
        case .string(let text), .number(let text): text.utf8.count + 8
        case .array(let elements): elements.reduce(8) { $0 + $1.weight }
        case .object(let members): members.reduce(8) { $0 + $1.key.utf8.count + $1.value.weight }
        default: 12
        }
    }
}
