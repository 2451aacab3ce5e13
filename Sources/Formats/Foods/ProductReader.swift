import MacrologEvents
import MacrologJSON
import MacrologNutrition

/// Reads products of Open Food Facts: one JSON text, or one on each line.
///
/// A text is a product, a response about one (`{"status": 1, "product": …}`), a search result
/// (`{"products": […]}`), or an array of products. A line that is not JSON is a rejected row; a
/// text that is not JSON is rejected whole.
struct ProductReader: FoodReader {
    private enum Form {
        /// No complete line has arrived yet.
        case unknown
        /// One text a line.
        case lines
        /// One text.
        case document
    }

    private var form = Form.unknown
    private var held: [UInt8] = []
    /// The line on which the buffer begins.
    private var line = 1

    /// The maximum length of a text, or of a line, in bytes.
    private let bytesMax: Int

    init(bytesMax: Int = 64 << 20) {
        self.bytesMax = bytesMax
    }

    mutating func foods(from bytes: [UInt8]) throws(ImportError) -> [ReadFood] {
        if held.isEmpty, line == 1, bytes.starts(with: [0x1F, 0x8B]) {
            throw ImportError(
                "the file is compressed", hint: "unpack it first, such as with gunzip")
        }
        var foods: [ReadFood] = []
        var rest = bytes[...]
        while form != .document, let end = rest.firstIndex(of: 0x0A) {
            held += rest[..<end]
            rest = rest[(end + 1)...]
            if form == .unknown {
                guard !Self.isBlank(held) else {
                    held = []
                    line += 1
                    continue
                }
                form = (try? JSON.parse(held)) == nil ? .document : .lines
            }
            guard form == .lines else {
                held.append(0x0A)
                break
            }
            foods += self.line(held)
            held.removeAll(keepingCapacity: true)
            line += 1
        }
        held += rest
        guard held.count <= bytesMax else {
            throw ImportError(
                line: line, "a text is longer than \(bytesMax) bytes",
                hint: "choose the export with one product on each line (JSONL)")
        }
        return foods
    }

    mutating func finish() throws(ImportError) -> [ReadFood] {
        if form == .lines { return line(held) }
        guard !Self.isBlank(held) else {
            throw ImportError(line: 1, "the file is empty", hint: "choose a file of products")
        }
        let json: JSON
        do throws(JSONError) { json = try JSON.parse(held) } catch {
            throw ImportError(
                line: line + error.line - 1, "this is not JSON: \(error.problem)",
                hint: "choose an answer of Open Food Facts, or its export as JSONL")
        }
        return foods(in: json, lines: ProductLines.lines(of: held, from: line))
    }

    private func line(_ bytes: [UInt8]) -> [ReadFood] {
        guard !Self.isBlank(bytes) else { return [] }
        do throws(JSONError) {
            return foods(in: try JSON.parse(bytes), lines: [])
        } catch {
            var read = ReadRow(line: line)
            read.refuse(nil, "is not JSON: \(error.problem)", "take the line out of the file")
            return [ReadFood(read: read)]
        }
    }

    private func foods(in json: JSON, lines: [Int]) -> [ReadFood] {
        if let products = json["products"]?.array ?? json.array {
            return products.enumerated().map { index, product in
                Product(product, line: index < lines.count ? lines[index] : line).food
            }
        }
        if json["status"] == 0 || json["status"] == "failure" {
            var read = ReadRow(line: line)
            read.refuse("status", "says that the product is not known", "look the code up again")
            return [ReadFood(read: read)]
        }
        return [Product(json["product"] ?? json, line: line).food]
    }

    private static func isBlank(_ bytes: [UInt8]) -> Bool {
        bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    }
}

/// On which lines the products of a text begin.
enum ProductLines {
    /// The line of each object in the array of products: the text itself, or its `products`.
    static func lines(of bytes: [UInt8], from first: Int) -> [Int] {
        var line = first
        var lines: [Int] = []
        var depth = 0
        /// The nesting depth of the products; -1 after them.
        var wanted: Int?
        var key: [UInt8] = []
        var (isText, isEscaped) = (false, false)
        for byte in bytes {
            if byte == 0x0A { line += 1 }
            if isText {
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isText = false
                } else if depth == 1, key.count < 16 {
                    key.append(byte)
                }
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                isText = true
                if depth == 1 { key = [] }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth == wanted { lines.append(line) }
                depth += 1
                let isProducts = depth == 1 || depth == 2 && key == Array("products".utf8)
                if wanted == nil, byte == UInt8(ascii: "["), isProducts { wanted = depth }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == wanted { wanted = -1 }
                depth -= 1
            default: break
            }
        }
        return lines
    }
}
