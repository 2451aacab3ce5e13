/// How a program says to the one that started it how it went: the codes of BSD's `sysexits.h`.
package struct ExitCode: Equatable, Sendable {
    /// 0…255.
    package let value: Int32
    /// Its meaning, for the manual page.
    package let meaning: String

    package static let ok = ExitCode(value: 0, meaning: "It worked.")
    package static let usage = ExitCode(value: 64, meaning: "The words typed are not understood.")
    package static let dataErr = ExitCode(value: 65, meaning: "The data given are not valid.")
    package static let noInput = ExitCode(
        value: 66, meaning: "What was named does not exist or cannot be read.")
    package static let unavailable = ExitCode(value: 69, meaning: "A service cannot be reached.")
    package static let software = ExitCode(value: 70, meaning: "The program itself is wrong.")
    package static let cantCreate = ExitCode(value: 73, meaning: "A file cannot be created.")
    package static let ioErr = ExitCode(value: 74, meaning: "Reading or writing failed.")
    package static let tempFail = ExitCode(value: 75, meaning: "It may work later.")
    package static let protocolErr = ExitCode(
        value: 76, meaning: "The other side does not speak the protocol.")
    package static let noPerm = ExitCode(value: 77, meaning: "It is not allowed.")
    package static let config = ExitCode(value: 78, meaning: "The configuration is not valid.")

    /// A stable word for it, for errors as JSON.
    package var word: String {
        switch self {
        case .usage: "usage"
        case .dataErr: "invalid_data"
        case .noInput: "not_found"
        case .unavailable: "server_unreachable"
        case .cantCreate: "cannot_create_file"
        case .ioErr: "input_output"
        case .tempFail: "temporary"
        case .protocolErr: "protocol"
        case .noPerm: "not_allowed"
        case .config: "configuration"
        default: "internal"
        }
    }

    /// Every code, in ascending order.
    package static let all: [ExitCode] = [
        ok, usage, dataErr, noInput, unavailable, software, cantCreate, ioErr, tempFail,
        protocolErr, noPerm, config,
    ]
}
