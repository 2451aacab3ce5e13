/// Hands one target to libFuzzer: `MACROLOG_FUZZ_TARGET=cbor fuzz -max_total_time=20 FOLDER`.
import MacrologFuzzing
import MacrologPlatform

private let chosen: FuzzTarget = {
    let name = getenv("MACROLOG_FUZZ_TARGET").map { String(cString: $0) } ?? ""
    guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
        fatalError(
            "Set MACROLOG_FUZZ_TARGET to one of "
                + FuzzTarget.all.map(\.name).joined(separator: " "))
    }
    return target
}()

/// Where the program begins.
@_cdecl("fuzz_main")
package func main(
    _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
    var count = count
    var arguments = arguments
    if count == 1 {
        for target in FuzzTarget.all { print(target.name, target.inputBytesMax) }
        return 0
    }
    _ = chosen
    return runDriver(&count, &arguments) { bytes, size in
        let input = Array(UnsafeBufferPointer(start: bytes, count: size))
        guard size <= chosen.inputBytesMax else { return -1 }
        // libFuzzer learns of a finding only by a trap.
        do { try chosen.run(input) } catch { fatalError("BROKEN PROMISE: \(error)") }
        return 0
    }
}
