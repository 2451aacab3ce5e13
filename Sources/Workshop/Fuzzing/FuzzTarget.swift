/// A fuzz target: a reader of bytes from outside, with a property that must hold for *any* bytes.
///
/// A target is a function of one input. It throws where a promise does not hold, and a crash is a
/// broken promise too. `make fuzz` feeds each target to libFuzzer; `FuzzingTests` replay the inputs
/// that are kept.

/// One reader and its promises.
package struct FuzzTarget: Sendable {
    /// The folder of its inputs has this name, too.
    package let name: String
    /// The longest input that is tried, in bytes.
    package let inputBytesMax: Int
    /// Reads the input.
    ///
    /// - Throws: ``BrokenPromise``.
    package let run: @Sendable ([UInt8]) throws -> Void

    init(
        _ name: String, inputBytesMax: Int = 4_096,
        run: @escaping @Sendable ([UInt8]) throws -> Void
    ) {
        self.name = name
        self.inputBytesMax = inputBytesMax
        self.run = run
    }

    /// All of them.
    package static let all: [FuzzTarget] = [
        cbor, event, push, page, recover, registers,
        target, origin, token, service, sequence, blob, image,
        csv, importing, legacy, health, share, gateway, foods, recipes, number, date, json, export,
        words,
        compressed, answer, multipart,
    ]
}

/// A promise that an input has shown to be false.
package struct BrokenPromise: Error, CustomStringConvertible {
    /// The promise.
    package let description: String
}

/// Checks a promise.
func promise(_ holds: Bool, _ text: @autoclosure () -> String) throws {
    if !holds { throw BrokenPromise(description: text()) }
}
