import Foundation

extension JSON: Decodable {
    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    init(from decoder: any Decoder) throws {
        if let object = try? decoder.container(keyedBy: Key.self) {
            self = .object(
                try object.allKeys.map {
                    ($0.stringValue, try object.decode(JSON.self, forKey: $0))
                })
            return
        }
        let single = try decoder.singleValueContainer()
        if single.decodeNil() {
            self = .null
        } else if let truth = try? single.decode(Bool.self) {
            self = .bool(truth)
        } else if let number = try? single.decode(Int64.self) {
            self = .int(number)
        } else if let text = try? single.decode(String.self) {
            self = .string(text)
        } else {
            self = .array(try single.decode([JSON].self))
        }
    }
}
